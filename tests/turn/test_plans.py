"""Any decision with any dependencies: one outcome for each call, nothing too early, and no time lost."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.entries import CallEnded, CallStarted, Logged, TurnEnded
from assistant.conversation.outcomes import CallSucceeded, outcome_name
from assistant.conversation.values import Effect, Json
from assistant.prompts.book import shipped_book
from assistant.store.memory_log import MemoryLog
from assistant.testing.chat import deps_for, open_chat
from assistant.testing.fake_tool import Behaviour, FakeTool, Gives, Refuses, fake_spec
from assistant.testing.script import calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock, run_virtually
from assistant.turn.context import Limits

BOOK = shipped_book()
MOST = 12


@dataclass(frozen=True, slots=True)
class Planned:
    """One call: what it needs, whether it changes anything, how long it takes, and what comes of it."""

    needs: frozenset[int]
    effect: Effect
    takes_s: int
    works: bool


@dataclass(frozen=True, slots=True)
class Ran:
    """How a call went, in seconds since the turn began; it never began where ``began`` is None."""

    how: str
    began: float | None
    ended: float


@st.composite
def plans(draw: st.DrawFn) -> list[Planned]:
    """Calls that need any others: before or after them, themselves, or in circles."""
    count = draw(st.integers(1, MOST))
    one = st.builds(
        Planned,
        needs=st.frozensets(st.integers(0, count - 1), max_size=2),
        effect=st.sampled_from(("read", "read", "write")),
        takes_s=st.integers(0, 5),
        works=st.integers(0, 4).map(bool),
    )
    return draw(st.lists(one, min_size=count, max_size=count))


@given(plans())
def test_every_call_has_one_outcome_at_the_time_of_the_plan(planned: list[Planned]) -> None:
    entries = run_virtually(take(planned))

    ended = [logged.entry for logged in entries if isinstance(logged.entry, CallEnded)]
    started = [logged.entry.call_id for logged in entries if isinstance(logged.entry, CallStarted)]
    assert sorted(entry.outcome.call.id for entry in ended) == sorted(id_of(n) for n in range(len(planned)))
    assert len(started) == len(set(started))
    assert ran(entries, len(planned)) == expected(planned)


@given(plans())
def test_side_effects_never_overlap_and_keep_their_order(planned: list[Planned]) -> None:
    how = ran(run_virtually(take(planned)), len(planned))
    writes = [one for one, plan in zip(how, planned, strict=True) if plan.effect == "write"]
    spans = [(one.began, one.ended) for one in writes if one.began is not None]

    assert all(ended <= began for (_, ended), (began, _) in pairwise(spans))


@given(plans())
def test_a_call_gets_the_values_that_its_sources_have_found(planned: list[Planned]) -> None:
    entries = run_virtually(take(planned))

    for logged in entries:
        if isinstance(logged.entry, CallEnded) and isinstance(logged.entry.outcome, CallSucceeded):
            call = logged.entry.outcome.call
            needs = planned[int(call.id[3:]) - 1].needs
            assert call.arguments == {f"a{other}": f"found {other}" for other in needs}


async def take(planned: Sequence[Planned]) -> list[Logged]:
    """The entries of the turn in which these calls are decided at once."""
    clock = VirtualClock()
    tools = [tool_of(number, plan, clock) for number, plan in enumerate(planned)]
    asked = calls(*((f"t{number}", arguments_of(plan)) for number, plan in enumerate(planned)))
    model = ScriptedModel(asked, says("That is all."), clock=clock)
    # This voice does not say how long it takes; another one does.
    limits = Limits(tools_s=1000, calls_s=1000)
    chat = open_chat(deps_for(model, tools, BOOK, clock, limits=limits), MemoryLog())
    await chat.says("Do it all")
    assert isinstance(chat.session.entries[-1].entry, TurnEnded)
    return chat.session.entries


def tool_of(number: int, planned: Planned, clock: VirtualClock) -> FakeTool:
    names = tuple(f"a{other}" for other in planned.needs)
    spec = fake_spec(f"t{number}", f"doing {number}", f"do {number}", effect=planned.effect, required=names)
    found: Behaviour = (
        Gives({"found": f"found {number}"}, planned.takes_s) if planned.works else Refuses("that is down")
    )
    return FakeTool(replace(spec, timeout_s=100, trusted=True), found, clock)


def arguments_of(planned: Planned) -> dict[str, Json]:
    return {f"a{other}": {"$from": f"t{other}", "path": "found"} for other in planned.needs}


def id_of(number: int) -> str:
    return f"c1.{number + 1}"


def ran(entries: Sequence[Logged], count: int) -> list[Ran]:
    """How the calls went, in their order."""
    first_ms = entries[0].at_ms
    began = {
        logged.entry.call_id: (logged.at_ms - first_ms) / 1000
        for logged in entries
        if isinstance(logged.entry, CallStarted)
    }
    ended = {
        logged.entry.outcome.call.id: (outcome_name(logged.entry.outcome), (logged.at_ms - first_ms) / 1000)
        for logged in entries
        if isinstance(logged.entry, CallEnded)
    }
    ids = [id_of(number) for number in range(count)]
    return [Ran(ended[id_][0], began.get(id_), ended[id_][1]) for id_ in ids]


def expected(planned: Sequence[Planned]) -> list[Ran]:
    """The same, worked out from what a plan means: every call begins when the last that it waits for has ended."""
    known: dict[int, Ran] = {}

    def went(number: int) -> Ran:
        if number not in known:
            known[number] = _went(number, planned, went)
        return known[number]

    return [went(number) for number in range(len(planned))]


def _went(number: int, planned: Sequence[Planned], went: Callable[[int], Ran]) -> Ran:
    one = planned[number]
    if _is_faulty(number, planned):
        return Ran("failed", None, 0.0)
    waits_for = set(one.needs)
    if one.effect == "write":
        waits_for |= {other for other in range(number) if planned[other].effect == "write"}
        if not one.needs:
            waits_for |= {
                other
                for other, plan in enumerate(planned)
                if plan.effect == "read" and not _later_writes(other, number, planned)
            }
    begins = max((went(other).ended for other in waits_for), default=0.0)
    if any(went(other).how != "ok" for other in one.needs):
        return Ran("cancelled", None, begins)
    return Ran("ok", begins, begins + one.takes_s) if one.works else Ran("failed", begins, begins)


def _is_faulty(number: int, planned: Sequence[Planned]) -> bool:
    if number in planned[number].needs or number in _needed(number, planned):
        return True
    return planned[number].effect == "write" and _later_writes(number, number, planned)


def _later_writes(number: int, than: int, planned: Sequence[Planned]) -> bool:
    """Whether a call needs the result of a side effect that is decided no earlier than that one."""
    return any(other >= than and planned[other].effect == "write" for other in _needed(number, planned))


def _needed(number: int, planned: Sequence[Planned]) -> set[int]:
    found: set[int] = set()
    left = [number]
    while left:
        one = left.pop()
        # A call that refers to itself is refused at once, and is not part of another call's circle.
        new = planned[one].needs - found if one not in planned[one].needs else frozenset[int]()
        found |= new
        left += new
    return found


def test_twelve_independent_lookups_take_as_long_as_the_longest() -> None:
    planned = [Planned(frozenset(), "read", number % 5 + 1, works=True) for number in range(MOST)]

    assert max(one.ended for one in ran(run_virtually(take(planned)), MOST)) == 5.0


def test_a_chain_takes_as_long_as_all_its_links() -> None:
    planned = [Planned(frozenset({n - 1} if n else ()), "read", 2, works=True) for n in range(MOST)]

    assert ran(run_virtually(take(planned)), MOST)[-1] == Ran("ok", 22.0, 24.0)
