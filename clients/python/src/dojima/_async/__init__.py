# SPDX-License-Identifier: MIT
"""The asynchronous side of the client."""
