"""The spans that a collector gets: their order, their attributes, and what they never contain."""

import json
from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator

import pytest
from opentelemetry.semconv._incubating.attributes import gen_ai_attributes

from assistant.conversation.chunks import StreamEnded
from assistant.conversation.entries import ModelAsked, ModelChunks
from assistant.telemetry import semantics
from assistant.telemetry.context import is_sampled, trace_id
from assistant.telemetry.observer import TenantTelemetry
from assistant.telemetry.process import Telemetry
from assistant.telemetry.traces import Traces, _json
from assistant.testing.chat import StoppingLog
from assistant.testing.fake_tool import Broken, Gives
from assistant.testing.script import breaks, calls, says
from assistant.testing.virtual_time import VirtualLoop
from tests.support.otlp_receiver import OtlpReceiver, otlp_receiver
from tests.telemetry.conftest import CountedCompany
from tests.telemetry.test_observer import chunks, store_with


def pytest_asyncio_loop_factories() -> dict[str, Callable[[], AbstractEventLoop]]:
    return {"virtual": VirtualLoop}


class TracedCompany(CountedCompany):
    """The demo company, whose turns are traced."""

    def __init__(self, receiver: OtlpReceiver) -> None:
        super().__init__()
        self.receiver = receiver
        self.trace()

    def trace(self, *, share: float = 1.0, contents: bool = False) -> None:
        self.traces = Traces(self.receiver.url, release="1.2", share=share, contents=contents)
        self.counted = self.telemetry = TenantTelemetry("shop", self.values, self.traces)


@pytest.fixture
def receiver() -> Iterator[OtlpReceiver]:
    with otlp_receiver() as receiver:
        yield receiver


@pytest.fixture
def company(receiver: OtlpReceiver) -> TracedCompany:
    return TracedCompany(receiver)


def two_lookups(company: TracedCompany) -> "CountedCompany":
    company.appointments.behaviour = Gives([{"when": "2026-03-10T14:00"}], after_s=2.0)
    company.billing.behaviour = Gives([{"amount": "150.00"}], after_s=3.0)
    return company


async def test_a_turn_is_a_trace_with_its_requests_and_calls(company: TracedCompany) -> None:
    two_lookups(company)
    ana = company.chat(
        calls("list_upcoming_appointments", "get_open_invoices", first_s=0.5),
        says(["You're booked for March 10."], first_s=1.0),
    )
    began_ms = company.clock.now_ms()

    await ana.says("Check my appointments and billing")
    await company.traces.close()

    spans = company.receiver.spans
    turn = company.receiver.named("invoke_agent meanwhile")
    assert sorted(
        (span.name, span.kind, span.start_ms - began_ms, span.end_ms - began_ms) for span in spans
    ) == [
        ("chat scripted", "client", 0, 500),
        ("chat scripted", "client", 3500, 4500),
        ("execute_tool get_open_invoices", "internal", 500, 3500),
        ("execute_tool list_upcoming_appointments", "internal", 500, 2500),
        ("invoke_agent meanwhile", "internal", 0, 4500),
    ]
    assert {span.trace for span in spans} == {turn.trace}
    assert [span.parent for span in spans if span is not turn] == [turn.id] * 4
    assert turn.parent == ""
    assert len({span.id for span in spans}) == 5
    assert turn.attributes == {
        "gen_ai.operation.name": "invoke_agent",
        "gen_ai.agent.name": "meanwhile",
        "gen_ai.conversation.id": "c-1",
        "meanwhile.tenant": "shop",
        "meanwhile.turn": "t1",
        "meanwhile.turn.cause": "message",
        "meanwhile.outcome": "answered",
    }
    assert {name: at_ms - began_ms for name, at_ms in turn.events.items()} == {
        "first words": 500,
        "first fact": 4500,
    }
    assert turn.resource["service.name"] == "meanwhile"
    assert turn.resource["service.version"] == "1.2"


async def test_a_request_has_the_attributes_of_the_conventions(company: TracedCompany) -> None:
    ended = StreamEnded(
        "stop",
        input_tokens=1_000,
        cached_tokens=900,
        output_tokens=50,
        cost_usd=0.25,
        model="anthropic/claude-6",
    )

    store_with(
        company.counted,
        ModelAsked(round=1, role="decider", model="openai/gpt-6"),
        ModelChunks(round=1, role="decider", chunks=chunks(ended)),
    )
    await company.traces.close()

    assert company.receiver.named("chat gpt-6").attributes == {
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "openai",
        "gen_ai.request.model": "gpt-6",
        "gen_ai.response.model": "claude-6",
        "gen_ai.request.stream": True,
        "gen_ai.response.time_to_first_chunk": 0.3,
        "gen_ai.response.finish_reasons": ["stop"],
        "gen_ai.usage.input_tokens": 1_000,
        "gen_ai.usage.output_tokens": 50,
        "gen_ai.usage.cache_read.input_tokens": 900,
        "gen_ai.conversation.id": "c-1",
        "meanwhile.tenant": "shop",
        "meanwhile.turn": "t1",
        "meanwhile.model.role": "decider",
        "meanwhile.round": 1,
        "meanwhile.attempt": 1,
        "meanwhile.outcome": "ok",
        "meanwhile.cost_usd": 0.25,
    }


def test_the_names_are_those_of_the_installed_conventions() -> None:
    known = {value for name, value in vars(gen_ai_attributes).items() if name.startswith("GEN_AI_")}
    ours = {value for name, value in vars(semantics).items() if name.isupper()}

    assert {name for name in ours if name.startswith("gen_ai.")} <= known


async def test_failures_are_marked(company: TracedCompany) -> None:
    ana = company.chat(calls("get_open_invoices"), breaks(), billing=Broken())

    await ana.says("What do I owe?")
    await company.traces.close()

    failed = {span.name: span.attributes["error.type"] for span in company.receiver.spans if span.failed}
    assert failed["execute_tool get_open_invoices"] == "failed"
    assert failed["chat scripted"] == "failed"


async def test_no_text_of_the_conversation_is_sent(company: TracedCompany) -> None:
    ana = company.chat(
        calls(("get_order_status", {"order": "order 4711"})),
        says("Your parcel 0815 is on its way."),
        orders=Gives({"status": "secret status"}),
    )

    await ana.says("Where is my parcel, says Quittenbaum?")
    await company.traces.close()

    told = str(company.receiver.spans)
    assert "execute_tool get_order_status" in told
    assert not any(word in told for word in ("4711", "0815", "secret", "Quittenbaum", "parcel"))


async def test_contents_are_sent_on_request_and_masked(company: TracedCompany) -> None:
    company.trace(contents=True)
    ana = company.chat(
        calls(("get_order_status", {"order": "4711, ana@web.example"})),
        says("It is on its way."),
        orders=Gives({"status": "sent to ana@web.example", "card": 4111111111111111}),
    )

    await ana.says("Where is order 4711? I am ana@web.example, password=hunter2")
    await company.traces.close()

    call = company.receiver.named("execute_tool get_order_status").attributes
    assert json.loads(call["gen_ai.tool.call.arguments"]) == {"order": "4711, <email>"}
    assert json.loads(call["gen_ai.tool.call.result"]) == {"status": "sent to <email>", "card": "<card>"}
    turn = company.receiver.named("invoke_agent meanwhile").attributes
    assert json.loads(turn["gen_ai.input.messages"]) == [
        {
            "role": "user",
            "parts": [
                {"type": "text", "content": "Where is order 4711? I am <email>, password=<secret>"},
            ],
        }
    ]
    assert "It is on its way." in turn["gen_ai.output.messages"]


async def test_a_turn_that_another_process_ends_stays_in_its_trace(company: TracedCompany) -> None:
    log = StoppingLog(most=100)
    before = company.chat(calls("get_open_invoices"), log=log, billing=Gives("nothing", after_s=5.0))
    await before.begins("What do I owe?")
    await company.clock.sleep(1)
    log.most = len(log.kept)
    await company.clock.sleep(20)
    await company.traces.close()
    company.trace()

    whole = StoppingLog(most=1_000, kept=log.kept)
    after = company.chat(says("Nothing."), entries=log.kept, log=whole, billing=Gives("nothing"))
    after.session.resume()
    await after.session.answered()
    await company.traces.close()

    spans = company.receiver.spans
    assert [span.name for span in spans] == [
        "chat scripted",
        "execute_tool get_open_invoices",
        "chat scripted",
        "invoke_agent meanwhile",
    ]
    assert len({span.trace for span in spans}) == 1
    assert {span.parent for span in spans[:-1]} == {spans[-1].id}


async def test_a_share_of_the_turns_is_traced(company: TracedCompany) -> None:
    company.trace(share=0.5)
    ana = company.chat(*[says("Hello.")] * 20)

    for number in range(1, 21):
        await ana.says(f"Hello {number}")
    await company.traces.close()

    turns = {
        str(span.attributes["meanwhile.turn"])
        for span in company.receiver.spans
        if span.name.startswith("invoke_agent")
    }
    wanted = {
        f"t{number}" for number in range(1, 21) if is_sampled(trace_id("shop", "c-1", f"t{number}"), 0.5)
    }
    assert turns == wanted
    assert 0 < len(turns) < 20


async def test_a_job_has_a_trace_of_its_own(company: TracedCompany) -> None:
    traces = company.traces

    traces.job_ended("erase", "shop", 7, 1_000, 3_000, None)
    traces.job_ended("erase", "", 8, 1_000, 3_000, "StoreError")
    await Telemetry(company.clock, release="1.2", traces=traces).close()

    first, second = company.receiver.spans
    assert (first.name, first.start_ms, first.end_ms, first.parent) == ("job erase", 1_000, 3_000, "")
    assert first.attributes == {
        "meanwhile.job.kind": "erase",
        "meanwhile.job.number": 7,
        "meanwhile.tenant": "shop",
    }
    assert (second.failed, second.attributes["error.type"]) == (True, "StoreError")
    assert first.trace != second.trace


async def test_an_unavailable_collector_delays_nothing(company: TracedCompany) -> None:
    company.receiver.answer = 400
    ana = company.chat(says("Hello."))

    await ana.says("Hello")
    await company.traces.close()

    assert ana.transcript[-1] == "assistant: Hello."
    assert company.receiver.spans == []


def test_a_long_value_is_cut() -> None:
    assert len(_json(["x" * 20_000])) == 8_001
