"""What operators are told of a server: each thing once, and again only when it is another."""

from collections.abc import Callable, Mapping

import structlog

from assistant.mcp.changes import Changes

log = structlog.get_logger(__name__)


class News:
    """Writes a server's news to the log, and hands them to whoever wants to ``tell`` them to people.

    ``away`` is why the server cannot be used just now; "" while it can.
    """

    def __init__(self, server: str, tell: Callable[[str], None]) -> None:
        self.away = ""
        self._server, self._tell = server, tell
        self._waiting = ""
        self._left_out: Mapping[str, str] = {}

    def is_away(self, why: str) -> None:
        """The server cannot be used."""
        if why != self.away:
            log.warning("mcp server cannot be used", server=self._server, why=why)
            self._tell(f"{self._server} cannot be used: {why}")
        self.away = why

    def is_back(self) -> None:
        """The server can be used, perhaps again."""
        if self.away:
            log.info("mcp server is back", server=self._server)
            self._tell(f"{self._server} is back")
        self.away = ""

    def leaves_out(self, left_out: Mapping[str, str]) -> None:
        """These tools cannot be used, for these reasons; all others can."""
        for name, why in left_out.items():
            if self._left_out.get(name) != why:
                log.warning("mcp tool is left out", server=self._server, tool=name, why=why)
                self._tell(f"{self._server}: {name} is left out: {why}")
        self._left_out = left_out

    def waits(self, changes: Changes) -> None:
        """These tools wait for approval, if any do."""
        if changes and str(changes) != self._waiting:
            cure = f"assistant tools approve {self._server}"
            log.warning("mcp tools wait for approval", server=self._server, tools=str(changes), cure=cure)
            self._tell(f"{self._server}: {changes}; look at them with: {cure}")
        self._waiting = str(changes)
