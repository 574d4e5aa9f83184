"""The facts of a conversation follow from its entries: visits, turns, times, unanswered requests."""

import pytest

from assistant.conversation.outcomes import Outcome
from assistant.reports.facts import Visit, visits_of
from tests.support.logged_visits import MINUTE, LoggedVisits, empty, failed, ok

IDLE_MS = 30 * MINUTE


def visits(said: LoggedVisits) -> tuple[Visit, ...]:
    return visits_of(said.entries, "ana", IDLE_MS)


def test_times_count_from_the_customers_message() -> None:
    (visit,) = visits(LoggedVisits(1000).asks("What do I owe?", ok("billing"), words_ms=400))
    (turn,) = visit.turns

    assert (turn.first_words_ms, turn.first_fact_ms, turn.answer_ms) == (400, 1400, 1410)
    assert [(call.tool, call.outcome, call.duration_ms) for call in turn.calls] == [("billing", "ok", 40)]
    assert (turn.usage.cost_usd, turn.usage.input_tokens) == (0.01, 100)
    assert (turn.text, turn.answer) == ("What do I owe?", "Here it is.")


def test_a_long_pause_begins_another_visit() -> None:
    said = LoggedVisits(0).asks("One").waits(IDLE_MS - MINUTE).asks("Two").waits(IDLE_MS).asks("Three")

    first, second = visits(said)

    assert [len(first.turns), len(second.turns)] == [2, 1]
    assert second.began_ms - first.last_ms == IDLE_MS
    assert not first.busy


def test_a_pause_while_an_agent_has_the_conversation_ends_no_visit() -> None:
    said = LoggedVisits(0).asks("A person").hands_over("requested", "accepted").waits(2 * IDLE_MS)

    (visit,) = visits(said.hands_over("ended"))

    assert visit.handoff is not None
    assert (visit.handoff.accepted, visit.handoff.state, visit.handoff.asked_by) == (
        True,
        "ended",
        "assistant",
    )


def test_a_conversation_with_a_waiting_agent_is_busy() -> None:
    (visit,) = visits(LoggedVisits(0).asks("A person").hands_over("requested", "queued"))

    assert visit.busy
    assert not visit.is_over(IDLE_MS, visit.last_ms + 9 * IDLE_MS)


def test_a_ticket_does_not_keep_a_visit_open() -> None:
    (visit,) = visits(LoggedVisits(0).asks("A person").hands_over("requested", "unavailable", "ticket"))

    assert visit.is_over(IDLE_MS, visit.last_ms + IDLE_MS)


def test_the_newest_rating_counts_and_can_be_removed() -> None:
    said = LoggedVisits(0).asks("One").rates("up")
    assert visits(said)[0].rating == "up"

    assert visits(said.rates("down", "no"))[0].rating == "down"
    assert visits(said.rates(None))[0].rating is None


def test_an_identified_customer_is_the_companys_own() -> None:
    (visit,) = visits(LoggedVisits(0).asks("Hello").identified("4711", "Ana Berg").asks("What do I owe?"))

    assert (visit.customer, visit.level) == ("4711", "verified")


@pytest.mark.parametrize(
    ("outcomes", "text", "reason"),
    [
        ([ok("billing")], "What do I owe you?", ""),
        ([ok("billing"), empty("orders")], "What do I owe you?", ""),
        ([empty("billing")], "What do I owe you?", "nothing_found"),
        ([failed("billing"), empty("orders")], "What do I owe you?", "nothing_found"),
        ([], "Do you repair bicycles?", "no_lookup"),
        ([], "Thank you", ""),
    ],
)
def test_an_unanswered_request_is_found(outcomes: list[Outcome], text: str, reason: str) -> None:
    (visit,) = visits(LoggedVisits(0).asks(text, *outcomes))

    assert visit.turns[0].unanswered == reason


def test_an_apology_and_a_bad_rating_are_unanswered_too() -> None:
    said = LoggedVisits(0).asks("What do I owe?", ok("billing"), how="apologised")
    said.asks("And now?", ok("billing")).rates("down")

    assert [turn.unanswered for turn in visits(said)[0].turns] == ["no_answer", "rated_down"]
