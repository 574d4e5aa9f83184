"""Asks a model with the prompts before and after an edit, scores its answers with the checks, and reports
both versions.
"""

from collections.abc import AsyncGenerator, Callable, Iterator, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import TypeAlias, assert_never

from assistant.assembly.config_builder import Models
from assistant.conversation.chunks import CallNamed, StreamEnded, TextDelta
from assistant.conversation.turn_state import AssistantMessage
from assistant.errors import ModelError
from assistant.ports import Clock, ModelRequest
from assistant.replay.checks.response_checks import grounded, no_repetition
from assistant.replay.checks.transcript import CheckFailure, PlayedMessage, transcript_of
from assistant.replay.player.environment import ReplayEnvironment
from assistant.replay.prompt_diff import ROLES, Comparison, RequestPair
from assistant.turn.context import RoleModel


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """An answer of a model: its text, its calls, and its times.

    Times are in milliseconds after the request: ``first_ms`` for the first text or call (None if there was
    neither), ``whole_ms`` for the end.
    """

    text: str
    calls: tuple[str, ...]
    first_ms: int | None
    whole_ms: int


@dataclass(frozen=True, slots=True)
class NoAnswer:
    """A request that failed; ``why`` is the error."""

    why: str


AnswerOrFailure: TypeAlias = Answer | NoAnswer


async def ask_model(request: ModelRequest, role: RoleModel, clock: Clock) -> AnswerOrFailure:
    """Send the request to this model with its role's options. Never raises if the model fails."""
    began = clock.monotonic()
    words: list[str] = []
    calls: list[str] = []
    first_ms: int | None = None
    complete = False
    try:
        async with aclosing(role.model.stream(replace(request, options=role.options))) as stream:
            async for chunk in stream:
                match chunk:
                    case TextDelta(text=text):
                        words.append(text)
                    case CallNamed(name=name):
                        calls.append(name)
                    case StreamEnded():
                        complete = True
                    case _:
                        continue
                if first_ms is None and (words or calls):
                    first_ms = _ms_since(began, clock)
    except ModelError as error:
        return NoAnswer(str(error))
    if not complete:
        return NoAnswer(f"{role.model.name}: the reply ended without its end")
    text = "".join(words).strip()
    return Answer(text=text, calls=tuple(calls), first_ms=first_ms, whole_ms=_ms_since(began, clock))


def _ms_since(began: float, clock: Clock) -> int:
    return round((clock.monotonic() - began) * 1000)


def score(
    text: str, given: RequestPair, one: Comparison, environment: ReplayEnvironment
) -> list[CheckFailure]:
    """Returns the failures that a replay would report if ``text`` had been the response at that moment.

    No side effects.
    """
    transcript = transcript_of(one.cassette, one.played, environment.book, environment.tools.specs)
    turn = next(turn for turn in transcript.turns if turn.number == given.turn)
    said = AssistantMessage(id="tried", round=given.round, text=text, kind="response", model_written=True)
    told = [message for message in turn.messages if message.said.kind != "response"]
    before = [message for message in told if message.said.round < given.round]
    turn = replace(turn, messages=(*before, PlayedMessage(said=said, began=None, ended=None)))
    return [*no_repetition(transcript, turn), *grounded(transcript, turn)]


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredAnswer:
    """The answer to one version of a request, and its failures. Only a narrator's text is checked."""

    came: AnswerOrFailure
    failures: tuple[CheckFailure, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnsweredPair:
    """The answers to both versions of a request."""

    name: str
    given: RequestPair
    today: ScoredAnswer
    edited: ScoredAnswer


def requests_to_ask(compared: Sequence[Comparison], times: int) -> list[tuple[Comparison, RequestPair]]:
    """Returns the requests that differ, each ``times`` times. Requests that do not differ are left out,
    because their answers would not differ.
    """
    differing = [(one, given) for one in compared for given in one.given if given.differs]
    return [each for each in differing for _ in range(times)]


async def ask(
    wanted: Sequence[tuple[Comparison, RequestPair]],
    models: Models,
    today: ReplayEnvironment,
    edited: ReplayEnvironment,
    clock: Clock,
) -> AsyncGenerator[AnsweredPair, None]:
    """Ask the model one request after the other, so that no request waits for another one.

    Failures are values.
    """
    for one, given in wanted:
        role = models[given.role]
        before = await ask_model(given.today, role, clock)
        after = await ask_model(given.edited, role, clock)
        yield AnsweredPair(
            name=one.name,
            given=given,
            today=_scored(before, given, one, today),
            edited=_scored(after, given, one, edited),
        )


def _scored(
    came: AnswerOrFailure, given: RequestPair, one: Comparison, environment: ReplayEnvironment
) -> ScoredAnswer:
    if given.role != "narrator" or not isinstance(came, Answer) or not came.text:
        return ScoredAnswer(came=came)
    return ScoredAnswer(came=came, failures=tuple(score(came.text, given, one, environment)))


_LABEL, _COLUMN = 20, 12

_Figure: TypeAlias = Callable[[Sequence[ScoredAnswer]], str]


def answer_lines(asked: AnsweredPair) -> Iterator[str]:
    """Yields the answers to one request, ``-`` before those with today's prompts and ``+`` before the edited
    ones.
    """
    yield f"\n  {asked.name} {asked.given.turn}: {asked.given.role}"
    yield from _answer("-", asked.today)
    yield from _answer("+", asked.edited)


def mean_lines(asked: Sequence[AnsweredPair]) -> Iterator[str]:
    """Yields both versions next to each other, as means over all answers, for each role."""
    for role in ROLES:
        of_role = [one for one in asked if one.given.role == role]
        if not of_role:
            continue
        today, edited = [one.today for one in of_role], [one.edited for one in of_role]
        yield f"\n{role:<{_LABEL}}{'today':>{_COLUMN}}{'edited':>{_COLUMN}}"
        figures = {**_EVERY, **(_NARRATOR if role == "narrator" else {})}
        for label, figure in figures.items():
            yield f"  {label:<{_LABEL - 2}}{figure(today):>{_COLUMN}}{figure(edited):>{_COLUMN}}"


def _answer(mark: str, scored: ScoredAnswer) -> Iterator[str]:
    match scored.came:
        case NoAnswer(why=why):
            yield f"    {mark} no answer: {why}"
        case Answer(text=text, calls=calls, first_ms=first_ms, whole_ms=whole_ms):
            took = f"{whole_ms:,} ms" if first_ms is None else f"{first_ms:,} of {whole_ms:,} ms"
            called = [f"[{', '.join(calls)}]"] if calls else []
            lines = [*text.splitlines(), *called] or ["nothing"]
            yield from (f"    {mark} {line}".rstrip() for line in lines)
            yield f"      {took}"
            yield from (f"      {failure.check}: {failure.found}" for failure in scored.failures)
        case _:
            assert_never(scored.came)


def _answers(scored: Sequence[ScoredAnswer]) -> list[Answer]:
    return [one.came for one in scored if isinstance(one.came, Answer)]


def _mean(of: Callable[[Answer], int | None], unit: str = "") -> _Figure:
    def figure(scored: Sequence[ScoredAnswer]) -> str:
        numbers = [number for one in _answers(scored) if (number := of(one)) is not None]
        return f"{sum(numbers) / len(numbers):,.0f}{unit}" if numbers else "-"

    return figure


def _failed_check(check: str) -> _Figure:
    def figure(scored: Sequence[ScoredAnswer]) -> str:
        failed = sum(any(failure.check == check for failure in one.failures) for one in scored)
        return f"{failed} of {len(_answers(scored))}"

    return figure


_EVERY: dict[str, _Figure] = {
    "answers": lambda scored: f"{len(_answers(scored))} of {len(scored)}",
    "first words": _mean(lambda one: one.first_ms, " ms"),
    "whole": _mean(lambda one: one.whole_ms, " ms"),
    "words": _mean(lambda one: len(one.text.split())),
    "calls": _mean(lambda one: len(one.calls)),
}

_NARRATOR: dict[str, _Figure] = {
    "repeat": _failed_check("no_repetition"),
    "not grounded": _failed_check("grounded"),
}
