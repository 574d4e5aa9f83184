"""What a server says beside its answers: into our log, at a bounded rate and without secrets."""

from collections.abc import Iterable

import structlog

from assistant.ports import Clock

log = structlog.get_logger(__name__)

_LINES = 20
_WITHIN_S = 60.0
_LONGEST = 300

_READ = 4_000
"""Bytes of a line that are looked at: a secret that begins among those that are written is found whole."""


class Murmur:
    """Writes a server's lines to the log: so many in a minute, and then how many there were beside.

    Args:
        server: whose lines they are.
        secrets: texts that must not stand in a log.
        clock: measures the minute.
    """

    def __init__(self, server: str, secrets: Iterable[str], clock: Clock) -> None:
        self._last = b""
        self._server, self._clock = server, clock
        # The longest first: one secret may hold another.
        self._secrets = sorted((secret for secret in secrets if secret), key=len, reverse=True)
        self._since = clock.monotonic()
        self._written = self._unwritten = 0

    def note(self, event: str, line: bytes) -> None:
        """Write a line, or count it."""
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
        """The last line, for whoever wonders why the server has ended; "" without any."""
        text = self._last[:_READ].decode(errors="replace")
        for secret in self._secrets:
            text = text.replace(secret, "***")
        return "".join(sign if sign.isprintable() else " " for sign in text)[:_LONGEST].strip()

    def close(self) -> None:
        """Say how many lines were not written."""
        if self._unwritten:
            log.info("mcp server said more", server=self._server, lines=self._unwritten)
            self._unwritten = 0
