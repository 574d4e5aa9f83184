"""Decides what is spoken, and when: messages, acknowledgements, and words that fill a silence.

``Telling`` follows the log. ``FirstWords`` and ``manner_of`` hold the two-second limit for the first words, and
decide how much of an acknowledgement is worth saying.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from assistant.conversation.entries import (
    CustomerSaid,
    HumanSaid,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.ports import Clock
from assistant.voice.playback import Saying, Words
from assistant.voice.speech_chunker import Piece, Pieces
from assistant.voice.tts_player import HeardNotes, Mouth
from assistant.voice.turn_progress import Progress

Manner: TypeAlias = Literal["whole", "short", "none"]

FIRST_WORDS_S = 2.0
"""Nobody waits longer than this for the first words, from the end of what they said."""

ON_ITS_WAY_S = 0.4
"""What it takes from words to the customer's ear, at most: speech is made, sent and begins to play."""

WORTH_IT_S = 2.0
"""For a wait that is as long, it is worth saying what is looked up."""

AsideWhat: TypeAlias = Literal["moment", "not_understood", "busy"]

_JUST_SAID_S = 3.0
"""So soon after "One moment." nobody says it again in other words."""


class FirstWords:
    """Waits with the customer.

    Args:
        late: called when the first words must be said now, whatever they are.
    """

    def __init__(self, clock: Clock, late: Callable[[], None]) -> None:
        self._clock, self._late = clock, late
        self._since = clock.monotonic()
        self._waiting: asyncio.Task[None] | None = None

    @property
    def silent_s(self) -> float:
        """So long ago the customer's last word was."""
        return self._clock.monotonic() - self._since

    @property
    def since(self) -> float:
        """When the customer's last word was."""
        return self._since

    def expect(self, since: float) -> None:
        """The customer has finished; their last word was at this moment of the clock's ``monotonic()``."""
        self.forget()
        self._since = since
        self._waiting = asyncio.create_task(self._wait())

    def forget(self) -> None:
        """Nobody waits any more."""
        if self._waiting is not None:
            self._waiting.cancel()
            self._waiting = None

    async def _wait(self) -> None:
        await self._clock.sleep(max(0.0, FIRST_WORDS_S - ON_ITS_WAY_S - self.silent_s))
        self._late()


@dataclass(slots=True, kw_only=True)
class _Draft:
    """A message that is being written. What is built from hints is held back until its kind is known."""

    saying: Saying
    pieces: Pieces
    held: bool
    ready: list[Piece] = field(default_factory=list[Piece])


class Telling:
    """The assistant's half of a line.

    Messages of the model's own words are spoken as they come. Others come all at once, but for the acknowledgement,
    which is built while the decision streams: only when it is complete is it known how long the wait will be.

    Args:
        word: what is said beside the conversation, in a locale.
        asked: is handed every answer when it is complete: it may ask for something.

    Attributes:
        speak: whether messages that begin from now on are spoken.
    """

    def __init__(
        self,
        mouth: Mouth,
        notes: HeardNotes,
        progress: Progress,
        clock: Clock,
        *,
        word: Callable[[AsideWhat, str], str],
        asked: Callable[[str], None] = lambda _: None,
    ) -> None:
        self.speak = True
        self._mouth, self._notes, self._progress, self._clock = mouth, notes, progress, clock
        self._word, self._asked = word, asked
        self._first_words = FirstWords(clock, self._late)
        self._drafts: dict[str, _Draft] = {}
        self._short_at = float("-inf")

    @property
    def leaves_silence(self) -> bool:
        """Whether tools are waited for, and all that could be said meanwhile has been said."""
        spoke = self._mouth.spoke_at > self._first_words.since
        return (
            self.speak
            and self._progress.tools_run
            and spoke
            and not self._mouth.busy
            and not self._mouth.held
        )

    def catch_up(self, entries: Sequence[Logged]) -> None:
        """What was said before anybody listened; only a message that is still open will be spoken."""
        complete = {each.entry.message_id for each in entries if isinstance(each.entry, MessageClosed)}
        for logged in entries:
            self._progress.take(logged, self._clock.monotonic())
            match logged.entry:
                case CustomerSaid(locale=locale):
                    self._mouth.locale = locale
                case MessageOpened(message_id=id_) | MessageText(message_id=id_) if id_ not in complete:
                    self._follow(logged)
                case _:
                    pass

    def take(self, batch: Sequence[Logged]) -> None:
        """The next entries that became durable."""
        for logged in batch:
            self._progress.take(logged, self._clock.monotonic())
            self._follow(logged)

    def expect(self, since: float) -> None:
        """The customer has finished at this moment, and waits for the first words."""
        if self.speak:
            self._first_words.expect(since)

    def aside(self, what: AsideWhat) -> str:
        """Say something that is no message of the conversation; gives its words."""
        text = self._word(what, self._mouth.locale)
        saying = Saying(message_id=None, text=text, kind="status", passing=what == "moment")
        if self.speak:
            self._mouth.say(Words(saying=saying, start=0, end=len(text), text=text))
        return text

    def hush(self) -> frozenset[str]:
        """Fall silent, now and for what is being written; gives the turns whose words were spoken."""
        self._first_words.forget()
        return self._mouth.clear()

    def close(self) -> None:
        """Nobody waits any more."""
        self._first_words.forget()

    def _follow(self, logged: Logged) -> None:
        entry = logged.entry
        match entry:
            case CustomerSaid():
                self._mouth.locale = entry.locale
                if not entry.spoken:
                    self.hush()
            case MessageOpened() if self.speak:
                self._open(logged.turn_id, entry)
            case MessageText() if entry.message_id in self._drafts:
                self._go_on(self._drafts[entry.message_id], entry.text)
            case MessageClosed() if entry.message_id in self._drafts:
                self._end(self._drafts.pop(entry.message_id), entry)
            case HumanSaid() if self.speak:
                self._somebody_said(entry)
            case _:
                pass

    def _open(self, turn_id: str, entry: MessageOpened) -> None:
        waiting_voice = entry.message_id.rpartition("/")[2].startswith("w")
        saying = Saying(message_id=entry.message_id, turn_id=turn_id, passing=waiting_voice)
        pieces = Pieces(self._mouth.locale)
        self._drafts[entry.message_id] = _Draft(saying=saying, pieces=pieces, held=not entry.own_words)
        self._notes.note(saying, 0)

    def _go_on(self, draft: _Draft, text: str) -> None:
        draft.saying.text += text
        draft.ready += draft.pieces.push(text)
        if not draft.held:
            self._tell(draft)

    def _end(self, draft: _Draft, entry: MessageClosed) -> None:
        saying = draft.saying
        saying.kind = entry.kind
        if entry.interrupted:
            self._mouth.cut(saying)
            return
        draft.ready += draft.pieces.close()
        if entry.kind == "response":
            self._asked(saying.text)
        elif draft.held or entry.kind == "acknowledgement":
            self._make_way(draft, entry)
        self._tell(draft)

    def _make_way(self, draft: _Draft, entry: MessageClosed) -> None:
        """It only says that it takes its time: as much of it as the wait is worth."""
        saying = draft.saying
        if saying.passing:
            saying.over = self._clock.monotonic() - self._short_at < _JUST_SAID_S
            return
        saying.passing = True
        if not draft.held:
            return  # the model's own words, which have begun
        answered = self._mouth.spoke_at > self._first_words.since
        expected_s = self._progress.expected_s(entry.call_ids)
        manner = manner_of(expected_s, self._first_words.silent_s, answered=answered)
        saying.over = manner != "whole"
        if manner == "short":
            self._moment()

    def _tell(self, draft: _Draft) -> None:
        ready, draft.ready = draft.ready, []
        saying = draft.saying
        for piece in ready:
            self._mouth.say(Words(saying=saying, start=piece.start, end=piece.end, text=piece.text))
        if ready and not saying.passing and not saying.over:
            self._progress.answered(self._clock.monotonic())
            self._mouth.give_way()

    def _somebody_said(self, entry: HumanSaid) -> None:
        saying = Saying(message_id=entry.message_id, text=entry.text, kind="response", noted=False)
        pieces = Pieces(self._mouth.locale)
        ready = [*pieces.push(entry.text), *pieces.close()]
        self._tell(_Draft(saying=saying, pieces=pieces, held=False, ready=ready))

    def _late(self) -> None:
        if (
            self._progress.turn_id
            and not self._mouth.busy
            and self._mouth.spoke_at <= self._first_words.since
        ):
            self._moment()

    def _moment(self) -> None:
        if self._short_at < self._first_words.since:
            self._short_at = self._clock.monotonic()
            self.aside("moment")


def manner_of(expected_s: float, silent_s: float, *, answered: bool = False) -> Manner:
    """How to acknowledge, when the answer is expected in so many seconds.

    ``silent_s``: so long ago the customer's last word was. ``answered``: something was said since.

    >>> manner_of(3.0, 0.5), manner_of(1.5, 0.5), manner_of(0.5, 0.5)
    ('whole', 'short', 'none')
    >>> manner_of(1.5, 0.5, answered=True)
    'none'
    """
    if expected_s >= WORTH_IT_S:
        return "whole"
    if answered or silent_s + expected_s + ON_ITS_WAY_S <= FIRST_WORDS_S:
        return "none"
    return "short"
