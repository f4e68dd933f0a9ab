# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""Endpoints of the group spot."""
from __future__ import annotations

from typing import List, Optional, Sequence

from dojima._async.session import Action, AsyncGroup, quoted
from dojima.amount import Amount, maybe_amount
from dojima.answers import (
    APIKey, BookTicker, FeeRate, MiniTicker, OrderBook, OrderResult, RPCKline, SpotAccountBalances,
    SpotAccountOpenOrder, SpotCoin, SpotOrder, SpotSymbol, SpotTicker, Trade, TransferResult, UserTrade,
    WsSpotState,
)
from dojima.bodies import CancelSpotOrder, KeyType, NewSpotOrder, ReplaceOrder, TransferType
from dojima.record import decoder

_symbols = decoder(List[SpotSymbol])
_coins = decoder(List[SpotCoin])
_orderbook = decoder(OrderBook)
_tickers = decoder(List[SpotTicker])
_mini_tickers = decoder(List[MiniTicker])
_book_tickers = decoder(List[BookTicker])
_klines = decoder(List[RPCKline])
_trades = decoder(List[Trade])
_balances = decoder(SpotAccountBalances)
_orders = decoder(SpotAccountOpenOrder)
_state = decoder(WsSpotState)
_api_keys = decoder(List[APIKey])
_fee_rate = decoder(FeeRate)
_order_history = decoder(List[SpotOrder])
_account_trades = decoder(List[UserTrade])
_place_orders = decoder(List[OrderResult])
_cancel_orders = decoder(List[OrderResult])
_replace_orders = decoder(List[OrderResult])
_transfer = decoder(TransferResult)


class AsyncSpotEndpoints(AsyncGroup):
    """Endpoints of the group spot, one method each."""

    async def symbols(self, *, symbol: Optional[str] = None) -> List[SpotSymbol]:
        """Listed symbols, all or one by name."""
        path = "/api/v1/spot/markets/symbols"
        return await self._session.read(path, {"symbol": symbol}, _symbols)

    async def coins(self, *, coin: Optional[str] = None) -> List[SpotCoin]:
        """Listed coins, all or one by name."""
        path = "/api/v1/spot/markets/coins"
        return await self._session.read(path, {"coin": coin}, _coins)

    async def orderbook(self, symbol: str, *, limit: Optional[int] = None) -> OrderBook:
        """The best levels of a symbol's book."""
        path = f"/api/v1/spot/markets/{quoted(symbol)}/orderbook"
        return await self._session.read(path, {"limit": limit}, _orderbook)

    async def tickers(self, *, symbol: Optional[str] = None) -> List[SpotTicker]:
        """Statistics of the last 24 hours and the best prices, of all symbols or one."""
        path = "/api/v1/spot/markets/tickers"
        return await self._session.read(path, {"symbol": symbol}, _tickers)

    async def mini_tickers(self, *, symbol: Optional[str] = None) -> List[MiniTicker]:
        """Statistics of the last 24 hours in few keys, of all symbols or one."""
        path = "/api/v1/spot/markets/miniTickers"
        return await self._session.read(path, {"symbol": symbol}, _mini_tickers)

    async def book_tickers(self, *, symbol: Optional[str] = None) -> List[BookTicker]:
        """The best level of each side, of all symbols or one."""
        path = "/api/v1/spot/markets/bookTickers"
        return await self._session.read(path, {"symbol": symbol}, _book_tickers)

    async def klines(
        self, symbol: str, interval: str, *, start_time: Optional[int] = None, end_time: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> List[RPCKline]:
        """Bars of a symbol, oldest first, the open one included; they begin with the first trade, and gaps repeat the
        close."""
        path = f"/api/v1/spot/markets/{quoted(symbol)}/klines"
        return await self._session.read(path, {"interval": interval, "startTime": start_time, "endTime": end_time,
        "limit": limit}, _klines)

    async def trades(self, symbol: str, *, limit: Optional[int] = None) -> List[Trade]:
        """The newest trades of a symbol, newest first."""
        path = f"/api/v1/spot/markets/{quoted(symbol)}/trades"
        return await self._session.read(path, {"limit": limit}, _trades)

    async def balances(self, *, user: Optional[str] = None, account_id: Optional[int] = None) -> SpotAccountBalances:
        """Balances of every coin the account ever held."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/balances"
        return await self._session.read(path, {"accountID": account_id}, _balances)

    async def orders(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None, limit:
        Optional[int] = None,
    ) -> SpotAccountOpenOrder:
        """Open orders, newest first."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/orders"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "limit": limit}, _orders)

    async def state(self, *, user: Optional[str] = None, account_id: Optional[int] = None) -> WsSpotState:
        """Ids, balances and open orders of one instant."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/state"
        return await self._session.read(path, {"accountID": account_id}, _state)

    async def api_keys(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, name: Optional[str] = None,
    ) -> List[APIKey]:
        """API keys of the account, oldest first, all or one by name; they sign on both bases."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/api-keys"
        return await self._session.read(path, {"accountID": account_id, "name": name}, _api_keys)

    async def fee_rate(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
    ) -> FeeRate:
        """Fee rates of the user; with a symbol, those that hold there."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/fee-rate"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol}, _fee_rate)

    async def order_history(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        start_time: Optional[int] = None, end_time: Optional[int] = None, limit: Optional[int] = None, from_id:
        Optional[int] = None,
    ) -> List[SpotOrder]:
        """Orders that ended, by the time of their end, newest first."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/orders/history"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "startTime": start_time,
        "endTime": end_time, "limit": limit, "fromID": from_id}, _order_history)

    async def account_trades(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        order_id: Optional[int] = None, start_time: Optional[int] = None, end_time: Optional[int] = None, limit:
        Optional[int] = None, from_id: Optional[int] = None,
    ) -> List[UserTrade]:
        """Trades of the account, newest first."""
        path = f"/api/v1/spot/accounts/{await self._session.user_of(user)}/trades"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "orderID": order_id,
        "startTime": start_time, "endTime": end_time, "limit": limit, "fromID": from_id}, _account_trades)

    async def place_orders(
        self, orders: Sequence[NewSpotOrder], *, account_id: Optional[int] = None,
    ) -> List[OrderResult]:
        """Places 1 to 100 orders as one uninterrupted unit; each succeeds or fails alone."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "orders": orders,
        }
        path = "/api/v1/spot/trade/orders/batch"
        action = Action("POST", path, "batchNewOrder", "spot")
        return _place_orders(await self._session.write(action, body))

    async def cancel_orders(
        self, cancels: Sequence[CancelSpotOrder], *, account_id: Optional[int] = None,
    ) -> List[OrderResult]:
        """Cancels 1 to 100 open orders."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "cancels": cancels,
        }
        path = "/api/v1/spot/trade/orders/batch"
        action = Action("DELETE", path, "batchCancelOrder", "spot")
        return _cancel_orders(await self._session.write(action, body))

    async def replace_orders(
        self, orders: Sequence[ReplaceOrder], *, account_id: Optional[int] = None,
    ) -> List[OrderResult]:
        """Changes price or quantity of 1 to 100 open limit orders; they keep their orderID."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "orders": orders,
        }
        path = "/api/v1/spot/trade/orders/replace"
        action = Action("POST", path, "replaceOrder", "spot")
        return _replace_orders(await self._session.write(action, body))

    async def schedule_cancel(
        self, *, account_id: Optional[int] = None, scheduled_timestamp: Optional[int] = None,
    ) -> None:
        """Cancels all open orders of the base at a time to come, or, without scheduledTimestamp, takes that back."""
        body = {
            "accountID": await self._session.account_of(account_id, True),
            "scheduledTimestamp": scheduled_timestamp,
        }
        path = "/api/v1/spot/trade/orders/schedule-cancel"
        action = Action("POST", path, "scheduleCancel", "spot")
        await self._session.write(action, body)

    async def transfer(
        self, id: int, to_account_id: int, coin_id: int, amount: Amount, type: TransferType, *, from_account_id:
        Optional[int] = None,
    ) -> TransferResult:
        """Moves money of an account: from spot to perps or to the EVM ledger of its owner, from perps to spot."""
        body = {
            "id": id,
            "fromAccountID": await self._session.account_of(from_account_id),
            "toAccountID": to_account_id,
            "coinID": coin_id,
            "amount": maybe_amount(amount),
            "type": type,
        }
        path = "/api/v1/spot/accounts/transfers"
        action = Action("POST", path, "transferAsset", "spot")
        return _transfer(await self._session.write(action, body))

    async def add_api_key(
        self, name: str, type: KeyType, public_key: str, expires_at: int, *, account_id: Optional[int] = None,
        permissions: Optional[int] = None,
    ) -> None:
        """Registers an API key for both bases."""
        body = {
            "accountID": await self._session.account_of(account_id, True),
            "name": name,
            "type": type,
            "publicKey": public_key,
            "expiresAt": expires_at,
            "permissions": permissions,
        }
        path = "/api/v1/spot/accounts/api-keys"
        action = Action("POST", path, "addAPIKey", "universal")
        await self._session.write(action, body)

    async def revoke_api_key(self, name: str, *, account_id: Optional[int] = None) -> None:
        """Revokes an API key on both bases; its resting orders stay."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "name": name,
        }
        path = "/api/v1/spot/accounts/api-keys"
        action = Action("DELETE", path, "revokeAPIKey", "spot")
        await self._session.write(action, body)
