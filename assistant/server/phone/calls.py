"""Which calls have a socket just now: each has one, the newest."""

import asyncio


class Calls:
    """The calls of this process, by Twilio's id of each."""

    def __init__(self) -> None:
        self._open: dict[str, asyncio.Event] = {}
        self._over: set[str] = set()

    def __len__(self) -> int:
        return len(self._open)

    def enter(self, call_sid: str) -> asyncio.Event:
        """A socket has come for this call; what it gives is set when a newer one takes its place."""
        before = self._open.get(call_sid)
        if before is not None:
            before.set()
        self._over.discard(call_sid)
        replaced = self._open[call_sid] = asyncio.Event()
        return replaced

    def leave(self, call_sid: str, replaced: asyncio.Event) -> None:
        """The socket that was given this is gone."""
        if self._open.get(call_sid) is replaced:
            del self._open[call_sid]

    def end(self, call_sid: str) -> None:
        """We let the call end: its line is not to be taken up again."""
        self._over.add(call_sid)

    def was_ended(self, call_sid: str) -> bool:
        """Whether we did; said once."""
        ended = call_sid in self._over
        self._over.discard(call_sid)
        return ended
