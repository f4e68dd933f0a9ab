# SPDX-License-Identifier: MIT
"""A user of an exchange."""
from __future__ import annotations

from types import TracebackType
from typing import Any, Callable, Optional, Set, Type

from dojima._async.control import AsyncControl
from dojima._async.gateway_endpoints import AsyncGatewayEndpoints
from dojima._async.orders import AsyncPerps, AsyncSpot
from dojima._async.process_endpoints import AsyncProcessEndpoints
from dojima._async.session import AsyncSession
from dojima._async.streams import AsyncStream
from dojima.signing import Signer

MAIN_NETWORK = 286623


def _lives() -> None:
    """Knows nothing of the process behind the address."""


class AsyncClient:
    """Everything of the interface at one address, with or without a key.

    url: root of the exchange, such as "http://127.0.0.1:8080".
    key: the private key, 0x and 64 hexadecimal digits; without it there are reads only.
    key_name, owner: when the key is an API key: its name, and the address of the wallet it signs for.
    account_id: the account to trade with; None is the primary one.
    timeout: seconds after which an answer counts as lost. outcome_timeout: seconds for which a lost reply is asked for.
    rpc_timeout: the same of /rpc; None is without an end, because a call may move time by days.
    """

    def __init__(self, url: str, key: Optional[str] = None, *, key_name: Optional[str] = None,
                 owner: Optional[str] = None, account_id: Optional[int] = None, chain_id: int = MAIN_NETWORK,
                 timeout: float = 5.0, outcome_timeout: float = 60.0, rpc_timeout: Optional[float] = None,
                 connections: int = 4, alive: Callable[[], None] = _lives) -> None:
        signer = None if key is None else Signer(key, key_name)
        if key_name is not None and owner is None:
            raise ValueError("an API key signs for a wallet: name its address, owner='0x…'")
        self.address = owner or (signer.address if signer else None)
        self.session = AsyncSession(url, signer, self.address, account_id, chain_id, timeout, outcome_timeout,
                                    rpc_timeout, connections, alive)
        self.spot = AsyncSpot(self.session)
        self.perps = AsyncPerps(self.session)
        self.gateway = AsyncGatewayEndpoints(self.session)
        self.process = AsyncProcessEndpoints(self.session)
        self.control = AsyncControl(self.session)
        self._streams: Set[AsyncStream] = set()

    @property
    def account_id(self) -> Optional[int]:
        """The account that writes name; None: the primary one."""
        return self.session.account_id

    async def rpc(self, method: str, *parameters: Any) -> Any:
        """A method of /rpc. Raises RpcError."""
        return await self.session.rpc(method, *parameters)

    def stream(self, engine: str) -> AsyncStream:
        """A WebSocket of `spot` or `perps`; use it as a context."""
        return AsyncStream(self.session.place, engine, self.address, self.session.alive, self._streams)

    async def aclose(self) -> None:
        """Ends every connection, and every stream that is open."""
        for stream in list(self._streams):
            await stream.aclose()
        await self.session.aclose()

    async def __aenter__(self) -> AsyncClient:
        return self

    async def __aexit__(self, kind: Optional[Type[BaseException]], error: Optional[BaseException],
                        trace: Optional[TracebackType]) -> None:
        await self.aclose()
