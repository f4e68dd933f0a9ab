# SPDX-License-Identifier: MIT
"""A key that may only transfer uses up its owner's transfer ids (ruling 69)."""
from attack import PERPS_WITHDRAW, SPOT_WITHDRAW, Attack, main
from harness import compact, fresh_nonce
from keys import KeyClient, new_wallet, sign_key


class KeyId(Attack):
    """The owner gives a key no right but to move money between his own spot and perps. It sends one transfer with the
    id 2^64-1: when key and wallet share their ids, no id of the owner's is new any more, and he cannot take his money
    out, for ever."""

    rulings = (69,)

    def story(self):
        self.coalition(self.a)                      # the holder of the key has deposited nothing
        self.bystanders(self.c)
        self.begin()
        key = self.key_of(self.b)
        for kind, engine in ((PERPS_WITHDRAW, "spot"), (SPOT_WITHDRAW, "perps")):
            self.ok(self.transfer_by(key, engine, kind))
        for kind in (PERPS_WITHDRAW, SPOT_WITHDRAW):
            reply = self.attempt(self.transfer(self.b, "1", kind))
            if reply.code != 0:
                self.works(f"the owner cannot move his own money: {reply}")
        self.judge()

    def key_of(self, trader):
        """A key whose mask denies trading, cancels and withdrawals; transfers are left."""
        wallet, nonce = new_wallet(), fresh_nonce()
        body = {"accountID": trader.id, "name": "mover", "type": 1, "publicKey": wallet.address, "expiresAt": 0,
                "permissions": RIGHTS_BUT_TRANSFER}
        sign = sign_key(trader.client.wallet, body, nonce, "UserSignedAddPermissionedAPIKeyAction")
        self.ok(trader.client.connection.send("POST", "/api/v1/spot/accounts/api-keys", compact(body),
                                              {"Content-Type": "application/json", "X-API-Nonce": str(nonce),
                                               "X-API-Sign": sign}))
        return KeyClient(trader.client, wallet, "mover")

    def transfer_by(self, key, engine, kind):
        body = {"id": 2 ** 64 - 1, "fromAccountID": key.id, "toAccountID": 999, "coinID": 0, "amount": "1",
                "type": kind}
        if engine == "spot":
            return key.write("POST", "/accounts/transfers", "transferAsset", body)
        raw = compact(body)
        return key.connection.send("POST", "/api/v1/perps/accounts/transfers", raw,
                                   key.headers("transferAsset", raw, domain="futures"))


RIGHTS_BUT_TRANSFER = 1 | 2 | 4


if __name__ == "__main__":
    main()
