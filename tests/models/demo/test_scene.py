"""What is known of a customer's things when a message comes, and how much of it is told."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import date

import pytest

from assistant.conversation.calls import Call
from assistant.conversation.outcomes import CallEmpty, CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.demo.correct import take_offer
from assistant.models.demo.decide import read_message
from assistant.models.demo.decision import Decision, Exchange, Planned, slots_of
from assistant.models.demo.entities import Entities
from assistant.models.demo.model import asked_for
from assistant.models.demo.things import name_for, pointed_at, scene_of
from assistant.models.demo.understand import Match
from tests.models.demo.demo_specs import DAY, TIME, spec
from tests.support.rows import check_rows

TODAY = date(2026, 11, 21)
VISITS: Json = [{"id": "A1", "starts": "2026-11-24T14:00"}, {"id": "A2", "starts": "2026-12-04T10:30"}]
LIST = spec("list_visits", "List visits.", [], day=DAY)
CANCEL = spec("cancel_visit", "Cancel a visit.", [], "write", visit_id={"type": "string"})
SPECS: Mapping[str, ToolSpec] = {one.name: one for one in (LIST, CANCEL)}


def found(tool: str, value: Json, **arguments: Json) -> CallSucceeded:
    return CallSucceeded(call=Call(id="c1.1", tool=tool, arguments=arguments), value=value)


def listed(*outcomes: Outcome) -> int:
    """How many visits are known once these outcomes have come; 0 where they must be looked up."""
    known = scene_of([Exchange("show my visits", outcomes)], SPECS, TODAY).listed("visit")
    return len(known.items) if known else 0


def test_a_list_is_known_until_something_changes() -> None:
    assert listed(found("list_visits", VISITS)) == 2
    assert listed(found("list_visits", VISITS), found("cancel_visit", {"id": "A1"})) == 0


def test_a_part_of_a_list_is_no_complete_list() -> None:
    assert listed(found("list_visits", VISITS, day="2026-11-24")) == 0


def test_results_of_a_removed_tool_are_not_used() -> None:
    assert listed(found("list_old_visits", VISITS), CallEmpty(call=Call(id="c1.2", tool="list_visits"))) == 0


@pytest.mark.parametrize(
    ("narration", "told"),
    [("{% for one in value %}{{ one.id }}{% endfor %}", 1), ("{{ value | length }} visits", 2), (None, 2)],
)
def test_a_narration_that_counts_gets_everything(narration: str | None, told: int) -> None:
    specs = {"list_visits": replace(LIST, narration=narration)}
    message = read_message("my visit in december", TODAY, lambda _: [Match(LIST, 1.0)])

    (outcome,) = asked_for([found("list_visits", VISITS)], message, specs)

    assert isinstance(outcome, CallSucceeded)
    assert isinstance(outcome.value, list | tuple)
    assert len(outcome.value) == told


@check_rows(
    ("text", "ids"),
    [
        ("the one on tuesday", ["A1"]),
        ("the friday one", ["A2"]),
        ("on december 4", ["A2"]),
        ("on friday, december 11", []),
        ("the november one in december", ["A1", "A2"]),
        ("nothing of the kind", []),
    ],
)
def test_things_are_selected_by_their_days(text: str, ids: list[str]) -> None:
    message = read_message(text, TODAY, lambda _: [Match(None, 0.0)])
    visits = [one for one in VISITS if isinstance(one, dict)] if isinstance(VISITS, list) else []

    assert [one["id"] for one in pointed_at(visits, message.text, message.entities)] == ids


def test_text_that_only_looks_like_a_date_is_none() -> None:
    assert pointed_at([{"id": "A1", "starts": "2026-13-99"}], "in december", Entities()) == ()


def test_a_thing_without_a_name_cannot_be_named() -> None:
    assert name_for({"starts": "2026-11-24"}, slots_of(CANCEL)[0]) is None


def booking(name: str) -> ToolSpec:
    return spec(name, "Book.", [], "write", ("day", "time"), day=DAY, time=TIME)


@check_rows(
    ("tools", "said", "taken"),
    [
        (["book_visit"], "9:30 please", True),
        (["book_visit"], "the second one", True),
        (["book_visit", "book_table"], "9:30 please", False),
        (["book_visit"], "11:30 please", False),
        (["book_visit"], "is 9:30 too early for you", False),
        (["book_visit"], "thanks", False),
    ],
)
def test_an_offered_time_is_chosen_if_only_one_tool_can_use_it(
    tools: list[str], said: str, *, taken: bool
) -> None:
    free = found("find_free_times", {"days": [{"day": "2026-11-23", "times": ["09:00", "09:30"]}]})
    specs = {name: booking(name) for name in tools}
    scene = scene_of([Exchange("what is free", (free,)), Exchange(said)], specs, TODAY)
    message = read_message(said, TODAY, lambda _: [Match(None, 0.0)])

    decision = take_offer(message, scene)

    planned = Planned(booking("book_visit"), {"day": "2026-11-23", "time": "09:30"})
    assert decision == (Decision((planned,)) if taken else None)
