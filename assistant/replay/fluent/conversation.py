"""A conversation in Python: a customer speaks, and each turn is held to what is asserted of it at once.

def test_one_lookup_fails_and_the_other_is_told(customer: Conversation) -> None:
    turn = customer.says(
        "Check my appointments and billing",
        calls("list_upcoming_appointments", "get_open_invoices", first_ms=300),
        says("You're booked for Tuesday. I couldn't reach billing just now.", first_ms=300),
        tools={
            "list_upcoming_appointments": gives([{"starts": "2026-11-24T14:00"}], after_ms=200),
            "get_open_invoices": refuses("billing can't be reached"),
        },
    )
    turn.hears("Sure, I'll look up your appointments and check your billing.").within_ms(305)
    turn.overlap("list_upcoming_appointments", "get_open_invoices")
    turn.never(tool="cancel_appointment")
"""

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal

from assistant.replay.cassette import Cassette, Event, Limits, People, Turn, Who
from assistant.replay.checks.check import check
from assistant.replay.checks.rendering import marked
from assistant.replay.fluent.heard import HeardTurn
from assistant.replay.fluent.lines import Brings, Line
from assistant.replay.played import Played
from assistant.replay.player.replay import replay
from assistant.replay.player.stage import Stage
from assistant.replay.replies import Declared, Run

MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""When a conversation begins that was told nothing else."""


class Conversation:
    """A customer in a conversation of their own, on a virtual clock.

    Nothing is kept between two messages: each ``says`` plays the conversation from its beginning, which takes
    milliseconds and comes to the same bytes. Leaving the ``with`` block, or ``ends()``, holds all of it to what
    is looked at without being asked for: outcomes that nobody mentioned, repetition, claims, language, and
    whatever the script has left over.

    Args:
        stage: the prompts and tools.
        now: when it begins.
        customer: who speaks.
        declares: tools that the stage has not.
        limits: what a turn may take.
        people: those whom the customer can be handed over to.
        confirm_every_write: whether the decision model is trusted with side effects.
        about: what it shows, for the report.
    """

    def __init__(
        self,
        stage: Stage,
        *,
        now: datetime = MONDAY,
        customer: Who | None = None,
        declares: Sequence[Declared] = (),
        limits: Limits | None = None,
        people: People | None = None,
        confirm_every_write: bool = False,
        about: str = "A conversation",
    ) -> None:
        self._stage = stage
        self._turns: list[Turn] = []
        self._heard: list[HeardTurn] = []
        self._now, self._customer, self._declares = now, customer or Who(), tuple(declares)
        self._people = people
        self._limits, self._confirm, self._about = limits or Limits(), confirm_every_write, about

    def says(
        self,
        text: str,
        *replies: Line,
        tools: Mapping[str, Brings | Sequence[Brings]] | None = None,
        meanwhile: Sequence[Event] = (),
        button: Literal["yes", "no"] | None = None,
        spoken: bool = False,
        heard_up_to: str | None = None,
        locale: str | None = None,
        after_ms: int = 0,
        at_ms: int | None = None,
        barge_in_ms: int | None = None,
    ) -> HeardTurn:
        """Say something; gives what the customer hears, up to the end of the turn.

        Args:
            text: what is said.
            replies: what the models answer, in the order in which they are asked.
            tools: what each tool brings; several runs of one tool in their order.
            meanwhile: stops, cut lines and people: :func:`stops`, :func:`cut`, :func:`restarts`,
                :func:`person_accepts`, :func:`person_says`, :func:`person_ends`, :func:`person_declines`.
            button: the text is a button of the read-back.
            spoken: it is said aloud.
            heard_up_to: the last words of what the assistant speaks that were heard by then; "" for none.
            locale: the language of the page, where it changes.
            after_ms: how long after the turn before.
            at_ms: so long after the message before, answered or not.
            barge_in_ms: likewise, and stops what is being said.

        Raises:
            DeclarationError: a tool is called so by nobody.
        """
        turn = Turn(
            customer=text,
            button=button,
            spoken=spoken,
            heard_up_to=heard_up_to,
            locale=locale,
            after_ms=after_ms,
            at_ms=at_ms,
            barge_in_ms=barge_in_ms,
            replies=tuple(
                line.reply(first=place == 0 and button != "yes") for place, line in enumerate(replies)
            ),
            tools=_runs(tools or {}),
            meanwhile=tuple(meanwhile),
        )
        self._turns.append(turn)
        heard = HeardTurn(len(self._turns), self.cassette, self.played, self._stage)
        self._heard.append(heard)
        return heard

    @property
    def cassette(self) -> Cassette:
        """The conversation so far, as it would stand in a file."""
        turns = [
            turn if place >= len(self._heard) else self._heard[place].expecting(turn)
            for place, turn in enumerate(self._turns)
        ]
        return Cassette(
            about=self._about,
            now=self._now,
            customer=self._customer,
            declares=self._declares,
            limits=self._limits,
            people=self._people,
            confirm_every_write=self._confirm,
            turns=tuple(turns),
        )

    @property
    def played(self) -> Played:
        """What came of the conversation so far."""
        return replay(self.cassette, self._stage)

    def ends(self) -> None:
        """Hold the whole conversation to everything. Raises ``AssertionError`` with the conversation, marked.

        Not when something has failed already: once is enough.
        """
        if not self._turns or any(turn.failed for turn in self._heard):
            return
        cassette, played = self.cassette, self.played
        complaints = check(cassette, played, self._stage.book, self._stage.tools.specs)
        if complaints:
            raise AssertionError("\n" + marked(cassette, played, complaints))

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.ends()


def _runs(tools: Mapping[str, Brings | Sequence[Brings]]) -> tuple[Run, ...]:
    each = ((tool, [brings] if isinstance(brings, Brings) else brings) for tool, brings in tools.items())
    return tuple(one.run(tool) for tool, several in each for one in several)


def stops(*, at_ms: int | None = None, after: str | None = None) -> Event:
    """The customer presses stop, at a time or as soon as they read these words."""
    return Event(happens="stop", at_ms=at_ms, after=after)


def cut(for_ms: int, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """The line is cut, and the client is back after so long."""
    return Event(happens="disconnect", for_ms=for_ms, at_ms=at_ms, after=after)


def restarts(*, at_ms: int | None = None, after: str | None = None) -> Event:
    """The server ends in the middle and starts again."""
    return Event(happens="restart", at_ms=at_ms, after=after)


def person_accepts(name: str, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """A person of the company takes the conversation over."""
    return Event(happens="accepts", words=name, at_ms=at_ms, after=after)


def person_says(text: str, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """The person who has the conversation says something."""
    return Event(happens="person_says", words=text, at_ms=at_ms, after=after)


def person_ends(*, at_ms: int | None = None, after: str | None = None) -> Event:
    """The person gives the conversation back."""
    return Event(happens="person_ends", at_ms=at_ms, after=after)


def person_declines(why: str, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """Nobody can come."""
    return Event(happens="declines", words=why, at_ms=at_ms, after=after)
