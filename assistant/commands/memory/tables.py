"""Shows what is remembered of a conversation in a terminal."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import Console
from rich.table import Table

from assistant.commands.memory.remembered import Remembered, Summariser
from assistant.conversation.entries import Snapshot
from assistant.conversation.turn_state import TurnState
from assistant.formats.json_text import json_text
from assistant.memory.budget import Budget
from assistant.memory.library import State
from assistant.sessions.context_report import Given, GivenTurn, snapshots_of
from assistant.text.harmless import harmless


def print_tables(console: Console, found: Remembered) -> None:
    """Print a table for each model, and one of the snapshots; then the summary, and what is kept beside it."""
    key = found.key
    console.print(f"Conversation {key.conversation}", style="bold")
    turns = f"{found.turns} {'turn' if found.turns == 1 else 'turns'}"
    console.print(
        f"{turns}, customer {key.customer} of {key.tenant}, bundle {found.bundle or 'not chosen yet'}"
    )
    for given in found.given:
        _headed(console, given.role, given.model, given.budget, given.used)
        console.print(_request(given, found))
    _print_summariser(console, found.summariser)
    if found.snapshots:
        console.print(f"\nSnapshots, each of result:{key.conversation}/...", style="bold")
        console.print(_snapshots(found.snapshots))
    if found.summary is not None:
        by = "a rule" if found.summary.made_by == "rule" else "the summary model"
        console.print(f"\nSummary of all turns up to {found.summary.up_to}, by {by}", style="bold")
        console.print(harmless(found.summary.text))
    console.print(f"\nDocuments of this customer: {_documents(found)}")


def _headed(console: Console, role: str, model: str, budget: Budget, used: int) -> None:
    console.print(f"\n{role}: {model}", style="bold")
    share = f"{used:,} of {budget.tokens:,} tokens ({used / budget.tokens:.0%})"
    console.print(f"{share}, counted by {budget.counter.name}")


def _request(given: Given, found: Remembered) -> Table:
    table = _table("tokens", "part", "results", "")
    table.columns[0].justify = "right"
    table.add_row(f"{given.instructions:,}", "instructions")
    table.add_row(f"{given.tools:,}", f"{len(given.request.tools)} tools on offer")
    if given.summarised:
        table.add_row(f"{given.earlier:,}", _span(given.summarised), "", "the summary stands for these")
    if given.no_room:
        table.add_row("-", _span(given.no_room), "", "left out: no room", style="dim")
    for turn in given.turns:
        running = ("", " now" if found.running else " next")[turn is given.turns[-1]]
        results = _results(turn, found.key.conversation)
        table.add_row(f"{turn.tokens:,}", f"{turn.turn.id}{running}", results, _words(turn.turn))
    return table


def _table(*names: str) -> Table:
    """With these columns, of which the last gets what the others leave of the terminal's width."""
    table = Table(box=None, pad_edge=False, header_style="dim", expand=True)
    for name in names:
        table.add_column(name, no_wrap=True, overflow="ellipsis", ratio=1 if name is names[-1] else None)
    return table


def _print_summariser(console: Console, summariser: Summariser | None) -> None:
    if summariser is None:
        console.print("\nsummariser: none", style="bold")
        console.print("Rules alone write summaries.")
        return
    coming = summariser.next
    _headed(console, "summariser", summariser.model, summariser.budget, summariser.used)
    console.print(
        "Nothing is to be summarised now." if coming is None else f"Next it is given a {coming.of}."
    )


def _words(turn: TurnState) -> str:
    if turn.unasked:
        return "(nobody asked: results that came late)" if turn.turn.cause == "late_result" else "(a handoff)"
    text = " ".join(harmless(turn.message.text).split())
    return f'"{text}"' if text else "(no words yet)"


def _results(given: GivenTurn, conversation: str) -> str:
    """In which form the results of its calls stand there; "" where none do."""
    if not given.calls:
        return ""
    kinds = Counter(map(_kind, snapshots_of(given.turn, conversation).values()))
    return ", ".join(f"{count} {kind}" for kind, count in kinds.items()) or f"{given.calls} in full"


def _kind(snapshot: Snapshot) -> str:
    if snapshot.made_by == "model":
        return "by a model"
    return "complete" if snapshot.complete else "shortened"


def _snapshots(snapshots: Sequence[tuple[str, Snapshot]]) -> Table:
    table = _table("call", "tool", "kept", "arguments", "what later turns are given")
    for place, most in enumerate((9, 20, 10, 16)):
        table.columns[place].max_width = most
    for turn_id, one in snapshots:
        summary = one.result_summary
        text = summary if isinstance(summary, str) else json_text(summary)
        table.add_row(
            f"{turn_id}/{one.call_id}",
            one.tool_name,
            _kind(one),
            harmless(json_text(one.arguments)) if one.arguments else "-",
            " ".join(harmless(text).split()),
        )
    return table


def _span(ids: Sequence[str]) -> str:
    """Ids of turns, which follow one another.

    >>> _span(["t1", "t2", "t3"]), _span(["t4"])
    ('t1 to t3', 't4')
    """
    return ids[0] if len(ids) == 1 else f"{ids[0]} to {ids[-1]}"


def _documents(found: Remembered) -> str:
    if found.problem:
        return f"not to be had: {found.problem}"
    return ", ".join(_counts(found.documents)) or "none"


def _counts(documents: Mapping[State, int]) -> Iterator[str]:
    wordings: dict[State, str] = {
        "kept": "in the library",
        "waiting": "wait to be written",
        "failed": "failed for good",
    }
    return (f"{documents[state]} {words}" for state, words in wordings.items() if documents.get(state))
