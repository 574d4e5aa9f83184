"""The context of running code: in log lines, and in requests to other systems."""

import asyncio
import json
import logging
from collections.abc import Iterator

import pytest
import structlog

from assistant.commands.logging import JsonFormatter, set_up_logging
from assistant.conversation.customer import Customer
from assistant.conversation.values import JsonObject
from assistant.telemetry.context import (
    begin_call,
    begin_work,
    current_work,
    is_sampled,
    span_id,
    trace_id,
    traceparent,
)
from assistant.telemetry.metrics import Metrics
from assistant.telemetry.observer import TenantTelemetry
from assistant.telemetry.process import Telemetry
from assistant.telemetry.traces import Traces
from assistant.testing.fake_tool import Broken, FakeTool, Gives
from assistant.testing.script import calls, says
from assistant.testing.virtual_time import VirtualClock
from assistant.tools.tool import ToolContext, ToolResult
from tests.support.otlp_receiver import otlp_receiver
from tests.telemetry.conftest import CountedCompany, series


@pytest.fixture(autouse=True)
def as_it_was_before() -> Iterator[None]:
    yield
    structlog.reset_defaults()


def lines(captured: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in captured.splitlines()]


async def test_each_line_names_tenant_conversation_and_turn(
    company: CountedCompany, capsys: pytest.CaptureFixture[str]
) -> None:
    set_up_logging(form="json")
    ana = company.chat(calls("get_open_invoices"), says("I couldn't."), billing=Broken())

    await ana.says("What do I owe?")

    told = lines(capsys.readouterr().err)
    assert [line["event"] for line in told] == ["tool raised", "turn ended"]
    assert {(line["tenant"], line["conversation"], line["turn"]) for line in told} == {("shop", "c-1", "t1")}


async def test_a_line_about_another_conversation_names_no_turn(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(form="json")

    async def work() -> None:
        begin_work("shop", "c-1", "t1")
        structlog.get_logger().info("opened", conversation="c-2")
        structlog.get_logger().info("answered")

    await asyncio.create_task(work())

    other, own = lines(capsys.readouterr().err)
    assert (other["conversation"], other.get("turn")) == ("c-2", None)
    assert (own["tenant"], own["conversation"], own["turn"]) == ("shop", "c-1", "t1")
    assert current_work.get() is None


def test_a_line_of_json_begins_with_time_level_and_event(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(form="json")

    structlog.get_logger().warning("no account for ana@web.example", tries=3, file=None)

    (line,) = lines(capsys.readouterr().err)
    assert list(line) == ["time", "level", "event", "tries", "file"]
    assert (line["level"], line["event"], line["tries"]) == ("warning", "no account for <email>", 3)


def test_a_traceback_in_json_is_one_masked_line(capsys: pytest.CaptureFixture[str]) -> None:
    set_up_logging(form="json")

    structlog.get_logger().exception("tool raised", exc_info=ValueError("ana@web.example\nis gone"))

    (line,) = lines(capsys.readouterr().err)
    assert line["level"] == "error"
    assert str(line["exception"]).endswith("ValueError: <email>\nis gone")
    assert "exc_info" not in line


def test_a_library_logs_json_too() -> None:
    error = ValueError("ana@web.example is gone")
    raised = (ValueError, error, None)
    record = logging.LogRecord("uvicorn.error", logging.ERROR, "", 1, "for %s", ("ana@web.example",), raised)

    line = json.loads(JsonFormatter().format(record))

    assert (line["level"], line["event"], line["logger"]) == ("error", "for <email>", "uvicorn.error")
    assert line["exception"] == "ValueError: <email> is gone"


def test_warnings_and_errors_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    telemetry = Telemetry(VirtualClock(), release="1.2")
    set_up_logging(counted=telemetry.line_logged)

    log = structlog.get_logger()
    log.info("fine")
    log.warning("hm")
    log.error("oh")
    log.exception("oh", exc_info=ValueError("no"))

    assert series(telemetry.values.render(), "meanwhile_log_lines") == {
        'meanwhile_log_lines_total{level="warning"}': 1,
        'meanwhile_log_lines_total{level="error"}': 2,
    }
    assert "oh" in capsys.readouterr().err


class AskingTool(FakeTool):
    """Records the headers that another system would get with its call."""

    parents: list[str | None]
    current: list[tuple[int, int]]

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        from opentelemetry.trace import get_current_span

        span = get_current_span().get_span_context()
        self.parents.append(traceparent())
        self.current.append((span.trace_id, span.span_id))
        return ToolResult("done")


@pytest.mark.parametrize(("share", "flag"), [(1.0, "01"), (0.0, "00")])
async def test_a_call_continues_the_trace_of_its_turn(
    company: CountedCompany, share: float, flag: str
) -> None:
    tool = asking(company)
    with otlp_receiver() as receiver:
        traces = Traces(receiver.url, release="1", share=share)
        company.telemetry = TenantTelemetry("shop", Metrics(), traces)
        ana = company.chat(calls("get_open_invoices"), says("Done."))

        await ana.says("What do I owe?")
        await traces.close()

    trace, span = trace_id("shop", "c-1", "t1"), span_id("shop", "c-1", "t1", "c1.1")
    assert tool.parents == [f"00-{trace:032x}-{span:016x}-{flag}"]
    assert tool.current == [(trace, span)]
    assert len(receiver.spans) == (4 if share else 0)


async def test_without_traces_no_header_is_sent(company: CountedCompany) -> None:
    tool = asking(company)
    ana = company.chat(calls("get_open_invoices"), says("Done."))

    await ana.says("What do I owe?")

    assert (tool.parents, tool.current) == ([None], [(0, 0)])


def asking(company: CountedCompany) -> AskingTool:
    tool = AskingTool(company.billing.spec, Gives("done"), company.clock)
    tool.parents, tool.current = [], []
    company.billing = tool
    return tool


def test_outside_of_a_call_there_is_no_parent() -> None:
    begin_call("t1", "c1.1")

    assert traceparent() is None


def test_ids_are_the_same_in_each_process_and_differ_between_turns() -> None:
    assert f"{trace_id('shop', 'c-1', 't1'):032x}" == "accbe9977fac8272170da73e27572b83"
    assert (
        len({trace_id("shop", "c-1", "t1"), trace_id("shop", "c-1t", "1"), trace_id("sho", "pc-1", "t1")})
        == 3
    )
    assert len({span_id("shop", "c-1", "t1", f"c1.{number}") for number in range(100)}) == 100


def test_the_share_of_traces_is_applied() -> None:
    kept = sum(is_sampled(trace_id("shop", f"c-{number}", "t1"), 0.25) for number in range(4_000))

    assert 900 < kept < 1_100
