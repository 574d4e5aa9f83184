"""Plans: no call waits in a circle, side effects keep their order, and no call waits without need."""

from collections.abc import Mapping

from hypothesis import given
from hypothesis import strategies as st

from assistant.conversation.calls import Call
from assistant.conversation.values import Json
from assistant.turn.run_tools import Step, plan_calls


def a_call(number: int, *refers_to: int) -> Call:
    """Call c1.<number> of tool t<number>, which needs the results of these."""
    arguments: dict[str, Json] = {f"a{other}": {"$from": f"t{other}"} for other in refers_to}
    return Call(id=f"c1.{number}", tool=f"t{number}", arguments=arguments)


@st.composite
def decisions(draw: st.DrawFn) -> tuple[list[Call], frozenset[str]]:
    """Up to eight calls with any references to one another, and which of them are side effects."""
    count = draw(st.integers(1, 8))
    numbers = st.integers(1, count)
    calls = [a_call(number, *draw(st.sets(numbers, max_size=3))) for number in range(1, count + 1)]
    return calls, frozenset(call.id for call in calls if draw(st.booleans()))


def waits(steps: Mapping[str, Step], id_: str) -> set[str]:
    """Everything that a step waits for, and that these wait for."""
    found: set[str] = set()
    left = [id_]
    while left:
        step = steps[left.pop()]
        new = (step.after if step.fault is None else frozenset[str]()) - found
        found |= new
        left += new
    return found


@given(decisions())
def test_no_step_waits_for_itself(decision: tuple[list[Call], frozenset[str]]) -> None:
    calls, writes = decision
    steps = {step.call.id: step for step in plan_calls(calls, writes)}

    assert list(steps) == [call.id for call in calls]
    assert not [id_ for id_ in steps if id_ in waits(steps, id_)]


@given(decisions())
def test_a_side_effect_waits_for_all_side_effects_before_it(
    decision: tuple[list[Call], frozenset[str]],
) -> None:
    calls, writes = decision
    steps = {step.call.id: step for step in plan_calls(calls, writes)}
    sound = [id_ for id_, step in steps.items() if step.fault is None]

    for step in map(steps.__getitem__, sound):
        before = {call.id for call in calls[: calls.index(step.call)]} & writes
        assert step.after >= set(step.sources.values())
        if step.call.id in writes:
            assert waits(steps, step.call.id) >= before & set(sound)
            assert not step.after & (writes - before)
        else:
            assert step.after == set(step.sources.values())


@given(st.lists(st.sets(st.integers(1, 8), max_size=3), min_size=1, max_size=8), st.sets(st.integers(1, 8)))
def test_references_to_earlier_calls_are_never_a_fault(wanted: list[set[int]], writes: set[int]) -> None:
    calls = [a_call(n, *(other for other in refers if other < n)) for n, refers in enumerate(wanted, start=1)]

    steps = plan_calls(calls, {f"c1.{number}" for number in writes})

    assert all(step.fault is None for step in steps)


def test_a_side_effect_without_references_waits_for_all_lookups() -> None:
    steps = plan_calls([a_call(1), a_call(2), a_call(3, 2), a_call(4, 1)], {"c1.2"})

    # The third needs what it does itself: to wait for that would never end.
    assert steps[1].after == {"c1.1", "c1.4"}


def test_a_side_effect_with_references_waits_for_these_and_earlier_ones() -> None:
    steps = plan_calls([a_call(1), a_call(2), a_call(3), a_call(4, 1)], {"c1.3", "c1.4"})

    assert steps[3].after == {"c1.1", "c1.3"}


def test_needing_a_later_side_effect_is_a_fault_even_through_a_lookup() -> None:
    steps = plan_calls([a_call(1, 2), a_call(2, 3), a_call(3)], {"c1.1", "c1.3"})

    assert [step.fault is None for step in steps] == [False, True, True]
    assert "needs the result of 't3', which is decided after it" in str(steps[0].fault)
