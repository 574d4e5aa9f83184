"""One call, whoever hears and speaks: its keys, its being passed on, and its end."""

import json
from collections.abc import Callable, Sequence
from typing import Literal, Protocol, assert_never

import structlog

from assistant.conversation.entries import Logged
from assistant.ports import Clock
from assistant.prompts.phone import PhoneTold
from assistant.server.phone.alarm import Alarm
from assistant.server.phone.beside import OnThePhone
from assistant.server.phone.keys import Answered, Keyed, Keys, Pressed, WantsPerson
from assistant.server.phone.phone import Phone
from assistant.server.phone.putting_through import PuttingThrough
from assistant.voice.dictation import ExpectedInput

log = structlog.get_logger(__name__)


class CallLine(Protocol):
    """What hears and speaks on this call."""

    @property
    def asked(self) -> bool:
        """Whether a question is open that wants yes or no."""
        ...

    @property
    def expecting(self) -> ExpectedInput:
        """What the assistant has just asked for."""
        ...

    async def said(self, text: str) -> None:
        """The caller says this, by whatever means. Raises ``LogError``."""
        ...

    async def press(self, answer: Literal["yes", "no"]) -> None:
        """The caller answers the open question with a key. Raises ``LogError``."""
        ...


class Call:
    """Beside what is said on it.

    Args:
        leave: ends our part of the call; what it is given comes back to the route that is asked what next.
    """

    def __init__(
        self,
        call_sid: str,
        conversation: OnThePhone,
        phone: Phone,
        clock: Clock,
        *,
        locale: str,
        leave: Callable[[str], None],
    ) -> None:
        self._sid, self._conversation, self._phone, self._clock = call_sid, conversation, phone, clock
        self._locale, self._leave = locale, leave
        words = phone.book().render(PhoneTold(what="transfer"), locale)
        self._through = PuttingThrough(conversation, words, self._pass_on, clock)
        self._keys = Keys()
        self._pause, self._idle = Alarm(clock, self._paused), Alarm(clock, self._fell_silent)
        self._line: CallLine | None = None
        self._stop: list[Callable[[], None]] = []

    def start(self, line: CallLine) -> None:
        """Begin, over this line, which has started."""
        self._line = line
        if self._phone.transfer is not None:
            self._stop.append(self._conversation.listen(self._through.take))
        self._stop += [self._conversation.listen(self._take), self._conversation.begin()]
        self.alive()

    async def close(self) -> None:
        """The caller is gone."""
        for stop in self._stop:
            stop()
        for each in (self._pause, self._idle, self._through):
            await each.close()

    def alive(self) -> None:
        """Somebody says something: the call goes on."""
        self._idle.at(self._clock.monotonic() + self._phone.limits.idle_s)

    async def key(self, digit: str) -> None:
        """A key was pressed. Raises ``LogError``."""
        line = self._line
        if line is None:
            return
        self.alive()
        wanted = line.expecting == "digits"
        pressed = self._keys.press(digit, self._clock.monotonic(), asked=line.asked, wanted=wanted)
        await self._follow(pressed, line)
        self._pause.at(self._keys.due_s)

    async def _paused(self) -> None:
        if self._line is not None:
            await self._follow(self._keys.passes(self._clock.monotonic()), self._line)

    async def _follow(self, pressed: Pressed | None, line: CallLine) -> None:
        match pressed:
            case Answered(answer=answer):
                await line.press(answer)
            case Keyed(digits=digits):
                await line.said(digits)
            case WantsPerson():
                await line.said(self._asks_for_a_person())
            case None:
                pass
            case _:
                assert_never(pressed)

    def _asks_for_a_person(self) -> str:
        """What customers say who want one."""
        return self._phone.book().words(self._locale).handoff.examples[0]

    def _take(self, batch: Sequence[Logged]) -> None:
        if batch:
            self.alive()
        else:
            # Nothing is recorded any more: the line is cut, and the call is taken up again with what the log has.
            self._leave(json.dumps({"reason": "broken"}))

    def _pass_on(self) -> None:
        log.info("a call is passed on", call=self._sid)
        self._leave(json.dumps({"reason": "transfer"}))

    async def _fell_silent(self) -> None:
        log.info("a call is ended: nobody speaks", call=self._sid)
        self._phone.calls.end(self._sid)
        self._leave(json.dumps({"reason": "idle"}))
