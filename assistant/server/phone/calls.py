"""The calls of this process: the token that lets each call's socket in, and which calls have a socket."""

import asyncio
from hmac import compare_digest


class Calls:
    """The calls of this process, by Twilio's id of each. A call has one socket: the newest."""

    def __init__(self) -> None:
        self._tokens: dict[str, tuple[str, float]] = {}
        self._open: dict[str, asyncio.Event] = {}
        self._over: set[str] = set()

    def __len__(self) -> int:
        return len(self._open)

    def expect(self, call_sid: str, token: str, *, until: float, now: float) -> None:
        """The call's next socket will show this token. It is valid once, and until then, by a monotonic clock.

        An earlier token of the call is no longer valid.
        """
        self._tokens = {sid: known for sid, known in self._tokens.items() if known[1] > now}
        self._tokens[call_sid] = token, until

    def admit(self, call_sid: str, token: str, *, now: float) -> bool:
        """Whether a socket with this token is the call's; if so, the token is used up."""
        expected, until = self._tokens.get(call_sid, ("", 0.0))
        if not expected or now >= until or not compare_digest(expected.encode(), token.encode()):
            return False
        del self._tokens[call_sid]
        return True

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
