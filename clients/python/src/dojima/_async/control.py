# SPDX-License-Identifier: MIT
"""Power over a development exchange: money, prices, time, snapshots, faults (docs/development.md)."""
from __future__ import annotations

from typing import Any, Dict, List, Optional, Union

from dojima._async.http import pause
from dojima._async.session import AsyncSession
from dojima.amount import Amount, amount_text


class AsyncControl:
    """Methods of /rpc of `dojima dev`. Each is answered when it is durable; RpcError says what is refused."""

    def __init__(self, session: AsyncSession) -> None:
        self._session = session

    async def call(self, method: str, *parameters: Any) -> Any:
        """Any method of /rpc by its name."""
        return await self._session.rpc(method, *parameters)

    async def deposit(self, address: str, coin: str, amount: Amount, engine: str = "spot") -> int:
        """Credits an address, and opens its account with the first deposit. Gives the account id."""
        found = await self.call("dojima_deposit", {"address": address, "coin": coin, "amount": amount_text(amount),
                                                   "engine": engine})
        return int(found["accountID"])

    async def set_balance(self, address: str, coin: str, amount: Amount, engine: str = "spot") -> None:
        """The balance becomes the amount; what orders and positions need cannot be taken."""
        await self.call("dojima_setBalance", {"address": address, "coin": coin, "amount": amount_text(amount),
                                              "engine": engine})

    async def set_index_price(self, symbol: str, price: Amount) -> None:
        """The index price of a perps symbol from the next second on; it silences the built-in feeder."""
        await self.call("dojima_setIndexPrice", {"symbol": symbol, "price": amount_text(price)})

    async def snapshot(self, name: Optional[str] = None) -> str:
        """A snapshot to go back to, any number of times; gives its number."""
        return str(await self.call("evm_snapshot", *([] if name is None else [name])))

    async def revert(self, snapshot: Union[str, int]) -> None:
        """Everything is as it was at the snapshot, which stays."""
        await self.call("evm_revert", snapshot)

    async def reset(self) -> None:
        """Everything is as it was at the beginning."""
        await self.call("anvil_reset")

    async def increase_time(self, seconds: int) -> None:
        """Time advances; what falls due on the way happens."""
        await self.call("evm_increaseTime", seconds)

    async def step(self, milliseconds: int) -> int:
        """The same in milliseconds; gives engine time, Unix ms."""
        return int(await self.call("dojima_step", milliseconds))

    async def set_clock(self, rate: Amount) -> None:
        """How fast time runs: 1 like the wall clock, 0 stands."""
        await self.call("dojima_setClock", amount_text(rate))

    async def mine(self) -> None:
        """A second's work now: marks, funding samples, stops, liquidations."""
        await self.call("evm_mine")

    async def funding_now(self) -> int:
        """Time advances to the next whole hour, which settles funding; gives that time, Unix ms."""
        return int((await self.call("dojima_fundingNow"))["fundingTime"])

    async def clear(self) -> None:
        """Ends what a revert leaves: rules of faults, impersonated addresses, a scenario that plays, another rate of
        the clock than at the start."""
        while not await self.call("dojima_clear"):
            await pause(0.005)      # the scenario ends

    async def halt(self, symbol: str) -> None:
        """Halts a symbol."""
        await self.call("dojima_halt", {"symbol": symbol})

    async def resume(self, symbol: str) -> None:
        """Lets a symbol trade again."""
        await self.call("dojima_resume", {"symbol": symbol})

    async def set_mode(self, mode: str) -> None:
        """RUN, CANCEL_ONLY or REDUCE_ONLY for the whole venue."""
        await self.call("dojima_setMode", {"mode": mode})

    async def chaos(self, fault: str, **keys: Any) -> int:
        """A rule of faults (docs/chaos.md), such as chaos("drop-reply", path="orders", count=1); gives its id."""
        return int((await self.call("dojima_chaosAdd", {"fault": fault, **keys}))["id"])

    async def chaos_list(self) -> List[Dict[str, Any]]:
        """All rules with what each has done."""
        return list(await self.call("dojima_chaosList"))

    async def chaos_remove(self, rule: int) -> None:
        """Ends a rule."""
        await self.call("dojima_chaosRemove", rule)

    async def chaos_clear(self) -> None:
        """Ends all rules."""
        await self.call("dojima_chaosClear")

    async def explain(self, method: str, path: str, headers: Dict[str, str], body: str) -> Dict[str, Any]:
        """The answer that a signed write would have now, and why; it is not done."""
        return dict(await self.call("dojima_explainOrder",
                                    {"method": method, "path": path, "headers": headers, "body": body}))
