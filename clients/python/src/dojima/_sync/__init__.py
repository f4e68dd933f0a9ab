# SPDX-License-Identifier: MIT
# Made from the module of the same name in _async; do not edit.
"""The synchronous side of the client."""
