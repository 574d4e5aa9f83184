"""Messages for operators about servers: connection errors, server logs, and changes.

Each is reported once.
"""

from collections.abc import Callable, Iterable, Mapping

import structlog

from assistant.mcp.approval import Changes
from assistant.ports import Clock


class Unreachable(Exception):
    """The reason why a connection failed or ended, for operators. It never contains a secret."""


class Unreadable(Exception):
    """The reason why an answer cannot be used, for the model. The call may still have had its effect.

    ``say`` is a clause for the customer.
    """

    def __init__(self, say: str, why: str) -> None:
        super().__init__(why)
        self.say = say


class SignInRefused(Unreachable):
    """The server does not accept the credential of the connection."""


log = structlog.get_logger(__name__)

_LINES = 20
_WITHIN_S = 60.0
_LONGEST = 300

_READ = 4_000
"""The bytes of a line that are read. It is more than the limit that is logged, so that secrets are found
completely."""


class ServerLogSink:
    """Writes a server's output to our log, with a limit of lines in each minute. Further lines are only
    counted.

    Args:
        server: the name of the server.
        secrets: texts that must not appear in the log.
        clock: measures the minutes.
    """

    def __init__(self, server: str, secrets: Iterable[str], clock: Clock) -> None:
        self._last = b""
        self._server, self._clock = server, clock
        # Longest first, because one secret may contain another.
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)
        self._since = clock.monotonic()
        self._written = self._unwritten = 0

    def note(self, event: str, line: bytes) -> None:
        """Log a line, or only count it if the limit is reached."""
        self._last = line
        if self._clock.monotonic() - self._since >= _WITHIN_S:
            self.close()
            self._since = self._clock.monotonic()
            self._written = 0
        if self._written >= _LINES:
            self._unwritten += 1
            return
        self._written += 1
        log.info(event, server=self._server, line=self.last)

    @property
    def last(self) -> str:
        """The last line, which may explain why the server ended, or "" if there is none."""
        text = self._last[:_READ].decode(errors="replace")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return "".join(sign if sign.isprintable() else " " for sign in text)[:_LONGEST].strip()

    def close(self) -> None:
        """Log how many lines were not logged."""
        if self._unwritten:
            log.info("mcp server said more", server=self._server, lines=self._unwritten)
            self._unwritten = 0


class StatusLog:
    """Logs a server's status, and passes it to ``tell``, which shows it to people.

    ``away`` is the reason why the server cannot be used now, or "" if it can be used.
    """

    def __init__(self, server: str, tell: Callable[[str], None]) -> None:
        self.away = ""
        self._server, self._tell = server, tell
        self._waiting = ""
        self._left_out: Mapping[str, str] = {}

    def is_away(self, why: str) -> None:
        """Report that the server cannot be used."""
        if why != self.away:
            log.warning("mcp server cannot be used", server=self._server, why=why)
            self._tell(f"{self._server} cannot be used: {why}")
        self.away = why

    def is_back(self) -> None:
        """Report that the server can be used, or can be used again."""
        if self.away:
            log.info("mcp server is back", server=self._server)
            self._tell(f"{self._server} is back")
        self.away = ""

    def leaves_out(self, left_out: Mapping[str, str]) -> None:
        """Report the tools that cannot be used, with the reasons. All others can be used."""
        for name, why in left_out.items():
            if self._left_out.get(name) != why:
                log.warning("mcp tool is left out", server=self._server, tool=name, why=why)
                self._tell(f"{self._server}: {name} is left out: {why}")
        self._left_out = left_out

    def waits(self, changes: Changes) -> None:
        """Report the tools that wait for approval, if there are any."""
        if changes and str(changes) != self._waiting:
            cure = f"assistant tools approve {self._server}"
            log.warning("mcp tools wait for approval", server=self._server, tools=str(changes), cure=cure)
            self._tell(f"{self._server}: {changes}; look at them with: {cure}")
        self._waiting = str(changes)
