"""What the cassette's tools do, handed out to the calls that run."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol

from assistant.conversation.values import JsonObject
from assistant.formats.json_text import json_text
from assistant.replay.cassette import Cassette
from assistant.replay.player.notes import Notes
from assistant.replay.replies import Run

Canonical = Callable[[JsonObject], JsonObject]
"""A call's arguments as its tool will use them."""


class Runs(Protocol):
    """Finds what a call brings. ``restarting``: whether the server ends, to start again."""

    restarting: Callable[[], bool]

    def of(self, tool: str) -> Sequence[Run]:
        """All runs of this tool, used up or not."""
        ...

    def take(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """The run for this call; None where the cassette has none."""
        ...

    def clause(self, tool: str, arguments: JsonObject, canonical: Canonical) -> str | None:
        """What the customer is asked about before this call; None where the cassette does not say."""
        ...

    def refusal(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """The run that refuses to be asked about at all; None where the cassette has none for this call."""
        ...

    def cut_off(self, run: Run) -> None:
        """A lookup was given up before its run had brought anything."""
        ...

    def note_unused(self) -> None:
        """Note what no call came for."""
        ...


@dataclass(slots=True, eq=False)
class _Placed:
    turn: int
    run: Run
    ran: bool = False
    asked: bool = False


@dataclass(slots=True, eq=False)
class _OfOneTool:
    runs: list[_Placed] = field(default_factory=list[_Placed])
    clauses: list[tuple[JsonObject, str]] = field(default_factory=list[tuple[JsonObject, str]])


class RunsInOrder:
    """Each run serves one call: those with a call's own arguments first, then the next of its tool."""

    def __init__(self, cassette: Cassette, notes: Notes) -> None:
        self.restarting: Callable[[], bool] = lambda: False
        self._notes = notes
        self._tools: dict[str, _OfOneTool] = {}
        for number, turn in enumerate(cassette.turns, 1):
            for run in turn.tools:
                self._tools.setdefault(run.tool, _OfOneTool()).runs.append(_Placed(number, run))

    def of(self, tool: str) -> Sequence[Run]:
        """All runs of this tool, used up or not."""
        return [placed.run for placed in self._of(tool).runs]

    def take(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """The run for this call; None, and a note, where none is left."""
        left = [one for one in self._of(tool).runs if not one.ran and one.run.does != "asks"]
        placed = _fitting(left, arguments, canonical)
        if placed is None:
            self._notes.add(f"{tool} ran with {json_text(arguments)}; {_what_there_is(left)}")
            return None
        placed.ran = True
        return placed.run

    def clause(self, tool: str, arguments: JsonObject, canonical: Canonical) -> str | None:
        """The clause for this call. A question that is put again finds the one it was put with."""
        known = self._of(tool)
        left = [one for one in known.runs if not one.asked and one.run.clause is not None]
        placed = next((one for one in left if _is_meant(one.run, arguments, canonical)), None)
        if placed is None:
            again = next((clause for asked, clause in known.clauses if asked == arguments), None)
            if again is not None:
                return again
            placed = next((one for one in left if one.run.arguments is None), None)
        if placed is None or placed.run.clause is None:
            return None
        placed.asked = True
        known.clauses.append((arguments, placed.run.clause))
        return placed.run.clause

    def refusal(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """The next run that this call would come to, if that refuses; it is used up."""
        left = [one for one in self._of(tool).runs if not one.ran and one.run.does != "asks"]
        placed = _fitting(left, arguments, canonical)
        if placed is None or placed.run.does != "refuses":
            return None
        placed.ran = True
        return placed.run

    def cut_off(self, run: Run) -> None:
        """A call ended before its run did: when the server ends, it will start the call again."""
        if self.restarting():
            for placed in self._of(run.tool).runs:
                placed.ran = placed.ran and placed.run is not run

    def note_unused(self) -> None:
        """Note every run that no call came for, and every clause that nobody asked for."""
        for tool, known in self._tools.items():
            for placed in known.runs:
                if placed.run.does == "asks" and not placed.asked:
                    self._notes.add(f"the customer was never asked about {tool}", placed.turn)
                elif placed.run.does != "asks" and not placed.ran:
                    self._notes.add(
                        f"{tool} never ran{_with(placed.run)}, and the cassette has a run of it", placed.turn
                    )

    def _of(self, tool: str) -> _OfOneTool:
        return self._tools.get(tool) or _OfOneTool()


class AnyRuns:
    """Each run serves as many calls as there are: for models that need not ask in the recorded order."""

    def __init__(self, cassette: Cassette, notes: Notes) -> None:
        self.restarting: Callable[[], bool] = lambda: False
        self._notes = notes
        self._runs = [run for turn in cassette.turns for run in turn.tools]

    def of(self, tool: str) -> Sequence[Run]:
        """All runs of this tool."""
        return [run for run in self._runs if run.tool == tool]

    def take(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """The run with these arguments, or any of this tool; None, and a note, where there is none."""
        known = [run for run in self._runs if run.tool == tool and run.does != "asks"]
        equal = (run for run in known if _is_meant(run, arguments, canonical))
        run = next(equal, known[0] if known else None)
        if run is None:
            self._notes.add(f"{tool} ran with {json_text(arguments)}, which was not recorded")
        return run

    def clause(self, tool: str, arguments: JsonObject, canonical: Canonical) -> str | None:
        """The clause that was recorded for this call, or for one without arguments."""
        known = [run for run in self._runs if run.tool == tool and run.clause is not None]
        equal = (run for run in known if _is_meant(run, arguments, canonical))
        run = next(equal, next((run for run in known if run.arguments is None), None))
        return run.clause if run is not None else None

    def refusal(self, tool: str, arguments: JsonObject, canonical: Canonical) -> Run | None:
        """The run with these arguments, or any of this tool, if that refuses."""
        known = [run for run in self._runs if run.tool == tool and run.does != "asks"]
        equal = (run for run in known if _is_meant(run, arguments, canonical))
        run = next(equal, known[0] if known else None)
        return run if run is not None and run.does == "refuses" else None

    def cut_off(self, run: Run) -> None:
        """Nothing: it is there for the next call, too."""

    def note_unused(self) -> None:
        """Nothing: nobody had to come for anything."""


def _fitting(left: list[_Placed], arguments: JsonObject, canonical: Canonical) -> _Placed | None:
    equal = (one for one in left if _is_meant(one.run, arguments, canonical))
    return next(equal, next((one for one in left if one.run.arguments is None), None))


def _is_meant(run: Run, arguments: JsonObject, canonical: Canonical) -> bool:
    return run.arguments is not None and arguments in (run.arguments, canonical(run.arguments))


def _what_there_is(left: list[_Placed]) -> str:
    given = [json_text(one.run.arguments) for one in left if isinstance(one.run.arguments, Mapping)]
    return (
        f"the cassette has it with {' and '.join(given)}" if given else "the cassette has no run of it left"
    )


def _with(run: Run) -> str:
    return "" if run.arguments is None else f" with {json_text(run.arguments)}"
