# SPDX-License-Identifier: MIT
# Made from the module of the same name in _async; do not edit.
# Made from the interface by `python3 -m generate`; do not edit.
"""Endpoints of the group process."""
from __future__ import annotations

from typing import Any

from dojima._sync.session import Group
from dojima.answers import Health, Ready, Version
from dojima.record import decoder

_health = decoder(Health)
_ready = decoder(Ready)
_version = decoder(Version)


class ProcessEndpoints(Group):
    """Endpoints of the group process, one method each."""

    def health(self) -> Health:
        """The process answers."""
        path = "/healthz"
        return self._session.read(path, {}, _health)

    def ready(self) -> Ready:
        """Replay is finished and the log is healthy; else status 503."""
        path = "/readyz"
        return self._session.read(path, {}, _ready)

    def version(self) -> Version:
        """Which program this is."""
        path = "/version"
        return self._session.read(path, {}, _version)

    def metrics(self) -> str:
        """Numbers for Prometheus, each with a sentence (docs/METRICS.md); for the addresses of the setting
        metrics."""
        path = "/metrics"
        return self._session.text(path, {})

    def openapi(self) -> Any:
        """This contract as OpenAPI 3.1."""
        path = "/openapi.json"
        return self._session.json(path, {})

    def page(self) -> str:
        """The terminal, for browsers; where it is not offered status 302 to /docs, with a line of description."""
        path = "/"
        return self._session.text(path, {})

    def docs(self) -> str:
        """This contract as a page that can send every request, signed ones too, where the terminal is served."""
        path = "/docs"
        return self._session.text(path, {})

    def docs_style(self) -> str:
        """How the pages of the program itself look."""
        path = "/docs/style.css"
        return self._session.text(path, {})

    def docs_settings(self) -> Any:
        """Chain ids; in development the accounts whose keys are public."""
        path = "/docs/settings.json"
        return self._session.json(path, {})
