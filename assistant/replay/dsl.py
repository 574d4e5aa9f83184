"""Conversations as tests in Python: the customer's messages, the answers of models and tools, and assertions.

Begin with `Conversation`. The pytest fixture `customer` provides one.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from types import TracebackType
from typing import Literal, TypeAlias, TypedDict, Unpack

from assistant.conversation.entries import HandoffState, ModelRole
from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.values import HowTurnEnded, Json, JsonObject, MessageKind
from assistant.replay.cassette import Cassette, Event, Limits, People, Turn, Who
from assistant.replay.checks.check import check
from assistant.replay.checks.rendering import render_transcript
from assistant.replay.expectations import Check, Expectations, ExpectedCall, Hears, Never
from assistant.replay.played import Played, scenes_of
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.player.play import replay
from assistant.replay.replies import Called, Declared, Ending, Reply, Run
from assistant.testing.scene import scene

ScriptedReply: TypeAlias = Callable[[ModelRole], Reply]
"""Makes the reply for a role: the decider's for the first reply of a turn, the narrator's for the others."""

ToolBehaviour: TypeAlias = Mapping[str, Json]
"""The behaviour of one run of a tool, with the keys of a cassette."""


class ReplyOptions(TypedDict, total=False):
    """The times of a reply's pieces, its ending, and its role."""

    first_ms: int
    each_ms: int
    ends: Ending
    role: ModelRole


def says(text: str, **options: Unpack[ReplyOptions]) -> ScriptedReply:
    """Returns a reply of text: the first word after ``first_ms``, each other word ``each_ms`` later."""
    return calls(text=text, **options)


def calls(
    *tools: str | tuple[str, JsonObject], text: str = "", **options: Unpack[ReplyOptions]
) -> ScriptedReply:
    """Returns a reply of tool calls, each a name or a name with its arguments. ``text`` comes before them."""
    called = tuple(
        Called(tool=tool) if isinstance(tool, str) else Called(tool=tool[0], arguments=tool[1])
        for tool in tools
    )
    return lambda role: Reply.model_validate({"role": role, "says": text, "calls": called, **options})


def returns(value: Json, *, after_ms: int = 0) -> ToolBehaviour:
    """Makes the tool return this value after ``after_ms``."""
    return {"returns": value, "after_ms": after_ms}


def fails(clause: str, *, for_model: str | None = None, after_ms: int = 0) -> ToolBehaviour:
    """Makes the tool fail with a clause that the customer may hear."""
    return {"fails": clause, "for_model": for_model, "after_ms": after_ms}


def raises(why: str = "a bug", *, after_ms: int = 0) -> ToolBehaviour:
    """Makes the tool raise an unexpected error, as a bug would."""
    return {"raises": why, "after_ms": after_ms}


def hangs() -> ToolBehaviour:
    """Makes the tool not answer until its time limit ends the call."""
    return {"hangs": True}


def asks(clause: str) -> ToolBehaviour:
    """Makes the tool ask the customer before it runs. ``clause`` says what it would do: "cancel your visit"."""
    return {"confirm": clause}


class HeardTurn:
    """A replayed turn. Each method asserts one thing immediately, and returns the turn.

    A failed assertion raises ``AssertionError`` with the conversation, marked at the first difference.
    """

    def __init__(
        self, number: int, cassette: Cassette, played: Played, environment: ReplayEnvironment
    ) -> None:
        self.number, self.played = number, played
        self._cassette, self._environment = cassette, environment
        self._expected = Expectations()
        self.failed = False

    @property
    def scene(self) -> str:
        """The whole turn as text, in the form that tests use."""
        return scenes_of(self.played.state).get(f"m{self.number}", "")

    def hears(
        self,
        text: str | None = None,
        *,
        kind: MessageKind | None = None,
        text_contains: str | Sequence[str] = (),
        text_matches: str | None = None,
        interrupted: bool | None = None,
    ) -> "HeardTurn":
        """Assert that a message comes, after the messages that were asserted before."""
        contains = (text_contains,) if isinstance(text_contains, str) else tuple(text_contains)
        one = Hears(
            kind=kind,
            text=text,
            text_contains=contains,
            text_matches=text_matches,
            interrupted=interrupted,
        )
        return self._holds(hears=(*self._expected.hears, one))

    def within_ms(self, ms: int) -> "HeardTurn":
        """Assert that the last asserted message begins at most this long after the customer's message."""
        return self._holds(hears=self._last_one_with(within_ms=ms))

    def complete_within_ms(self, ms: int) -> "HeardTurn":
        """Assert that the last asserted message is complete at most this long after the customer's message."""
        return self._holds(hears=self._last_one_with(complete_within_ms=ms))

    def calls(self, *tools: str | tuple[str, JsonObject]) -> "HeardTurn":
        """Assert exactly these calls, in this order; a name alone allows any arguments."""
        expected = (
            ExpectedCall(tool=tool)
            if isinstance(tool, str)
            else ExpectedCall(tool=tool[0], arguments=tool[1])
            for tool in tools
        )
        return self._holds(calls=tuple(expected))

    def outcome(self, tool: str, outcome: OutcomeName) -> "HeardTurn":
        """Assert the outcome of this tool's calls."""
        calls = self._expected.calls
        if calls is None or tool not in {call.tool for call in calls}:
            raise ValueError(f"assert calls(...) with {tool!r} first, then how they ended")
        return self._holds(
            calls=tuple(
                call.model_copy(update={"outcome": outcome}) if call.tool == tool else call for call in calls
            )
        )

    def overlap(self, *tools: str) -> "HeardTurn":
        """Assert that there was a moment at which all these tools ran."""
        return self._holds(overlap=(*self._expected.overlap, tools))

    def never(
        self,
        text_contains: str | None = None,
        *,
        text_matches: str | None = None,
        kind: MessageKind | None = None,
        tool: str | None = None,
        frame: str | None = None,
    ) -> "HeardTurn":
        """Assert that the turn has none of these: words, a kind of message, a run of a tool, a type of frame."""
        one = Never(kind=kind, text_contains=text_contains, text_matches=text_matches, tool=tool, frame=frame)
        return self._holds(never=(*self._expected.never, one))

    def is_scene(self, text: str) -> "HeardTurn":
        """Assert the text of the whole turn; indentation does not matter."""
        return self._holds(scene=scene(text))

    def ended(self, how: HowTurnEnded | Literal["forwarded_to_agent"]) -> "HeardTurn":
        """Assert how the turn ended. ``forwarded_to_agent``: there was no turn, because the message went to
        an agent.
        """
        return self._holds(ended=how)

    def handed_over(self, *states: HandoffState) -> "HeardTurn":
        """Assert the states of a handoff since this message. Without states: no handoff was requested."""
        return self._holds(handoff=states)

    def max_silence_ms(self, most: int) -> "HeardTurn":
        """Assert the longest time in which the customer received nothing new."""
        return self._holds(max_silence_ms=most)

    def suppressed(self, *, repetition: int = 0, claims: int = 0) -> "HeardTurn":
        """Assert how many sentences the guardrails suppressed."""
        counts: dict[Literal["repetition", "claims"], int] = {"repetition": repetition, "claims": claims}
        return self._holds(suppressed=counts)

    def skip_checks(self, *checks: Check) -> "HeardTurn":
        """Turn off these automatic checks for this turn."""
        self._expected = self._expected.model_copy(
            update={"skip_checks": (*self._expected.skip_checks, *checks)}
        )
        return self

    def expecting(self, turn: Turn) -> Turn:
        """Returns the turn in the form of a cassette, with its assertions."""
        return turn.model_copy(update={"expect": self._expected})

    def _last_one_with(self, **more: int) -> tuple[Hears, ...]:
        if not self._expected.hears:
            raise ValueError("assert hears(...) first, then when it came")
        *before, last = self._expected.hears
        return (*before, last.model_copy(update=more))

    def _holds(self, **expected: object) -> "HeardTurn":
        """Add an expectation, and check only this one: the earlier ones have been checked."""
        only = Expectations.model_validate({**expected, "skip_checks": self._expected.skip_checks})
        turns = list(self._cassette.turns)
        place = self.number - 1
        turns[place] = turns[place].model_copy(update={"expect": only})
        cassette = self._cassette.model_copy(update={"turns": tuple(turns)})
        found = check(cassette, self.played, self._environment.book, self._environment.tools.specs)
        failures = [one for one in found if one.turn == self.number and one.check in expected]
        if failures:
            self.failed = True
            raise AssertionError("\n" + render_transcript(cassette, self.played, failures))
        self._expected = self._expected.model_copy(update=dict(expected))
        return self


MONDAY = datetime(2026, 11, 23, 9, 0, tzinfo=UTC)
"""The default beginning of a conversation."""


class Conversation:
    """A conversation with a customer, on a virtual clock.

    No state is kept between two messages: each ``says`` replays the conversation from its beginning, which
    takes milliseconds and gives the same bytes. At the end of the ``with`` block, or with ``ends()``, all
    automatic checks run: outcomes that no message mentions, repetition, claims, language, and unused parts of
    the script.

    Args:
        environment: the prompts and tools.
        now: the beginning of the conversation.
        customer: the customer.
        tools: tools that the environment does not have.
        limits: the limits of a turn.
        agents: the human agents who can take over the conversation.
        confirm_every_write: true: the customer is asked before each change.
        about: what the conversation shows, for the report.
    """

    def __init__(
        self,
        environment: ReplayEnvironment,
        *,
        now: datetime = MONDAY,
        customer: Who | None = None,
        tools: Sequence[Declared] = (),
        limits: Limits | None = None,
        agents: People | None = None,
        confirm_every_write: bool = False,
        about: str = "A conversation",
    ) -> None:
        self._environment = environment
        self._turns: list[Turn] = []
        self._heard: list[HeardTurn] = []
        self._now, self._customer, self._tools = now, customer or Who(), tuple(tools)
        self._agents = agents
        self._limits, self._confirm, self._about = limits or Limits(), confirm_every_write, about

    def says(
        self,
        text: str,
        *replies: ScriptedReply,
        results: Mapping[str, ToolBehaviour | Sequence[ToolBehaviour]] | None = None,
        meanwhile: Sequence[Event] = (),
        button: Literal["yes", "no"] | None = None,
        spoken: bool = False,
        heard_up_to: str | None = None,
        locale: str | None = None,
        after_ms: int = 0,
        at_ms: int | None = None,
        barge_in_ms: int | None = None,
        policies: Sequence[str] = (),
    ) -> HeardTurn:
        """Send a message of the customer. Returns the replayed turn up to its end.

        Args:
            text: the customer's text.
            replies: the replies of the models, in the order of the requests.
            results: the behaviour of each tool; several runs of one tool in their order.
            meanwhile: stops, lost connections and agents: :func:`stops`, :func:`cut`, :func:`restarts`,
                :func:`agent_accepts`, :func:`agent_says`, :func:`agent_ends`, :func:`agent_declines`.
            button: the text is the label of a read-back's button.
            spoken: the customer says the text aloud.
            heard_up_to: the assistant speaks. These are the last words that the customer heard before; "" for
                none.
            locale: the language of the page, if it changes.
            after_ms: milliseconds after the turn before.
            at_ms: milliseconds after the message before, whether or not it has been answered.
            barge_in_ms: like ``at_ms``; the assistant also stops speaking.
            policies: the names of the company's policies that the message is about.

        Raises:
            DeclarationError: no tool has this name.
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
            policies=tuple(policies),
            # After a yes there is no decision: the first reply is also the narrator's.
            replies=tuple(
                reply("decider" if place == 0 and button != "yes" else "narrator")
                for place, reply in enumerate(replies)
            ),
            results=_runs(results or {}),
            meanwhile=tuple(meanwhile),
        )
        self._turns.append(turn)
        heard = HeardTurn(len(self._turns), self.cassette, self.played, self._environment)
        self._heard.append(heard)
        return heard

    @property
    def cassette(self) -> Cassette:
        """The conversation so far, in the form of a cassette."""
        turns = [
            turn if place >= len(self._heard) else self._heard[place].expecting(turn)
            for place, turn in enumerate(self._turns)
        ]
        return Cassette(
            about=self._about,
            now=self._now,
            customer=self._customer,
            tools=self._tools,
            limits=self._limits,
            agents=self._agents,
            confirm_every_write=self._confirm,
            turns=tuple(turns),
        )

    @property
    def played(self) -> Played:
        """The replayed conversation so far."""
        return replay(self.cassette, self._environment)

    def ends(self) -> None:
        """Run all automatic checks on the whole conversation. Raises ``AssertionError`` with the marked
        conversation.

        Does nothing if something has already failed.
        """
        if not self._turns or any(turn.failed for turn in self._heard):
            return
        cassette, played = self.cassette, self.played
        failures = check(cassette, played, self._environment.book, self._environment.tools.specs)
        if failures:
            raise AssertionError("\n" + render_transcript(cassette, played, failures))

    def __enter__(self) -> "Conversation":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if error is None:
            self.ends()


def _runs(results: Mapping[str, ToolBehaviour | Sequence[ToolBehaviour]]) -> tuple[Run, ...]:
    return tuple(
        Run.model_validate({"tool": tool, **one})
        for tool, several in results.items()
        for one in ([several] if isinstance(several, Mapping) else several)
    )


def stops(*, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes the customer press stop, at a time or as soon as these words are shown."""
    return Event(happens="stop", at_ms=at_ms, after=after)


def cut(for_ms: int, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes the client lose its connection, and reconnect after ``for_ms``."""
    return Event(happens="disconnect", for_ms=for_ms, at_ms=at_ms, after=after)


def restarts(*, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes the server end during the turn, and start again."""
    return Event(happens="restart", at_ms=at_ms, after=after)


def agent_accepts(name: str, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes an agent take the conversation over."""
    return Event(happens="agent_accepts", words=name, at_ms=at_ms, after=after)


def agent_says(text: str, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes the agent say something."""
    return Event(happens="agent_says", words=text, at_ms=at_ms, after=after)


def agent_ends(*, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes the agent give the conversation back."""
    return Event(happens="agent_ends", at_ms=at_ms, after=after)


def agent_declines(why: str, *, at_ms: int | None = None, after: str | None = None) -> Event:
    """Makes the handoff fail, because no agent is available."""
    return Event(happens="agent_declines", words=why, at_ms=at_ms, after=after)
