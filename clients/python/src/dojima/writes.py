# SPDX-License-Identifier: MIT
"""A signed write as it is sent, and what an answer to it means."""
from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, Dict, List, NamedTuple, Optional, Tuple

from dojima.errors import ProtocolError, Refused, refusal
from dojima.http import Reply
from dojima.record import encoded
from dojima.signing import Signer, action_digest, add_key_digest

BAD_NONCE, OUTCOME_UNKNOWN = 40102, 50303
_ENCODER = json.JSONEncoder(separators=(",", ":"), check_circular=False)
_DECODER = json.JSONDecoder(parse_float=Decimal)


class Action(NamedTuple):
    """A kind of write: where it goes, and what is signed."""

    method: str
    path: str
    type: str
    domain: str


class SignedRequest(NamedTuple):
    """A write with its signature. It may be sent any number of times: the exchange executes it once."""

    method: str
    path: str
    headers: List[Tuple[str, str]]
    body: bytes


class ExecutedBefore(NamedTuple):
    """The same bytes were executed before; their transaction."""

    transaction: str
    block: int
    place: int


def body_bytes(body: Dict[str, Any]) -> bytes:
    """The body as it is signed: compact, keys in their order, what is None left out."""
    return _ENCODER.encode(encoded(body)).encode()


def signed(action: Action, body: bytes, fields: Dict[str, Any], nonce: int, signer: Signer,
           chain_id: int) -> SignedRequest:
    """Signs a write. `fields` are the values of the body."""
    kind = 2 if action.domain == "universal" else 1
    if action.type == "addAPIKey":
        digest = add_key_digest(fields["accountID"], fields["name"], int(fields["type"]), fields["publicKey"],
                                fields["expiresAt"], nonce, chain_id, fields.get("permissions"))
    else:
        digest = action_digest(action.type, body, nonce, action.domain, chain_id)
    headers = [("Content-Type", "application/json"), ("X-API-Nonce", str(nonce)), ("X-API-Chain", str(chain_id)),
               ("X-API-Sign", signer.sign(digest, kind))]
    if signer.key_name is not None:
        headers.append(("X-API-Key", signer.key_name))
    return SignedRequest(action.method, action.path, headers, body)


def parsed(reply: Reply) -> Any:
    """The JSON of an answer, numbers with a fraction as Decimal."""
    try:
        return _DECODER.decode(reply.body.decode())
    except (ValueError, RecursionError):
        raise ProtocolError(f"status {reply.status}, and not JSON: {reply.body[:200]!r}") from None


def envelope(reply: Reply) -> Dict[str, Any]:
    """The envelope of an answer; ProtocolError when it is another's."""
    value = parsed(reply)
    if not isinstance(value, dict) or not isinstance(value.get("code"), int):
        raise ProtocolError(f"status {reply.status}, and no envelope of this interface: {reply.body[:200]!r}")
    return value


def refused(reply: Reply, value: Dict[str, Any]) -> Optional[Refused]:
    """The exception that an envelope means; None when it is a success."""
    if value["code"] == 0:
        return None
    return refusal(value["code"], str(value.get("error", "")), value.get("details"), reply.status)


def executed_before(error: Refused) -> Optional[ExecutedBefore]:
    """The transaction of the same bytes, when a refused nonce says that they were executed (ruling 35)."""
    details = error.details
    if error.code != BAD_NONCE or not details.get("hash"):
        return None
    return ExecutedBefore(details["hash"], int(details["block"]), int(details["index"]))
