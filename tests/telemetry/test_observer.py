"""What is counted in conversations, computed from their entries."""

from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from assistant.conversation.chunks import StreamEnded, TextDelta
from assistant.conversation.entries import (
    AgentMessage,
    CustomerMessage,
    Entry,
    ForwardedToAgent,
    Handoff,
    IdentificationAttempted,
    Logged,
    ModelAsked,
    ModelChunks,
    Rated,
    SentenceSuppressed,
    TurnEnded,
)
from assistant.conversation.views import View
from assistant.errors import Fenced, LogError, ModelBusy, ModelTimeout
from assistant.models.fallback import Candidate, FallbackModel
from assistant.models.price_list import Prices
from assistant.ports import ModelRequest
from assistant.prompts.book import shipped_book
from assistant.resilience import CircuitBreaker
from assistant.telemetry.metrics import Metrics
from assistant.telemetry.observer import TenantTelemetry
from assistant.testing.chat import KEY, StoppingLog, deps_for, open_chat
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.script import breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import RoleModel
from tests.telemetry.conftest import CountedCompany, series


async def test_a_turn_with_two_tools_is_counted(company: CountedCompany) -> None:
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", first_s=0.5),
        says(["You're booked ", "for March 10.", " You owe $150."], first_s=1.0, each_s=0.5),
        appointments=Gives([{"when": "2026-03-10T14:00"}], after_s=2.0),
        billing=Gives([{"amount": "150.00"}], after_s=3.0),
    )

    await ana.says("Check my appointments and billing")

    assert company.told("meanwhile_turn", "meanwhile_messages", "meanwhile_tool") == {
        'meanwhile_turns_total{cause="message",outcome="answered"}': 1,
        "meanwhile_turn_duration_seconds_count": 1,
        "meanwhile_turn_duration_seconds_sum": 6.0,
        "meanwhile_turn_first_words_seconds_count": 1,
        "meanwhile_turn_first_words_seconds_sum": 0.5,
        "meanwhile_turn_first_fact_seconds_count": 1,
        "meanwhile_turn_first_fact_seconds_sum": 5.5,
        'meanwhile_messages_total{entered="text"}': 1,
        'meanwhile_tool_calls_total{outcome="ok",tool="list_upcoming_appointments"}': 1,
        'meanwhile_tool_calls_total{outcome="ok",tool="get_open_invoices"}': 1,
        'meanwhile_tool_call_duration_seconds_count{tool="list_upcoming_appointments"}': 1,
        'meanwhile_tool_call_duration_seconds_sum{tool="list_upcoming_appointments"}': 2,
        'meanwhile_tool_call_duration_seconds_count{tool="get_open_invoices"}': 1,
        'meanwhile_tool_call_duration_seconds_sum{tool="get_open_invoices"}': 3,
    }


async def test_a_turn_without_a_lookup_has_no_first_fact(company: CountedCompany) -> None:
    ana = company.chat(says("Hello, how can I help?"))

    await ana.says("Hello")

    assert company.told("meanwhile_turn_first_fact") == {}


async def test_failed_and_invented_tools_are_counted(company: CountedCompany) -> None:
    ana = company.chat(
        calls("get_open_invoices", "read_minds_of_ana_berg"), says("I couldn't."), billing=Broken()
    )

    await ana.says("What do I owe, and what do I think?")

    assert company.told("meanwhile_tool_calls") == {
        'meanwhile_tool_calls_total{outcome="failed",tool="get_open_invoices"}': 1,
        'meanwhile_tool_calls_total{outcome="failed",tool="other"}': 1,
    }
    assert b"ana_berg" not in company.values.render()


async def test_a_late_call_is_counted_when_it_ends(company: CountedCompany) -> None:
    company.respec(company.billing, timeout_s=60)
    ana = company.chat(
        calls("get_open_invoices"),
        says("I'm still waiting for billing."),
        says("You owe $150."),
        billing=Gives([{"amount": "150.00"}], after_s=40.0),
    )
    await ana.says("What do I owe?")
    assert company.told("meanwhile_tool_calls") == {}

    await ana.session.at_rest()

    assert company.told("meanwhile_tool_calls", "meanwhile_turns_total") == {
        'meanwhile_turns_total{cause="message",outcome="answered"}': 1,
        'meanwhile_turns_total{cause="late_result",outcome="answered"}': 1,
        'meanwhile_tool_calls_total{outcome="ok",tool="get_open_invoices"}': 1,
        'meanwhile_tool_calls_late_total{tool="get_open_invoices"}': 1,
    }


async def test_a_turn_that_another_process_ends_is_counted_once(company: CountedCompany) -> None:
    log = StoppingLog(most=100)
    before = company.chat(calls("get_open_invoices"), log=log, billing=Gives("nothing", after_s=5.0))
    await before.begins("What do I owe?")
    await company.clock.sleep(1)
    log.most = len(log.kept)
    await company.clock.sleep(20)
    assert before.session.failed
    first = company.told("meanwhile_turns", "meanwhile_messages", "meanwhile_log_append_failures")

    whole = StoppingLog(most=1_000, kept=log.kept)
    after = company.chat(says("Nothing."), entries=log.kept, log=whole, billing=Gives("nothing"))
    after.session.resume()
    await after.session.answered()

    assert first == {
        'meanwhile_messages_total{entered="text"}': 1,
        'meanwhile_log_append_failures_total{reason="failed"}': 1,
    }
    assert company.told("meanwhile_turns_total", "meanwhile_messages") == {
        'meanwhile_turns_total{cause="message",outcome="answered"}': 1,
        'meanwhile_messages_total{entered="text"}': 1,
    }


async def test_a_yes_is_counted(company: CountedCompany) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "Tuesday"})), says("It is cancelled."))
    await ana.says("Cancel my appointment on Tuesday")

    await ana.says("Yes", button=True)

    assert company.told("meanwhile_confirmations", "meanwhile_messages") == {
        'meanwhile_messages_total{entered="text"}': 1,
        'meanwhile_messages_total{entered="button"}': 1,
        "meanwhile_confirmations_asked_total": 1,
        'meanwhile_confirmations_answered_total{answer="yes"}': 1,
    }


async def test_a_question_without_an_answer_expires(company: CountedCompany) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "Tuesday"})))
    await ana.says("Cancel my appointment on Tuesday")
    await company.clock.sleep(31 * 60)

    company.counted.expire_questions(company.clock.now_ms())
    company.counted.expire_questions(company.clock.now_ms())

    assert company.told("meanwhile_confirmations_answered") == {
        'meanwhile_confirmations_answered_total{answer="expired"}': 1
    }


@pytest.mark.parametrize("scraped", [True, False])
async def test_a_yes_that_comes_too_late_is_an_expired_question(
    company: CountedCompany, scraped: bool
) -> None:
    ana = company.chat(calls(("cancel_appointment", {"day": "Tuesday"})))
    await ana.says("Cancel my appointment on Tuesday")
    await company.clock.sleep(31 * 60)
    if scraped:
        company.counted.expire_questions(company.clock.now_ms())

    await ana.says("yes")

    assert company.told("meanwhile_confirmations") == {
        "meanwhile_confirmations_asked_total": 1,
        'meanwhile_confirmations_answered_total{answer="expired"}': 1,
    }


async def test_a_model_that_breaks_is_counted(company: CountedCompany) -> None:
    ana = company.chat(breaks())

    await ana.says("Hello")

    told = company.told("meanwhile_model_requests_total", "meanwhile_decisions", "meanwhile_turns_total")
    assert told == {
        'meanwhile_turns_total{cause="message",outcome="apologised"}': 1,
        'meanwhile_decisions_total{outcome="failed"}': 1,
        'meanwhile_model_requests_total{model="scripted",outcome="failed",provider="scripted",role="decider"}': 1,
    }


ASKED = ModelAsked(round=1, role="decider", model="openai/gpt-6")


@pytest.mark.parametrize(
    ("ended", "error", "outcome"),
    [
        (StreamEnded("stop"), None, "ok"),
        (StreamEnded("length"), None, "length"),
        (StreamEnded("refused"), None, "refused"),
        (None, "the stream broke", "failed"),
        (None, "stopped", "stopped"),
    ],
)
def test_a_request_has_an_outcome(ended: StreamEnded | None, error: str | None, outcome: str) -> None:
    values = Metrics()

    store(values, ASKED, ModelChunks(round=1, role="decider", chunks=chunks(ended), error=error))

    labels = f'model="gpt-6",outcome="{outcome}",provider="openai",role="decider"'
    assert series(values.render(), "meanwhile_model_requests_total") == {
        f"meanwhile_model_requests_total{{{labels}}}": 1
    }


def test_tokens_and_cost_belong_to_the_model_that_answered() -> None:
    values, ended = (
        Metrics(),
        StreamEnded(
            "stop",
            input_tokens=1_000,
            cached_tokens=900,
            output_tokens=50,
            cost_usd=0.25,
            model="anthropic/claude-6",
        ),
    )

    store(values, ASKED, ModelChunks(round=1, role="decider", chunks=chunks(ended)))

    who = 'model="claude-6",provider="anthropic",role="decider"'
    found = series(values.render(), "meanwhile_model")
    assert {name: value for name, value in found.items() if "tokens" in name or "cost" in name} == {
        f"meanwhile_model_input_tokens_total{{{who}}}": 1_000,
        f"meanwhile_model_cached_input_tokens_total{{{who}}}": 900,
        f"meanwhile_model_output_tokens_total{{{who}}}": 50,
        f"meanwhile_model_cost_usd_total{{{who}}}": 0.25,
    }
    assert found[f"meanwhile_model_first_chunk_seconds_sum{{{who}}}"] == 0.3


def test_a_reply_with_unknown_cost_is_counted() -> None:
    values = Metrics()

    store(values, ASKED, ModelChunks(round=1, role="decider", chunks=chunks(StreamEnded("stop"))))
    store(
        values,
        ModelAsked(round=1, role="decider", model="offline"),
        ModelChunks(round=1, role="decider", chunks=chunks(StreamEnded("stop"))),
    )

    assert list(series(values.render(), "meanwhile_model_requests_without_cost")) == [
        'meanwhile_model_requests_without_cost_total{model="gpt-6",provider="openai",role="decider"}'
    ]


def test_handoffs_ratings_guardrails_and_identification_are_counted() -> None:
    values = Metrics()

    store(
        values,
        Handoff(handoff_id="h1", state="requested"),
        Handoff(handoff_id="h1", state="queued"),
        Handoff(handoff_id="h1", state="accepted", name="Kim"),
        ForwardedToAgent(message_id="u1", handoff_id="h1"),
        AgentMessage(message_id="a1", handoff_id="h1", name="Kim", text="Hello"),
        Handoff(handoff_id="h1", state="ended"),
        Rated(message_id="t1/m1", rating="down", text="bad"),
        Rated(message_id="t1/m1", rating=None),
        SentenceSuppressed(round=1, guardrail="facts", text="You owe 7."),
        IdentificationAttempted(matched=False),
    )

    assert series(
        values.render(),
        "meanwhile_handoff",
        "meanwhile_ratings",
        "meanwhile_guardrail",
        "meanwhile_identifications",
    ) == {
        'meanwhile_guardrail_suppressions_total{guardrail="facts"}': 1,
        'meanwhile_ratings_total{rating="down"}': 1,
        'meanwhile_identifications_total{matched="no"}': 1,
        'meanwhile_handoffs_total{state="requested"}': 1,
        'meanwhile_handoffs_total{state="queued"}': 1,
        'meanwhile_handoffs_total{state="accepted"}': 1,
        'meanwhile_handoffs_total{state="ended"}': 1,
        "meanwhile_handoff_wait_seconds_count": 1,
        "meanwhile_handoff_wait_seconds_sum": 2,
        'meanwhile_handoff_messages_total{sender="customer"}': 1,
        'meanwhile_handoff_messages_total{sender="agent"}': 1,
    }


def test_the_first_message_begins_a_conversation() -> None:
    values = Metrics()

    store(
        values,
        CustomerMessage(message_id="u1", client_message_id="m1", text="Hi", spoken=True),
        CustomerMessage(message_id="u2", client_message_id="m2", text="Hi"),
    )

    assert series(values.render(), "meanwhile_conversations_total", "meanwhile_messages_total") == {
        'meanwhile_messages_total{entered="text"}': 1,
        'meanwhile_messages_total{entered="spoken"}': 1,
        "meanwhile_conversations_total": 1,
    }


def test_retries_and_fallbacks_name_their_reasons() -> None:
    values = Metrics()
    shop = TenantTelemetry("shop", values)

    shop.model_retried("openai/gpt-6", ModelBusy("busy"))
    shop.model_replaced("openai/gpt-6", "anthropic/claude-6", ModelTimeout("too late"))

    assert list(series(values.render(), "meanwhile_model_retries", "meanwhile_model_fallbacks")) == [
        'meanwhile_model_retries_total{model="gpt-6",provider="openai",reason="busy"}',
        'meanwhile_model_fallbacks_total{fallback="anthropic/claude-6",model="gpt-6",provider="openai",'
        'reason="timeout"}',
    ]


async def test_retried_and_replaced_requests_are_counted(company: CountedCompany) -> None:
    clock = company.clock
    models = [
        ScriptedModel(breaks(), breaks(error=ModelTimeout("too late")), clock=clock, name="openai/gpt-6"),
        ScriptedModel(says("Hello."), clock=clock, name="anthropic/claude-6"),
    ]
    model = FallbackModel(
        [Candidate(model=one, circuit=CircuitBreaker(one.name, clock)) for one in models],
        tries=3,
        prices=Prices(),
        clock=clock,
        jitter=lambda: 0.0,
        telemetry=company.counted,
    )
    async with aclosing(model.stream(ModelRequest(role="decider", view=View("Be brief.", ())))) as stream:
        assert [chunk async for chunk in stream]

    assert list(company.told("meanwhile_model_retries", "meanwhile_model_fallbacks")) == [
        'meanwhile_model_retries_total{model="gpt-6",provider="openai",reason="broke"}',
        'meanwhile_model_fallbacks_total{fallback="anthropic/claude-6",model="gpt-6",provider="openai",'
        'reason="timeout"}',
    ]


async def test_a_summary_model_is_counted(company: CountedCompany) -> None:
    model = ScriptedModel(calls("get_open_invoices"), says("You have 300."), clock=company.clock)
    summariser = ScriptedModel(says("300 invoices.", first_s=2), clock=company.clock, name="openai/gpt-6")
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    deps = replace(deps, summariser=RoleModel(model=summariser))
    company.billing.behaviour = Gives([{"number": f"A-{number}"} for number in range(3_000)])
    ana = open_chat(deps, company.log, telemetry=company.counted)

    await ana.says("Check my bills")
    await ana.session.at_rest()

    who = 'model="gpt-6",provider="openai",role="summariser"'
    found = company.told("meanwhile_model_request")
    assert (
        found[
            'meanwhile_model_requests_total{model="gpt-6",outcome="ok",provider="openai",role="summariser"}'
        ]
        == 1
    )
    assert found[f"meanwhile_model_request_duration_seconds_sum{{{who}}}"] == 2


def test_another_servers_lease_is_no_failure_of_the_log() -> None:
    values = Metrics()
    shop = TenantTelemetry("shop", values)

    shop.append_failed(Fenced("another server writes"))
    shop.append_failed(LogError("the disk is full"))

    assert series(values.render(), "meanwhile_log_append_failures") == {
        'meanwhile_log_append_failures_total{reason="failed"}': 1,
        'meanwhile_log_append_failures_total{reason="fenced"}': 1,
    }


async def test_a_bug_in_counting_does_not_reach_the_customer(company: CountedCompany) -> None:
    def no_tools() -> frozenset[str]:
        raise KeyError("tools")

    company.counted.tools = no_tools
    ana = company.chat(calls("get_open_invoices"), says("You owe $150."))
    with capture_logs() as lines:
        await ana.says("What do I owe?")

    assert ana.transcript[-1] == "assistant: You owe $150."
    assert [line["event"] for line in lines if line["log_level"] == "error"] == ["an entry was not counted"]
    assert company.told("meanwhile_turns_total") == {
        'meanwhile_turns_total{cause="message",outcome="answered"}': 1
    }


def test_a_turn_without_its_beginning_is_left_out() -> None:
    values = Metrics()

    store(values, TurnEnded(turn_id="t1", how="answered"))

    assert series(values.render(), "meanwhile_turn") == {}


def test_a_metric_has_a_limited_number_of_series() -> None:
    values = Metrics()
    shop = TenantTelemetry("shop", values)

    for number in range(6_000):
        shop.model_retried(f"openai/gpt-{number}", ModelBusy("busy"))

    text = values.render().decode()
    assert text.count("meanwhile_model_retries_total{") == 5_001
    assert 'provider="other"' in text


def chunks(ended: StreamEnded | None) -> tuple[tuple[int, TextDelta | StreamEnded], ...]:
    return ((300, TextDelta("Hello")), *(((900, ended),) if ended is not None else ()))


def store(values: Metrics, *entries: Entry) -> None:
    """Count these entries of one conversation, a second apart."""
    store_with(TenantTelemetry("shop", values), *entries)


def store_with(telemetry: TenantTelemetry, *entries: Entry) -> None:
    logged: Sequence[Logged] = [Logged(seq, 1_000 * seq, "t1", entry) for seq, entry in enumerate(entries, 1)]
    telemetry.stored(KEY, logged, logged)
