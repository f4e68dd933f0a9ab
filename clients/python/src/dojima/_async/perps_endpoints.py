# SPDX-License-Identifier: MIT
# Made from the interface by `python3 -m generate`; do not edit.
"""Endpoints of the group perps."""
from __future__ import annotations

from typing import List, Optional, Sequence

from dojima._async.session import Action, AsyncGroup, quoted
from dojima.amount import Amount, maybe_amount
from dojima.answers import (
    APIKey, AccountLiquidation, BookTicker, FeeRate, IndexComposition, InsuranceFund, LeverageResult, Liquidation,
    LiquidationRank, MarkPriceTicker, MiniTicker, OrderBook, OrderResult, PerpsAccountBalance,
    PerpsAccountOpenOrder, PerpsAccountOpenPosition, PerpsCoin, PerpsOrder, PerpsSymbol, PerpsTicker,
    PerpsUserFunding, Position, RPCKline, Trade, TransferResult, UserTrade, WsPerpsState,
)
from dojima.bodies import CancelPerpsOrder, KeyType, MarginMode, NewPerpsOrder, ReplaceOrder, TransferType
from dojima.record import decoder

_orderbook = decoder(OrderBook)
_mini_tickers = decoder(List[MiniTicker])
_book_tickers = decoder(List[BookTicker])
_trades = decoder(List[Trade])
_symbols = decoder(List[PerpsSymbol])
_tickers = decoder(List[PerpsTicker])
_mark_prices = decoder(List[MarkPriceTicker])
_index_composition = decoder(List[IndexComposition])
_liquidations = decoder(List[Liquidation])
_liquidation_ranking = decoder(List[LiquidationRank])
_insurance_fund = decoder(InsuranceFund)
_klines = decoder(List[RPCKline])
_coins = decoder(List[PerpsCoin])
_balances = decoder(PerpsAccountBalance)
_orders = decoder(PerpsAccountOpenOrder)
_positions = decoder(PerpsAccountOpenPosition)
_state = decoder(WsPerpsState)
_api_keys = decoder(List[APIKey])
_fee_rate = decoder(FeeRate)
_order_history = decoder(List[PerpsOrder])
_position_history = decoder(List[Position])
_fundings = decoder(List[PerpsUserFunding])
_account_liquidations = decoder(List[AccountLiquidation])
_account_trades = decoder(List[UserTrade])
_place_orders = decoder(List[OrderResult])
_cancel_orders = decoder(List[OrderResult])
_replace_orders = decoder(List[OrderResult])
_set_leverage = decoder(LeverageResult)
_transfer = decoder(TransferResult)


class AsyncPerpsEndpoints(AsyncGroup):
    """Endpoints of the group perps, one method each."""

    async def orderbook(self, symbol: str, *, limit: Optional[int] = None) -> OrderBook:
        """The best levels of a symbol's book."""
        path = f"/api/v1/perps/markets/{quoted(symbol)}/orderbook"
        return await self._session.read(path, {"limit": limit}, _orderbook)

    async def mini_tickers(self, *, symbol: Optional[str] = None) -> List[MiniTicker]:
        """Statistics of the last 24 hours in few keys, of all symbols or one."""
        path = "/api/v1/perps/markets/miniTickers"
        return await self._session.read(path, {"symbol": symbol}, _mini_tickers)

    async def book_tickers(self, *, symbol: Optional[str] = None) -> List[BookTicker]:
        """The best level of each side, of all symbols or one."""
        path = "/api/v1/perps/markets/bookTickers"
        return await self._session.read(path, {"symbol": symbol}, _book_tickers)

    async def trades(self, symbol: str, *, limit: Optional[int] = None) -> List[Trade]:
        """The newest trades of a symbol, newest first."""
        path = f"/api/v1/perps/markets/{quoted(symbol)}/trades"
        return await self._session.read(path, {"limit": limit}, _trades)

    async def symbols(self, *, symbol: Optional[str] = None) -> List[PerpsSymbol]:
        """Listed contracts, all or one by name."""
        path = "/api/v1/perps/markets/symbols"
        return await self._session.read(path, {"symbol": symbol}, _symbols)

    async def tickers(self, *, symbol: Optional[str] = None) -> List[PerpsTicker]:
        """Statistics of the last 24 hours, the best prices, index, mark and funding, of all symbols or one."""
        path = "/api/v1/perps/markets/tickers"
        return await self._session.read(path, {"symbol": symbol}, _tickers)

    async def mark_prices(self, *, symbol: Optional[str] = None) -> List[MarkPriceTicker]:
        """Index and mark price, funding and open interest, of all symbols or one."""
        path = "/api/v1/perps/markets/mark-prices"
        return await self._session.read(path, {"symbol": symbol}, _mark_prices)

    async def index_composition(self, *, symbol: Optional[str] = None) -> List[IndexComposition]:
        """The composition of index and mark: sources, weights, ages, states and prices held back, of all symbols or
        one."""
        path = "/api/v1/perps/markets/index-composition"
        return await self._session.read(path, {"symbol": symbol}, _index_composition)

    async def liquidations(
        self, *, symbol: Optional[str] = None, liquidation_id: Optional[int] = None, start_time: Optional[int] =
        None, end_time: Optional[int] = None, limit: Optional[int] = None, from_id: Optional[int] = None,
    ) -> List[Liquidation]:
        """Receipts of liquidations, newest first: every stage with everything it was decided by."""
        path = "/api/v1/perps/liquidations"
        return await self._session.read(path, {"symbol": symbol, "liquidationID": liquidation_id, "startTime":
        start_time, "endTime": end_time, "limit": limit, "fromID": from_id}, _liquidations)

    async def liquidation_ranking(
        self, receipt_id: int, *, from_rank: Optional[int] = None, limit: Optional[int] = None,
    ) -> List[LiquidationRank]:
        """The whole ranking that an ADL used, best first: accounts in order, their groups, and the shares."""
        path = "/api/v1/perps/liquidations/ranking"
        return await self._session.read(path, {"receiptID": receipt_id, "fromRank": from_rank, "limit": limit},
        _liquidation_ranking)

    async def insurance_fund(self) -> InsuranceFund:
        """The insurance fund: balance, inventory, limits, what of the day's budget is used, and the last 30 days."""
        path = "/api/v1/perps/insurance-fund"
        return await self._session.read(path, {}, _insurance_fund)

    async def klines(
        self, symbol: str, interval: str, *, start_time: Optional[int] = None, end_time: Optional[int] = None,
        limit: Optional[int] = None,
    ) -> List[RPCKline]:
        """Bars of a symbol, oldest first, the open one included; they begin with the first trade, and gaps repeat the
        close."""
        path = f"/api/v1/perps/markets/{quoted(symbol)}/klines"
        return await self._session.read(path, {"interval": interval, "startTime": start_time, "endTime": end_time,
        "limit": limit}, _klines)

    async def coins(self, *, coin: Optional[str] = None) -> List[PerpsCoin]:
        """Listed coins as collateral, all or one by name."""
        path = "/api/v1/perps/markets/coins"
        return await self._session.read(path, {"coin": coin}, _coins)

    async def balances(self, *, user: Optional[str] = None, account_id: Optional[int] = None) -> PerpsAccountBalance:
        """Balances of every coin the perps wallet ever held."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/balances"
        return await self._session.read(path, {"accountID": account_id}, _balances)

    async def orders(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None, limit:
        Optional[int] = None,
    ) -> PerpsAccountOpenOrder:
        """Open orders and stops that wait, newest first."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/orders"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "limit": limit}, _orders)

    async def positions(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None, limit:
        Optional[int] = None,
    ) -> PerpsAccountOpenPosition:
        """Open positions, newest first, of all symbols or one."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/positions"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "limit": limit},
        _positions)

    async def state(self, *, user: Optional[str] = None, account_id: Optional[int] = None) -> WsPerpsState:
        """Ids, margins, balances, open orders and positions of one instant."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/state"
        return await self._session.read(path, {"accountID": account_id}, _state)

    async def api_keys(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, name: Optional[str] = None,
    ) -> List[APIKey]:
        """API keys of the account, oldest first, all or one by name; they sign on both bases."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/api-keys"
        return await self._session.read(path, {"accountID": account_id, "name": name}, _api_keys)

    async def fee_rate(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
    ) -> FeeRate:
        """Fee rates of the user; with a symbol, those that hold there."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/fee-rate"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol}, _fee_rate)

    async def order_history(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        start_time: Optional[int] = None, end_time: Optional[int] = None, limit: Optional[int] = None, from_id:
        Optional[int] = None,
    ) -> List[PerpsOrder]:
        """Orders that ended, by the time of their end, newest first."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/orders/history"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "startTime": start_time,
        "endTime": end_time, "limit": limit, "fromID": from_id}, _order_history)

    async def position_history(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        start_time: Optional[int] = None, end_time: Optional[int] = None, limit: Optional[int] = None, from_id:
        Optional[int] = None,
    ) -> List[Position]:
        """Positions that were closed, by the time of their end, newest first."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/positions/history"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "startTime": start_time,
        "endTime": end_time, "limit": limit, "fromID": from_id}, _position_history)

    async def fundings(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        position_id: Optional[int] = None, start_time: Optional[int] = None, end_time: Optional[int] = None, limit:
        Optional[int] = None,
    ) -> List[PerpsUserFunding]:
        """What positions paid (above 0) or got (below 0) at each hour, newest first."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/fundings"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "positionID": position_id,
        "startTime": start_time, "endTime": end_time, "limit": limit}, _fundings)

    async def account_liquidations(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        liquidation_id: Optional[int] = None, start_time: Optional[int] = None, end_time: Optional[int] = None,
        limit: Optional[int] = None, from_id: Optional[int] = None,
    ) -> List[AccountLiquidation]:
        """Receipts of liquidations that the account was in, newest first: its own, and those in which it was
        deleveraged."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/liquidations"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "liquidationID":
        liquidation_id, "startTime": start_time, "endTime": end_time, "limit": limit, "fromID": from_id},
        _account_liquidations)

    async def account_trades(
        self, *, user: Optional[str] = None, account_id: Optional[int] = None, symbol: Optional[str] = None,
        order_id: Optional[int] = None, start_time: Optional[int] = None, end_time: Optional[int] = None, limit:
        Optional[int] = None, from_id: Optional[int] = None,
    ) -> List[UserTrade]:
        """Trades of the account, newest first."""
        path = f"/api/v1/perps/accounts/{await self._session.user_of(user)}/trades"
        return await self._session.read(path, {"accountID": account_id, "symbol": symbol, "orderID": order_id,
        "startTime": start_time, "endTime": end_time, "limit": limit, "fromID": from_id}, _account_trades)

    async def place_orders(
        self, symbol_id: int, orders: Sequence[NewPerpsOrder], *, account_id: Optional[int] = None,
    ) -> List[OrderResult]:
        """Places 1 to 100 orders in one symbol as one uninterrupted unit, each of which succeeds or fails alone; or
        an order with TP/SL, all or nothing."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "symbolID": symbol_id,
            "orders": orders,
        }
        path = "/api/v1/perps/trade/orders"
        action = Action("POST", path, "newOrder", "futures")
        return _place_orders(await self._session.write(action, body))

    async def cancel_orders(
        self, cancels: Sequence[CancelPerpsOrder], *, account_id: Optional[int] = None,
    ) -> List[OrderResult]:
        """Cancels 1 to 100 open orders, TP/SL orders included."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "cancels": cancels,
        }
        path = "/api/v1/perps/trade/orders"
        action = Action("DELETE", path, "cancelOrder", "futures")
        return _cancel_orders(await self._session.write(action, body))

    async def replace_orders(
        self, orders: Sequence[ReplaceOrder], *, account_id: Optional[int] = None,
    ) -> List[OrderResult]:
        """Changes price or quantity of 1 to 100 open limit orders; they keep their orderID."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "orders": orders,
        }
        path = "/api/v1/perps/trade/orders/replace"
        action = Action("POST", path, "replaceOrder", "futures")
        return _replace_orders(await self._session.write(action, body))

    async def modify_order(
        self, symbol_id: int, *, account_id: Optional[int] = None, order_id: Optional[int] = None, cl_ord_id:
        Optional[str] = None, price: Optional[Amount] = None, quantity: Optional[Amount] = None, stop_price:
        Optional[Amount] = None,
    ) -> None:
        """Changes price, quantity or stop price of a TP/SL order that has not triggered."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "symbolID": symbol_id,
            "orderID": order_id,
            "clOrdID": cl_ord_id,
            "price": maybe_amount(price),
            "quantity": maybe_amount(quantity),
            "stopPrice": maybe_amount(stop_price),
        }
        path = "/api/v1/perps/trade/orders/modify"
        action = Action("POST", path, "modifyOrder", "futures")
        await self._session.write(action, body)

    async def schedule_cancel(
        self, *, account_id: Optional[int] = None, scheduled_timestamp: Optional[int] = None,
    ) -> None:
        """Cancels all open orders of the base at a time to come, or, without scheduledTimestamp, takes that back."""
        body = {
            "accountID": await self._session.account_of(account_id, True),
            "scheduledTimestamp": scheduled_timestamp,
        }
        path = "/api/v1/perps/trade/orders/schedule-cancel"
        action = Action("POST", path, "scheduleCancel", "futures")
        await self._session.write(action, body)

    async def set_leverage(
        self, symbol_id: int, leverage: int, margin_mode: MarginMode, *, account_id: Optional[int] = None,
    ) -> LeverageResult:
        """Sets leverage and margin mode of a symbol in which the account has neither orders nor a position."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "symbolID": symbol_id,
            "leverage": leverage,
            "marginMode": margin_mode,
        }
        path = "/api/v1/perps/trade/leverage"
        action = Action("POST", path, "updateLeverage", "futures")
        return _set_leverage(await self._session.write(action, body))

    async def set_margin(self, symbol_id: int, amount: Amount, *, account_id: Optional[int] = None) -> None:
        """Adds margin to an isolated position, or takes some out."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "symbolID": symbol_id,
            "amount": maybe_amount(amount),
        }
        path = "/api/v1/perps/trade/margin"
        action = Action("POST", path, "updateMargin", "futures")
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
        path = "/api/v1/perps/accounts/transfers"
        action = Action("POST", path, "transferAsset", "futures")
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
        path = "/api/v1/perps/accounts/api-keys"
        action = Action("POST", path, "addAPIKey", "universal")
        await self._session.write(action, body)

    async def revoke_api_key(self, name: str, *, account_id: Optional[int] = None) -> None:
        """Revokes an API key on both bases; its resting orders stay."""
        body = {
            "accountID": await self._session.account_of(account_id),
            "name": name,
        }
        path = "/api/v1/perps/accounts/api-keys"
        action = Action("DELETE", path, "revokeAPIKey", "futures")
        await self._session.write(action, body)
