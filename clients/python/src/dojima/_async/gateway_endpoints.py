# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""Endpoints of the group gateway."""
from __future__ import annotations

from typing import Literal, Optional, Sequence

from dojima._async.session import Action, AsyncGroup
from dojima.answers import FeeRate, ServerTime, StatusText, Subaccounts, UserAPIKeys, UserStatus, UserTransactionQuota
from dojima.bodies import KeyType, OraclePrice
from dojima.record import decoder

_api_keys = decoder(UserAPIKeys)
_time = decoder(ServerTime)
_status = decoder(StatusText)
_user_status = decoder(UserStatus)
_subaccounts = decoder(Subaccounts)
_fee_rate = decoder(FeeRate)
_rate_limit = decoder(UserTransactionQuota)


class AsyncGatewayEndpoints(AsyncGroup):
    """Endpoints of the group gateway, one method each."""

    async def post_prices(self, seq: int, timestamp: int, prices: Sequence[OraclePrice]) -> None:
        """Index prices of a registered feeder; they count from the next second on."""
        body = {
            "seq": seq,
            "timestamp": timestamp,
            "prices": prices,
        }
        path = "/api/v1/oracle"
        action = Action("POST", path, "oraclePrices", "oracle")
        await self._session.write(action, body)

    async def add_api_key(
        self, name: str, type: KeyType, public_key: str, expires_at: int, *, account_id: Optional[int] = None,
        permissions: Optional[int] = None,
    ) -> None:
        """Registers an API key for both bases; the address in the path is the owner's."""
        body = {
            "accountID": await self._session.account_of(account_id, True),
            "name": name,
            "type": type,
            "publicKey": public_key,
            "expiresAt": expires_at,
            "permissions": permissions,
        }
        path = f"/api/v1/user/{await self._session.user_of(None)}/api-keys"
        action = Action("POST", path, "addAPIKey", "universal")
        await self._session.write(action, body)

    async def revoke_api_key(self, name: str, *, account_id: Optional[int] = None) -> None:
        """Revokes an API key on both bases; the address in the path is the owner's."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "name": name,
        }
        path = f"/api/v1/user/{await self._session.user_of(None)}/api-keys"
        action = Action("DELETE", path, "revokeAPIKey", "universal")
        await self._session.write(action, body)

    async def api_keys(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, name: Optional[str] = None,
    ) -> UserAPIKeys:
        """API keys of all accounts of the user or of one, all or one by name."""
        path = f"/api/v1/user/{await self._session.user_of(user)}/api-keys"
        return await self._session.read(path, {"accountID": account_id, "name": name}, _api_keys)

    async def time(self) -> ServerTime:
        """Engine time."""
        path = "/api/v1/time"
        return await self._session.read(path, {}, _time)

    async def status(self) -> StatusText:
        """The exchange answers."""
        path = "/api/v1/status"
        return await self._session.read(path, {}, _status)

    async def user_status(self, *, user: Optional[str] = None) -> UserStatus:
        """Whether the address is a user."""
        path = f"/api/v1/user/{await self._session.user_of(user)}/status"
        return await self._session.read(path, {}, _user_status)

    async def subaccounts(self, *, user: Optional[str] = None) -> Subaccounts:
        """Accounts of the user."""
        path = f"/api/v1/user/{await self._session.user_of(user)}/subaccounts"
        return await self._session.read(path, {}, _subaccounts)

    async def fee_rate(
        self, *, user: Optional[str] = None, market: Optional[Literal["spot", "perps"]] = None, symbol:
        Optional[str] = None,
    ) -> FeeRate:
        """Fee rates of the user on a market; with a symbol, those that hold there."""
        path = f"/api/v1/user/{await self._session.user_of(user)}/fee-rate"
        return await self._session.read(path, {"market": market, "symbol": symbol}, _fee_rate)

    async def rate_limit(self, *, user: Optional[str] = None) -> UserTransactionQuota:
        """What the user did so far, and that no quota limits it."""
        path = f"/api/v1/user/{await self._session.user_of(user)}/ratelimit"
        return await self._session.read(path, {}, _rate_limit)
