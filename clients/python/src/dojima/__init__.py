# SPDX-License-Identifier: MIT
"""dojima: a whole exchange (spot and perps) in your tests, and a client for it.

    import dojima

    with dojima.start() as exchange:
        alice = exchange.connect(exchange.accounts[0])
        alice.spot.buy("vBTC_vUSDC", "0.5", price="99000")
"""
from __future__ import annotations

from dojima import answers, bodies, events, refusals
from dojima._async.client import AsyncClient
from dojima._async.streams import AsyncBook, AsyncStream, AsyncSubscription
from dojima._sync.client import Client
from dojima._sync.orders import perps_order, perps_stop
from dojima._sync.streams import LiveBook, Stream, Subscription
from dojima.amount import Amount
from dojima.bodies import (
    CancelPerpsOrder, CancelSpotOrder, MarginMode, NewPerpsOrder, NewSpotOrder, OrderModifier, OrderType, PositionSide,
    ReplaceOrder, Side, StopType, TimeInForce, TransferType, TriggerType,
)
from dojima.errors import (
    ConnectionLost, DojimaError, OutcomeUnknown, ProcessDied, ProtocolError, Refused, ReplyLost, RpcError, StartError,
)
from dojima.process import Account, Exchange, binary, start
from dojima.push import Push, StreamClosed, StreamOverflow, SubscriptionRefused
from dojima.record import Level
from dojima.signing import Signer

__all__ = [
    "Account", "Amount", "AsyncBook", "AsyncClient", "AsyncStream", "AsyncSubscription", "CancelPerpsOrder",
    "CancelSpotOrder", "Client", "ConnectionLost", "DojimaError", "Exchange", "Level", "LiveBook", "MarginMode",
    "NewPerpsOrder", "NewSpotOrder", "OrderModifier", "OrderType", "OutcomeUnknown", "PositionSide", "ProcessDied",
    "ProtocolError", "Push", "Refused", "ReplaceOrder", "ReplyLost", "RpcError", "Side", "Signer", "StartError",
    "StopType", "Stream", "StreamClosed", "StreamOverflow", "Subscription", "SubscriptionRefused", "TimeInForce",
    "TransferType", "TriggerType", "answers", "binary", "bodies", "events", "perps_order", "perps_stop", "refusals",
    "start",
]
