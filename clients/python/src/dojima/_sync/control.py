# SPDX-License-Identifier: MIT
# Made from the module of the same name in _async; do not edit.
"""Power over a development exchange: money, prices, time, snapshots, faults (docs/development.md)."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from dojima._sync.http import pause
from dojima._sync.session import Session
from dojima.amount import Amount, amount_text


class Control:
    """Methods of /rpc of `dojima dev`. Each is answered when it is durable; RpcError says what is refused."""

    def __init__(self, session: Session) -> None:
        self._session = session

    def call(self, method: str, *parameters: Any) -> Any:
        """Any method of /rpc by its name."""
        return self._session.rpc(method, *parameters)

    def deposit(self, address: str, coin: str, amount: Amount, engine: str = "spot") -> int:
        """Credits an address, and opens its account with the first deposit. Gives the account id."""
        found = self.call("dojima_deposit", {"address": address, "coin": coin, "amount": amount_text(amount),
                                                   "engine": engine})
        return int(found["accountID"])

    def set_balance(self, address: str, coin: str, amount: Amount, engine: str = "spot") -> None:
        """The balance becomes the amount; what orders and positions need cannot be taken."""
        self.call("dojima_setBalance", {"address": address, "coin": coin, "amount": amount_text(amount),
                                              "engine": engine})

    def set_index_price(self, symbol: str, price: Amount) -> None:
        """The index price of a perps symbol from the next second on; it silences the built-in feeder."""
        self.call("dojima_setIndexPrice", {"symbol": symbol, "price": amount_text(price)})

    def snapshot(self, name: Optional[str] = None) -> str:
        """A snapshot to go back to, any number of times; gives its number."""
        return str(self.call("evm_snapshot", *([] if name is None else [name])))

    def revert(self, snapshot: Union[str, int]) -> None:
        """Everything is as it was at the snapshot, which stays."""
        self.call("evm_revert", snapshot)

    def reset(self) -> None:
        """Everything is as it was at the beginning."""
        self.call("anvil_reset")

    def increase_time(self, seconds: int) -> None:
        """Time advances; what falls due on the way happens."""
        self.call("evm_increaseTime", seconds)

    def step(self, milliseconds: int) -> int:
        """The same in milliseconds; gives engine time, Unix ms."""
        return int(self.call("dojima_step", milliseconds))

    def set_clock(self, rate: Amount) -> None:
        """How fast time runs: 1 like the wall clock, 0 stands."""
        self.call("dojima_setClock", amount_text(rate))

    def mine(self) -> None:
        """A second's work now: marks, funding samples, stops, liquidations."""
        self.call("evm_mine")

    def funding_now(self) -> int:
        """Time advances to the next whole hour, which settles funding; gives that time, Unix ms."""
        return int((self.call("dojima_fundingNow"))["fundingTime"])

    def clear(self) -> None:
        """Ends what a revert leaves: rules of faults, impersonated addresses, a scenario that plays, another rate of
        the clock than at the start."""
        while not self.call("dojima_clear"):
            pause(0.005)      # the scenario ends

    def halt(self, symbol: str) -> None:
        """Halts a symbol."""
        self.call("dojima_halt", {"symbol": symbol})

    def resume(self, symbol: str) -> None:
        """Lets a symbol trade again."""
        self.call("dojima_resume", {"symbol": symbol})

    def set_mode(self, mode: str) -> None:
        """RUN, CANCEL_ONLY or REDUCE_ONLY for the whole venue."""
        self.call("dojima_setMode", {"mode": mode})

    def chaos(self, fault: str, **keys: Any) -> int:
        """A rule of faults (docs/chaos.md), such as chaos("drop-reply", path="orders", count=1); gives its id."""
        return int((self.call("dojima_chaosAdd", {"fault": fault, **keys}))["id"])

    def chaos_list(self) -> List[Dict[str, Any]]:
        """All rules with what each has done."""
        return list(self.call("dojima_chaosList"))

    def chaos_remove(self, rule: int) -> None:
        """Ends a rule."""
        self.call("dojima_chaosRemove", rule)

    def chaos_clear(self) -> None:
        """Ends all rules."""
        self.call("dojima_chaosClear")

    def explain(self, method: str, path: str, headers: Dict[str, str], body: str) -> Dict[str, Any]:
        """The answer that a signed write would have now, and why; it is not done."""
        return dict(self.call("dojima_explainOrder",
                                    {"method": method, "path": path, "headers": headers, "body": body}))
