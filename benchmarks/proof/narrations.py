"""Plays what models say about results and judges it by what the customer is shown."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from assistant.conversation.turn_state import TurnState
from assistant.errors import AssistantError
from assistant.testing.virtual_time import run_virtually
from benchmarks.proof.conversation import Talk, open_talk
from benchmarks.proof.rows import Call, NarrationRow, Step
from benchmarks.proof.trades import Trades, as_offered

_VISITORS = frozenset({"send_code"})
"""What only those are offered who have not said who they are."""
_ALL_RIGHT = {"en": "All right.", "de": "In Ordnung."}
_REQUEST = {"en": "I'd like to change something.", "de": "Ich möchte etwas ändern."}
_WORDS_BEFORE = 3
_WORD = re.compile(r"\S+")


@dataclass(frozen=True, slots=True, kw_only=True)
class NarrationResult:
    """What became of a narration.

    ``shown``: the answer, message by message, without the acknowledgement. ``changed``: a good text was not shown
    as it is. ``claim_shown``: that of a bad text was. ``corrected``: a correction stands in place of words, or
    behind them. ``empty``: no answer was left. ``asked``: how often the model was asked for the answer.
    ``problem``: why the row could not be played.
    """

    row: NarrationRow
    shown: tuple[str, ...] = ()
    changed: bool = False
    claim_shown: bool = False
    corrected: bool = False
    empty: bool = False
    asked: int = 0
    problem: str = ""

    @property
    def right(self) -> bool:
        """Whether the customer was shown what they should be."""
        return not (self.changed or self.claim_shown or self.problem)


def play_narration(row: NarrationRow, trades: Trades) -> NarrationResult:
    """Play one row, and the steps before it, in a conversation of its own."""
    wanted = [call for step in row.steps for call in step.calls]
    trades.open_books(row.trade, full=True, wanted=wanted)
    try:
        return run_virtually(_play(row, trades))
    except AssistantError as error:
        return NarrationResult(row=row, problem=str(error))


async def _play(row: NarrationRow, trades: Trades) -> NarrationResult:
    known = not any(tool in _VISITORS for step in row.steps for tool, _ in step.calls)
    async with open_talk(trades, row.trade, row.locale, closed=row.closed, known=known) as talk:
        seq, turns = 0, list[TurnState]()
        for step in row.steps:
            seq, turns = talk.seq, await _take(step, talk)
        failed = _not_done(row.steps[-1].calls, talk)
        kept_back = talk.kept_back_since(seq)
    answer = [message for turn in turns for message in turn.messages if message.kind != "acknowledgement"]
    shown = tuple(message.text.strip() for message in answer)
    everything = [message.text for turn in turns for message in turn.messages]
    return NarrationResult(
        row=row,
        shown=shown,
        changed=row.good and shown != (row.text.strip(),),
        claim_shown=not row.good and any(_is_shown(row, text) for text in everything),
        corrected=any(getattr(each, "instead", "") for each in kept_back),
        empty=not any(shown),
        asked=talk.model.asked,
        problem=f"these calls did not end well: {', '.join(failed)}" if failed else "",
    )


async def _take(step: Step, talk: Talk) -> list[TurnState]:
    """One message of the customer; gives the turns that answer it."""
    text = step.text or _ALL_RIGHT[talk.locale]
    if step.agrees and _changes(step.calls, talk):
        talk.model.plan(step.calls, text)
        await talk.says(_REQUEST[talk.locale])
        if talk.session.question is not None:
            return await talk.says(step.say, button="yes")
    talk.model.plan(step.calls, text)
    turns = await talk.says(step.say)
    if talk.session.question is not None:
        return await talk.says("Ja" if talk.locale == "de" else "Yes", button="yes")
    return turns


def _changes(wanted: Sequence[Call], talk: Talk) -> bool:
    """Whether the customer is asked before one of these runs."""
    tools = talk.session.config.deps.tools
    return any(tools.get(tool).spec.confirm for tool, _ in as_offered(wanted))


def _not_done(wanted: Sequence[Call], talk: Talk) -> list[str]:
    """The changes that the row takes for done and that are not."""
    tools = talk.session.config.deps.tools
    ran = [tool for tool, _ in talk.changes_since(0)]
    changes = [tool for tool, _ in as_offered(wanted) if tools.get(tool).spec.effect == "write"]
    return [tool for tool in changes if ran.count(tool) < changes.count(tool)]


def _is_shown(row: NarrationRow, shown: str) -> bool:
    """Whether the claim stands in what was shown.

    A value is looked for with the words before it: the right answer may well have the same value elsewhere.
    """
    return any(_plain(part) in _plain(shown) for part in _parts(row))


def _parts(row: NarrationRow) -> list[str]:
    if not row.kind.startswith("fact"):
        return [row.claim]
    parts: list[str] = []
    for found in re.finditer(re.escape(row.claim), row.text):
        line = row.text.rfind("\n", 0, found.start()) + 1
        before = [match.start() for match in _WORD.finditer(row.text, line, found.start())]
        start = before[-_WORDS_BEFORE] if len(before) >= _WORDS_BEFORE else line
        parts.append(row.text[start : found.end()])
    return parts


def _plain(text: str) -> str:
    return " ".join(text.split())
