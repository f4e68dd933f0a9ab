# SPDX-License-Identifier: MIT
"""What can go wrong: the exchange refuses, it cannot be reached, or it says what is not of the interface."""
from __future__ import annotations

from typing import Any, Dict, Optional


class DojimaError(Exception):
    """Every exception of this package."""


class StartError(DojimaError):
    """The exchange could not be started; the text says why."""


class ProcessDied(DojimaError):
    """The exchange that this program had started ended by itself; the text has its exit code and its last lines."""


class ConnectionLost(DojimaError):
    """The exchange cannot be reached, or the connection ended before an answer came."""

    sent = True     # False: no byte of the request left this program


class ProtocolError(DojimaError):
    """An answer that is not of this interface."""


class OutcomeUnknown(DojimaError):
    """No answer came in time: the write was executed or was not. `request` can be sent again as it is."""

    def __init__(self, text: str, request: Any = None) -> None:
        super().__init__(text)
        self.request = request


class ReplyLost(DojimaError):
    """The write was executed once, but its reply was lost, and its results cannot be read again as a whole.

    `succeeded`: whether at least one item did; None where the receipt cannot be read. The transaction says when; orders
    and histories say which.
    """

    def __init__(self, transaction: str, block: int, index: int, succeeded: Optional[bool]) -> None:
        said = {True: "at least one item succeeded", False: "no item succeeded", None: "its receipt cannot be read"}
        super().__init__(f"executed as transaction {transaction}, but the reply was lost; {said[succeeded]}")
        self.transaction, self.block, self.index, self.succeeded = transaction, block, index, succeeded


class RpcError(DojimaError):
    """An error of /rpc: its code, its text and its data."""

    def __init__(self, code: int, text: str, data: Any = None) -> None:
        super().__init__(f"{code}: {text}" + (f" ({data})" if data else ""))
        self.code, self.text, self.data = code, text, data


class Refused(DojimaError):
    """The exchange refuses, and nothing was executed. Subclasses are in dojima.refusals, one for each code."""

    def __init__(self, code: int, error: str, details: Optional[Dict[str, Any]] = None, status: int = 200) -> None:
        self.code, self.error, self.details, self.status = code, error, details or {}, status
        said = ", ".join(f"{key}: {value}" for key, value in self.details.items())
        super().__init__(f"{code} {error}" + (f" ({said})" if said else ""))

    @property
    def field(self) -> Optional[str]:
        """The key, parameter or header at fault."""
        return self.details.get("field")

    @property
    def rule(self) -> Optional[str]:
        """The rule that was not met."""
        return self.details.get("rule")

    @property
    def retry_after(self) -> Optional[int]:
        """Seconds until a refusal by a rate limit can be asked again."""
        return self.details.get("retry_after")


def refusal(code: int, error: str, details: Optional[Dict[str, Any]] = None, status: int = 200) -> Refused:
    """The exception of a code; Refused itself for a code that this package does not know."""
    from dojima.refusals import BY_CODE
    return BY_CODE.get(code, Refused)(code, error, details, status)
