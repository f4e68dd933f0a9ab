# SPDX-License-Identifier: MIT
"""Signatures of writes: EIP-712 over the hash of the body as it is sent (docs/spec/wire/03-signing.md)."""
from __future__ import annotations

from typing import Dict, Optional, Sequence, Tuple

from coincurve import PrivateKey
from Crypto.Hash import keccak as _keccak

_DOMAIN = b"EIP712Domain(string name,string version,uint256 chainId,address verifyingContract)"
_ACTION = b"ExchangeAction(bytes32 payloadHash,uint64 nonce)"
_ADD_KEY = b"AddAPIKey(uint64 accountID,string name,uint8 keyType,bytes publicKey,uint64 expiresAt,uint64 nonce)"
_ADD_LIMITED_KEY = (b"UserSignedAddPermissionedAPIKeyAction(uint64 chainID,uint64 nonce,uint64 accountID,string name,"
                    b"uint8 keyType,bytes publicKey,uint64 expiresAt,uint64 permissions)")


def keccak(data: bytes) -> bytes:
    """Keccak-256 of the bytes."""
    return _keccak.new(digest_bits=256, data=data).digest()


_ACTION_HASH = keccak(_ACTION)
_separators: Dict[Tuple[str, int], bytes] = {}


def _word(number: int) -> bytes:
    return number.to_bytes(32, "big")


def domain_separator(domain: str, chain_id: int) -> bytes:
    """Hash of the EIP-712 domain: `spot`, `futures`, `universal` or `oracle`."""
    key = (domain, chain_id)
    found = _separators.get(key)
    if found is None:
        found = keccak(keccak(_DOMAIN) + keccak(domain.encode()) + keccak(b"1") + _word(chain_id) + bytes(32))
        _separators[key] = found
    return found


def action_digest(action: str, body: bytes, nonce: int, domain: str, chain_id: int) -> bytes:
    """What is signed for a write with this body."""
    payload = keccak(b'{"type":"' + action.encode() + b'","params":' + body + b"}")
    return keccak(b"\x19\x01" + domain_separator(domain, chain_id) + keccak(_ACTION_HASH + payload + _word(nonce)))


def add_key_digest(account_id: int, name: str, key_type: int, public_key: str, expires_at: int, nonce: int,
                   chain_id: int, permissions: Optional[int] = None) -> bytes:
    """What a wallet signs to add an API key (wire 3.5)."""
    named = keccak(name.encode())
    key = keccak(bytes.fromhex(public_key[2:]))
    if permissions is None:
        struct = keccak(keccak(_ADD_KEY) + _word(account_id) + named + _word(key_type) + key + _word(expires_at)
                        + _word(nonce))
    else:
        struct = keccak(keccak(_ADD_LIMITED_KEY) + _word(chain_id) + _word(nonce) + _word(account_id) + named
                        + _word(key_type) + key + _word(expires_at) + _word(permissions))
    return keccak(b"\x19\x01" + domain_separator("universal", chain_id) + struct)


class Signer:
    """A private key, as 0x and 64 hexadecimal digits. With `key_name` it is an API key of that name."""

    def __init__(self, private_key: str, key_name: Optional[str] = None) -> None:
        try:
            secret = bytes.fromhex(private_key[2:] if private_key[:2] in ("0x", "0X") else private_key)
        except ValueError:
            secret = b""
        if len(secret) != 32:
            raise ValueError("a private key is 0x and 64 hexadecimal digits") from None
        self._key = PrivateKey(secret)
        self.key_name = key_name
        self.address = "0x" + keccak(self._key.public_key.format(compressed=False)[1:])[-20:].hex()

    def sign(self, digest: bytes, kind: int = 1) -> str:
        """X-API-Sign: the type byte, r, s and v in hexadecimal digits."""
        return f"0x{kind:02x}" + self._key.sign_recoverable(digest, hasher=None).hex()

    def __repr__(self) -> str:
        return f"<Signer {self.address}>"


_PRICE = b"OraclePrice(uint32 symbolID,uint64 price,uint64 perpMid)"
_PRICES = b"OraclePrices(uint64 seq,uint64 timestamp,OraclePrice[] prices)" + _PRICE


def prices_digest(seq: int, timestamp: int, prices: Sequence[Tuple[int, int, int]], chain_id: int) -> bytes:
    """What a feeder signs: each price is (symbolID, price, perpMid) in the symbol's price unit, 0 for no perpMid."""
    rows = b"".join(keccak(keccak(_PRICE) + b"".join(_word(number) for number in row)) for row in prices)
    struct = keccak(keccak(_PRICES) + _word(seq) + _word(timestamp) + keccak(rows))
    return keccak(b"\x19\x01" + domain_separator("oracle", chain_id) + struct)
