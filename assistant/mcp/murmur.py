"""What a server says beside its answers: into our log, at a bounded rate and without secrets."""

from collections.abc import Iterable

import structlog

from assistant.ports import Clock

log = structlog.get_logger(__name__)

_LINES = 20
_WITHIN_S = 60.0
_LONGEST = 300


class Murmur:
    """Writes a server's lines to the log: so many in a minute, and then how many there were beside.

    Args:
        server: whose lines they are.
        secrets: texts that must not stand in a log.
        clock: measures the minute.

    Attributes:
        last: the last line, for whoever wonders why the server has ended.
    """

    def __init__(self, server: str, secrets: Iterable[str], clock: Clock) -> None:
        self.last = ""
        self._server, self._clock = server, clock
        # The longest first: one secret may hold another.
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)
        self._since = clock.monotonic()
        self._written = self._unwritten = 0

    def note(self, event: str, line: str) -> None:
        """Write a line, or count it."""
        self.last = self.without_secrets(line)[:_LONGEST]
        if self._clock.monotonic() - self._since >= _WITHIN_S:
            self.close()
            self._since = self._clock.monotonic()
            self._written = 0
        if self._written >= _LINES:
            self._unwritten += 1
            return
        self._written += 1
        log.info(event, server=self._server, line=self.last)

    def close(self) -> None:
        """Say how many lines were not written."""
        if self._unwritten:
            log.info("mcp server said more", server=self._server, lines=self._unwritten)
            self._unwritten = 0

    def without_secrets(self, text: str) -> str:
        """The text, with stars in the place of each secret."""
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return text
