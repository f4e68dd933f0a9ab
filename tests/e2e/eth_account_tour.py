# SPDX-License-Identifier: MIT
"""An outside client: eth-account signs with its own EIP-712 function (sign_typed_data), urllib sends.

The test makes a virtual environment under build/clients with eth-account from PyPI and starts itself again in there; in
there it uses nothing of our harness.
"""
import importlib.util
import json
import os
import subprocess
import sys
import time
import urllib.request

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "build", "clients", "eth-account")
TYPES = {"ExchangeAction": [{"name": "payloadHash", "type": "bytes32"}, {"name": "nonce", "type": "uint64"}]}


def skip(why):
    print("SKIP the eth-account tour: " + why)
    sys.exit(77)


def install():
    """The environment's python; SKIP when it cannot be made."""
    python = os.path.join(FOLDER, "bin", "python3")
    try:
        if subprocess.run([python, "-c", "import eth_account"], stderr=subprocess.DEVNULL).returncode == 0:
            return python
    except OSError:
        pass
    if importlib.util.find_spec("ensurepip") is None:
        skip("the Debian package python3-venv is not installed")
    for line in ([sys.executable, "-m", "venv", "--clear", FOLDER],
                 [python, "-m", "pip", "install", "--quiet", "eth-account"]):
        try:
            done = subprocess.run(line, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=180)
        except (OSError, subprocess.TimeoutExpired) as error:
            skip(str(error))
        if done.returncode:
            skip("cannot install it: " + (done.stdout.decode(errors="replace").strip().splitlines() or ["?"])[-1])
    return python


def outside():
    from harness import Server
    python = install()
    with Server() as server:
        done = subprocess.run([python, "-I", os.path.abspath(__file__), json.dumps(server.banner)], timeout=60)
    sys.exit(done.returncode)


class Trader:
    def __init__(self, banner, account, chain_id):
        from eth_account import Account
        self.base, self.id, self.chain_id, self.nonce = banner["spot"], account["accountID"], chain_id, 0
        self.wallet = Account.from_key(account["privateKey"])
        assert self.wallet.address.lower() == account["address"].lower()

    def write(self, method, path, kind, params):
        from eth_utils import keccak
        body = json.dumps(params, separators=(",", ":"))
        self.nonce = max(self.nonce + 1, int(time.time() * 1000))
        signed = self.wallet.sign_typed_data(
            domain_data={"name": "spot", "version": "1", "chainId": self.chain_id,
                         "verifyingContract": "0x" + "00" * 20},
            message_types=TYPES,
            message_data={"payloadHash": keccak(text='{"type":"%s","params":%s}' % (kind, body)), "nonce": self.nonce})
        request = urllib.request.Request(self.base + path, body.encode(), method=method, headers={
            "Content-Type": "application/json", "Accept": "application/json", "X-API-Nonce": str(self.nonce),
            "X-API-Sign": "0x01" + bytes(signed.signature).hex()})
        with urllib.request.urlopen(request, timeout=20) as reply:
            answer = json.load(reply)
        assert answer["code"] == 0, answer
        assert all(item["code"] == 0 for item in answer["data"]), answer
        return answer["data"]

    def read(self, what):
        with urllib.request.urlopen(f"{self.base}/accounts/{self.wallet.address}/{what}", timeout=20) as reply:
            answer = json.load(reply)
        assert answer["code"] == 0, answer
        return answer["data"]

    def place(self, *orders):
        return self.write("POST", "/trade/orders/batch", "batchNewOrder",
                          {"accountID": self.id, "orders": list(orders)})

    def cancel(self, *cancels):
        return self.write("DELETE", "/trade/orders/batch", "batchCancelOrder",
                          {"accountID": self.id, "cancels": list(cancels)})


def tour(banner):
    alice = Trader(banner, banner["accounts"][0], banner["chainIds"][0])
    bob = Trader(banner, banner["accounts"][1], banner["chainIds"][1])

    def limit(client_id, side, price, quantity):
        return {"symbolID": 1, "clOrdID": client_id, "side": side, "type": 1, "timeInForce": 1, "price": price,
                "quantity": quantity}

    placed, = alice.place(limit("eth-1", 1, "99000", "0.5"))
    bob.place(limit("eth-2", 2, "99000", "0.2"))
    order, = alice.read("orders")["orders"]
    assert (order["orderID"], order["status"], order["executedQty"]) == (placed["orderID"], "PARTIALLY_FILLED",
        "0.2"), order
    assert bob.read("orders/history")[0]["status"] == "FILLED"
    canceled, = alice.cancel({"symbolID": 1, "clOrdID": "eth-3", "origClOrdID": "eth-1"})
    assert canceled["origClOrdID"] == "eth-1", canceled
    assert alice.read("orders")["orders"] == []
    print("eth-account: placed, matched and canceled")


if __name__ == "__main__":
    tour(json.loads(sys.argv[1])) if len(sys.argv) > 1 else outside()
