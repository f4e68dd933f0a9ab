# SPDX-License-Identifier: MIT
# Made from the module of the same name in _async; do not edit.
"""Reads and signed writes of one user. A write is executed at most once; its outcome is found out, never guessed."""
from __future__ import annotations

import time
from typing import Any, Callable, Dict, List, Optional, Tuple, TypeVar
from urllib.parse import quote

from dojima._sync.http import Connections, pause
from dojima.clock import NonceClock
from dojima.errors import ConnectionLost, OutcomeUnknown, ProtocolError, Refused, ReplyLost, RpcError
from dojima.http import Reply, place_of
from dojima.record import encoded
from dojima.signing import Signer, prices_digest
from dojima.writes import (
    BAD_NONCE, OUTCOME_UNKNOWN, Action, ExecutedBefore, SignedRequest, body_bytes, envelope, executed_before, parsed,
    refused, signed,
)

T = TypeVar("T")
__all__ = ["Action", "Group", "Session", "quoted"]

_NEW_NONCES = 5
_FIRST_PAUSE, _LONGEST_PAUSE = 0.02, 2.0


def quoted(text: str) -> str:
    """A part of a path."""
    return quote(text, safe="")


def _query(parameters: Dict[str, Any]) -> str:
    """The query of a read; what is None is left out."""
    pairs = [f"{name}={quote(str(encoded(value)), safe='')}" for name, value in parameters.items() if value is not None]
    return "?" + "&".join(pairs) if pairs else ""


class Session:
    """What all groups of endpoints share: connections, the key, its nonces, the account."""

    def __init__(self, url: str, signer: Optional[Signer], owner: Optional[str], account_id: Optional[int],
                 chain_id: int, timeout: float, outcome_timeout: float, rpc_timeout: Optional[float],
                 connections: int, alive: Callable[[], None]) -> None:
        self.place = place_of(url)
        self.connections = Connections(self.place, timeout, timeout, connections)
        # Of their own, so that no read waits behind an advance of time and gives up for both.
        self.calls = Connections(self.place, timeout, rpc_timeout, connections)
        self.signer, self.owner, self.chain_id = signer, owner, chain_id
        self.account_id = account_id
        self.outcome_timeout = outcome_timeout
        self.nonces = NonceClock.of(signer.address) if signer else NonceClock()
        self.alive = alive

    # ---- who

    def user_of(self, user: Optional[str]) -> str:
        """The address of a read: the one given, else the user's own."""
        address = user or self.owner
        if address is None:
            raise ValueError("this client has no key: name the address, user='0x…'")
        return quoted(address)

    def account_of(self, account_id: Optional[int], needed: bool = False) -> Optional[int]:
        """The account of a write: the one given, else that of the client, which an API key must name."""
        if account_id is None:
            account_id = self.account_id
        if account_id is None and (needed or (self.signer is not None and self.signer.key_name is not None)):
            found = self.read(f"/api/v1/user/{self.user_of(None)}/subaccounts", {}, lambda data: data)
            if not found["primaryAccountID"]:
                raise ValueError(f"{self.owner} has no account yet: deposit first")
            account_id = self.account_id = int(found["primaryAccountID"])
        return account_id

    # ---- reads

    def _get(self, path: str, parameters: Dict[str, Any]) -> Reply:
        """A read is asked again when its connection ends."""
        target, left = path + _query(parameters), 3
        while True:
            try:
                return self.connections.send("GET", target, [])
            except ConnectionLost as error:
                self.alive()
                left -= 1
                if left == 0 or not error.sent:
                    raise
                pause(_FIRST_PAUSE)

    def read(self, path: str, parameters: Dict[str, Any], decode: Callable[[Any], T]) -> T:
        """`data` of a read. Raises Refused."""
        reply = self._get(path, parameters)
        value = envelope(reply)
        error = refused(reply, value)
        if error is not None:
            raise error
        return decode(value.get("data"))

    def text(self, path: str, parameters: Dict[str, Any]) -> str:
        """An answer that is a text."""
        return self._whole(self._get(path, parameters)).decode()

    def json(self, path: str, parameters: Dict[str, Any]) -> Any:
        """An answer that is JSON without an envelope."""
        reply = self._get(path, parameters)
        self._whole(reply)
        return parsed(reply)

    @staticmethod
    def _whole(reply: Reply) -> bytes:
        if reply.status != 200:
            error = refused(reply, envelope(reply))
            if error is not None:
                raise error
        return reply.body

    def rpc(self, method: str, *parameters: Any) -> Any:
        """A method of /rpc. Raises RpcError. It is not sent again when its answer is lost."""
        return self._call(self.calls, method, *parameters)

    def _call(self, connections: Connections, method: str, *parameters: Any) -> Any:
        body = body_bytes({"jsonrpc": "2.0", "id": 1, "method": method, "params": list(parameters)})
        try:
            reply = connections.send("POST", "/rpc", [("Content-Type", "application/json")], body)
        except ConnectionLost:
            self.alive()
            raise
        value = parsed(reply)
        if isinstance(value, dict) and "error" in value and isinstance(value["error"], dict):
            raise RpcError(value["error"]["code"], value["error"]["message"], value["error"].get("data"))
        if not isinstance(value, dict) or "result" not in value:
            error = refused(reply, envelope(reply))
            raise error or ProtocolError(f"no answer of JSON-RPC: {reply.body[:200]!r}")
        return value["result"]

    # ---- writes

    def write(self, action: Action, fields: Dict[str, Any]) -> Any:
        """Signs, sends and gives `data`. Raises Refused, ReplyLost or OutcomeUnknown."""
        if self.signer is None:
            raise ValueError("this client has no key, so it cannot write: Client(url, key='0x…')")
        if action.type == "oraclePrices":
            return self._post_prices(fields, action)
        body = body_bytes(fields)
        for attempt in range(_NEW_NONCES):
            nonce = self.nonces.next()
            request = signed(action, body, fields, nonce, self.signer, self.chain_id)
            try:
                return (self.until_known(request)).get("data")
            except Refused as error:
                if error.code != BAD_NONCE:
                    raise
                self.nonces.learn(error.details, nonce, attempt)
                last = error
        raise last

    def until_known(self, request: SignedRequest) -> Dict[str, Any]:
        """Sends the same bytes until their outcome is known: the envelope, or an exception."""
        deadline, wait, lost = time.monotonic() + self.outcome_timeout, _FIRST_PAUSE, False
        while True:
            try:
                reply = self.connections.send(*request)
                value = envelope(reply)
                error = refused(reply, value)
                if error is None:
                    return value
                # Behind a lost reply a condition of the transport says only that this attempt was not executed.
                if error.code != OUTCOME_UNKNOWN and not (lost and reply.status != 200):
                    return self._judge(error, lost)
                reason = str(error)
            except ConnectionLost as gone:
                self.alive()
                if not gone.sent and not lost:
                    raise
                reason = str(gone)
            except ProtocolError as other:      # of a proxy: it says nothing of the exchange
                reason = str(other)
            lost = True
            if time.monotonic() + wait > deadline:
                raise OutcomeUnknown(f"no outcome within {self.outcome_timeout} s: {reason}", request)
            pause(wait)
            wait = min(wait * 2, _LONGEST_PAUSE)

    def _judge(self, error: Refused, lost: bool) -> Dict[str, Any]:
        """What a refusal means: behind a lost reply a used nonce says that these bytes were executed."""
        before = executed_before(error)
        if before is not None:
            raise self._reply_lost(before)
        if lost and 40101 <= error.code <= 40105:   # executed perhaps, and its nonce forgotten or its key revoked since
            raise OutcomeUnknown(f"executed or not: {error}")
        raise error

    def _reply_lost(self, before: ExecutedBefore) -> ReplyLost:
        """Whatever keeps the receipt from being read, the write was executed: nothing else may be raised."""
        try:
            receipt = self._call(self.connections, "eth_getTransactionReceipt", before.transaction)
            return ReplyLost(*before, receipt["status"] == "0x1" if receipt else None)
        except Exception:
            return ReplyLost(*before, None)

    def _post_prices(self, fields: Dict[str, Any], action: Action) -> None:
        """Prices of a feeder are signed as integers in the price unit of their symbols."""
        assert self.signer is not None
        value = encoded(fields)
        symbols = self.read("/api/v1/perps/markets/symbols", {}, lambda data: data)
        units = {row["id"]: row["pricePrecision"] for row in symbols}
        rows: List[Tuple[int, int, int]] = []
        for row in value["prices"]:
            if row["symbolID"] not in units:
                raise ValueError(f"no perps symbol has the id {row['symbolID']}")
            rows.append((row["symbolID"], *(_units(row.get(key, "0"), units[row["symbolID"]])
                                            for key in ("price", "perpMid"))))
        sign = self.signer.sign(prices_digest(value["seq"], value["timestamp"], rows, self.chain_id))
        headers = [("Content-Type", "application/json"), ("X-API-Chain", str(self.chain_id)), ("X-API-Sign", sign)]
        self.until_known(SignedRequest(action.method, action.path, headers, body_bytes(fields)))

    def close(self) -> None:
        """Ends every connection."""
        self.connections.close()
        self.calls.close()


def _units(text: str, precision: int) -> int:
    whole, _, fraction = text.partition(".")
    if len(fraction) > precision:
        raise ValueError(f"{text} has more than {precision} decimals")
    return int(whole + fraction.ljust(precision, "0"))


class Group:
    """Endpoints that share a session."""

    def __init__(self, session: Session) -> None:
        self._session = session
