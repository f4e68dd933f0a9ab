# SPDX-License-Identifier: MIT
# Made from the module of the same name in _async; do not edit.
"""Single orders by the names of their symbols, which raise where the exchange refuses them."""
from __future__ import annotations

import secrets
from typing import Any, Awaitable, Callable, Dict, List, Optional, Protocol, Union

from dojima._sync.perps_endpoints import PerpsEndpoints
from dojima._sync.session import Session
from dojima._sync.spot_endpoints import SpotEndpoints
from dojima.amount import Amount
from dojima.answers import OrderResult
from dojima.bodies import (
    CancelPerpsOrder, CancelSpotOrder, NewPerpsOrder, NewSpotOrder, OrderModifier, OrderType, PositionSide,
    ReplaceOrder, Side, StopType, TimeInForce, TriggerType,
)
from dojima.errors import ReplyLost, refusal

_HISTORY = 500


class _Row(Protocol):
    """What open orders and ended ones have in common."""

    @property
    def clOrdID(self) -> str: ...
    @property
    def orderID(self) -> int: ...
    @property
    def status(self) -> Any: ...


_Rows = List[_Row]


def new_id() -> str:
    """A clOrdID that was not used before."""
    return secrets.token_hex(12)


def succeeded(result: OrderResult) -> OrderResult:
    """The result of an item, or its refusal as an exception."""
    if result.code != 0:
        details = {} if result.details is None else {k: v for k, v in vars(result.details).items() if v is not None}
        raise refusal(result.code, result.error or "", details)
    return result


def found_again(read: Callable[[], _Rows], client_id: str, lost: ReplyLost) -> OrderResult:
    """The result of an order whose reply was lost, by its clOrdID, which is used once; else `lost` is raised. So it is
    when the read fails: what that raises would say that the order was not executed."""
    if lost.succeeded is False:
        raise lost
    try:
        rows = read()
    except Exception as error:
        raise lost from error
    for row in rows:
        if row.clOrdID == client_id:
            return OrderResult(code=0, clOrdID=client_id, orderID=row.orderID, status=row.status)
    raise lost


def _chosen(price: Optional[Amount], time_in_force: Optional[TimeInForce]) -> Dict[str, Any]:
    kind = OrderType.MARKET if price is None else OrderType.LIMIT
    return {"type": kind, "timeInForce": time_in_force or (TimeInForce.IOC if price is None else TimeInForce.GTC)}


class Spot(SpotEndpoints):
    """The spot side: all its endpoints, and orders by the name of a symbol."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._ids: Dict[str, int] = {}

    def symbol_id(self, symbol: str) -> int:
        """The number of a symbol, asked for once."""
        if symbol not in self._ids:
            self._ids = {row.name: row.id for row in self.symbols()}
        if symbol not in self._ids:
            raise refusal(40401, "symbol not found", {"field": "symbol", "got": symbol})
        return self._ids[symbol]

    def _records(self, symbol: str) -> _Rows:
        """Open orders and ended ones, in this order: one that ends between the two reads is in the second."""
        return [*(self.orders(symbol=symbol)).orders,
                *self.order_history(symbol=symbol, limit=_HISTORY)]

    def order(
        self, symbol: str, side: Side, quantity: Optional[Amount] = None, price: Optional[Amount] = None, *,
        funds: Optional[Amount] = None, time_in_force: Optional[TimeInForce] = None, client_id: Optional[str] = None,
    ) -> OrderResult:
        """A limit order (GTC), or a market order (IOC) where no price is given. Raises Refused."""
        name = client_id or new_id()
        order = NewSpotOrder(symbolID=self.symbol_id(symbol), clOrdID=name, side=side, price=price,
                             quantity=quantity, funds=funds, **_chosen(price, time_in_force))
        try:
            return succeeded((self.place_orders([order]))[0])
        except ReplyLost as lost:
            return found_again(lambda: self._records(symbol), name, lost)

    def buy(self, symbol: str, quantity: Optional[Amount] = None, price: Optional[Amount] = None, *,
                  funds: Optional[Amount] = None, time_in_force: Optional[TimeInForce] = None,
                  client_id: Optional[str] = None) -> OrderResult:
        """Buys: see order. A market order may say `funds`, what to spend, in place of the quantity."""
        return self.order(symbol, Side.BUY, quantity, price, funds=funds, time_in_force=time_in_force,
                                client_id=client_id)

    def sell(self, symbol: str, quantity: Amount, price: Optional[Amount] = None, *,
                   time_in_force: Optional[TimeInForce] = None, client_id: Optional[str] = None) -> OrderResult:
        """Sells: see order."""
        return self.order(symbol, Side.SELL, quantity, price, time_in_force=time_in_force, client_id=client_id)

    def cancel(self, symbol: str, order: Union[int, str]) -> OrderResult:
        """Cancels an order by its number or its clOrdID. Raises Refused."""
        target: Dict[str, Any] = {"orderID": order} if isinstance(order, int) else {"origClOrdID": order}
        name = new_id()
        item = CancelSpotOrder(symbolID=self.symbol_id(symbol), clOrdID=name, **target)
        try:
            return succeeded((self.cancel_orders([item]))[0])
        except ReplyLost as lost:
            if not lost.succeeded:
                raise
            return OrderResult(code=0, clOrdID=name, status="CANCELED")

    def replace(self, symbol: str, order: Union[int, str], *, price: Optional[Amount] = None,
                      quantity: Optional[Amount] = None) -> OrderResult:
        """Gives an order another price or quantity. Raises Refused."""
        item = replacement(self.symbol_id(symbol), order, price, quantity)
        return succeeded((self.replace_orders([item]))[0])


def replacement(symbol_id: int, order: Union[int, str], price: Optional[Amount],
                quantity: Optional[Amount]) -> ReplaceOrder:
    """The item of a replace."""
    target: Dict[str, Any] = {"origOrderID": order} if isinstance(order, int) else {"origClOrdID": order}
    return ReplaceOrder(symbolID=symbol_id, clOrdID=new_id(), price=price, quantity=quantity, **target)


def perps_order(
    side: Side, quantity: Optional[Amount] = None, price: Optional[Amount] = None, *, funds: Optional[Amount] = None,
    time_in_force: Optional[TimeInForce] = None, reduce_only: bool = False, client_id: Optional[str] = None,
    modifier: OrderModifier = OrderModifier.NORMAL,
) -> NewPerpsOrder:
    """An item for place_orders: a limit order (GTC), or a market order (IOC) where no price is given."""
    return NewPerpsOrder(clOrdID=client_id or new_id(), modifier=modifier, side=side, price=price, quantity=quantity,
                         funds=funds, reduceOnly=reduce_only, positionSide=PositionSide.BOTH,
                         **_chosen(price, time_in_force))


def perps_stop(
    side: Side, stop_type: StopType, stop_price: Amount, *, quantity: Optional[Amount] = None,
    price: Optional[Amount] = None, trigger: TriggerType = TriggerType.MARK_PRICE, reduce_only: bool = True,
    client_id: Optional[str] = None, modifier: OrderModifier = OrderModifier.STOP,
) -> NewPerpsOrder:
    """A take-profit or stop-loss for place_orders; without a quantity it closes the whole position."""
    return NewPerpsOrder(clOrdID=client_id or new_id(), modifier=modifier, side=side, price=price, quantity=quantity,
                         stopPrice=stop_price, stopType=stop_type, triggerType=trigger, reduceOnly=reduce_only,
                         positionSide=PositionSide.BOTH, **_chosen(price, None))


class Perps(PerpsEndpoints):
    """The perps side: all its endpoints, and orders by the name of a symbol."""

    def __init__(self, session: Session) -> None:
        super().__init__(session)
        self._ids: Dict[str, int] = {}

    def symbol_id(self, symbol: str) -> int:
        """The number of a symbol, asked for once."""
        if symbol not in self._ids:
            self._ids = {row.name: row.id for row in self.symbols()}
        if symbol not in self._ids:
            raise refusal(40401, "symbol not found", {"field": "symbol", "got": symbol})
        return self._ids[symbol]

    def _records(self, symbol: str) -> _Rows:
        """Open orders and ended ones, in this order: one that ends between the two reads is in the second."""
        return [*(self.orders(symbol=symbol)).orders,
                *self.order_history(symbol=symbol, limit=_HISTORY)]

    def place(self, symbol: str, order: NewPerpsOrder) -> OrderResult:
        """Places one order (perps_order, perps_stop). Raises Refused."""
        try:
            return succeeded((self.place_orders(self.symbol_id(symbol), [order]))[0])
        except ReplyLost as lost:
            return found_again(lambda: self._records(symbol), order.clOrdID, lost)

    def buy(self, symbol: str, quantity: Optional[Amount] = None, price: Optional[Amount] = None, *,
                  funds: Optional[Amount] = None, time_in_force: Optional[TimeInForce] = None,
                  reduce_only: bool = False, client_id: Optional[str] = None) -> OrderResult:
        """Buys: a limit order (GTC), or a market order (IOC) where no price is given. Raises Refused."""
        return self.place(symbol, perps_order(Side.BUY, quantity, price, funds=funds, client_id=client_id,
                                                    time_in_force=time_in_force, reduce_only=reduce_only))

    def sell(self, symbol: str, quantity: Amount, price: Optional[Amount] = None, *,
                   time_in_force: Optional[TimeInForce] = None, reduce_only: bool = False,
                   client_id: Optional[str] = None) -> OrderResult:
        """Sells: see buy."""
        return self.place(symbol, perps_order(Side.SELL, quantity, price, client_id=client_id,
                                                    time_in_force=time_in_force, reduce_only=reduce_only))

    def cancel(self, symbol: str, order: Union[int, str]) -> OrderResult:
        """Cancels an order by its number or its clOrdID. Raises Refused."""
        target: Dict[str, Any] = {"orderID": order} if isinstance(order, int) else {"clOrdID": order}
        item = CancelPerpsOrder(symbolID=self.symbol_id(symbol), **target)
        try:
            return succeeded((self.cancel_orders([item]))[0])
        except ReplyLost as lost:
            if not lost.succeeded:
                raise
            return OrderResult(code=0, clOrdID=order if isinstance(order, str) else "", status="CANCELED")

    def replace(self, symbol: str, order: Union[int, str], *, price: Optional[Amount] = None,
                      quantity: Optional[Amount] = None) -> OrderResult:
        """Gives an order another price or quantity. Raises Refused."""
        item = replacement(self.symbol_id(symbol), order, price, quantity)
        return succeeded((self.replace_orders([item]))[0])
