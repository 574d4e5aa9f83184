"""Background work after a turn: long conversations and large results are summarised."""

import asyncio
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace

import pytest
from structlog.testing import capture_logs

from assistant.conversation.entries import Snapshot
from assistant.conversation.views import FromTools, View
from assistant.errors import LogError, ModelBusy
from assistant.memory.budget import Budget
from assistant.models.tokens import Estimate
from assistant.ports import Model
from assistant.prompts.book import PromptBook, shipped_book
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session_registry import SessionRegistry
from assistant.sessions.summaries import MAX_CONCURRENT
from assistant.testing.chat import ANA, KEY, Chat, StoppingLog, deps_for, open_chat
from assistant.testing.fake_tool import Gives
from assistant.testing.script import Line, breaks, calls, says
from assistant.testing.scripted_model import ScriptedModel
from assistant.turn.context import RoleModel, TurnDependencies
from tests.support.fake_summariser import FakeSummariser
from tests.turn.conftest import Company

ROWS = [{"number": f"A-{10_000 + number}", "amount": f"{number}.50"} for number in range(300)]

BROKEN = """{# tool arguments question result words language #}
{{ tool }} {{ arguments }} {{ question }} {{ result }} {{ words }} {{ language }}
{% if tool == "get_open_invoices" %}{{ 1 // 0 }}{% endif %}
"""


def deps_of(
    company: Company, model: Model, summariser: Model | None = None, tokens: int | None = None
) -> TurnDependencies:
    """The company's dependencies, with a budget for the decision model and a model for summaries."""
    deps = deps_for(model, company.tools, shipped_book(), company.clock)
    budget = None if tokens is None else Budget(tokens=tokens, counter=Estimate())
    role = RoleModel(model=model, budget=budget)
    return replace(
        deps,
        models={"decider": role, "narrator": role},
        summariser=RoleModel(model=summariser) if summariser is not None else None,
    )


def chat(
    company: Company, *lines: Line, summaries: Sequence[Line] | None = None, reopens: Chat | None = None
) -> Chat:
    """A conversation; ``summaries`` are what the summary model writes, None for rules alone."""
    model = ScriptedModel(*lines, clock=company.clock)
    company.models.append(model)
    summariser = None
    if summaries is not None:
        summariser = ScriptedModel(*summaries, clock=company.clock, name="summariser")
        company.models.append(summariser)
    entries = [] if reopens is None else reopens.session.entries
    return open_chat(deps_of(company, model, summariser), company.log, entries)


def snapshots(opened: Chat) -> list[Snapshot]:
    return [logged.entry for logged in opened.session.entries if isinstance(logged.entry, Snapshot)]


def result_in(view: View) -> str:
    return str(next(message for message in view.messages if isinstance(message, FromTools)).outcomes[0])


ASKS = (calls("get_open_invoices"), says("You have 300 invoices."))


async def test_a_large_result_is_summarised_before_the_next_turn(company: Company) -> None:
    ana = chat(
        company, *ASKS, says("It was 1.50."), summaries=[says("300 invoices, A-10000 to A-10299.", first_s=5)]
    )
    company.billing.behaviour = Gives(ROWS)
    await ana.says("Check my bills")
    await ana.session.at_rest()

    await ana.says("What was the second one?")

    rule, by_model = snapshots(ana)
    assert (rule.made_by, rule.complete) == ("rule", False)
    assert by_model == replace(rule, result_summary="300 invoices, A-10000 to A-10299.", made_by="model")
    view = company.models[0].requests[-1].view
    assert "300 invoices, A-10000 to A-10299." in result_in(view)
    assert rule.full_result_ref in result_in(view)


async def test_until_then_the_rules_short_form_is_used(
    company: Company,
) -> None:
    ana = chat(company, *ASKS, says("It was 1.50."), summaries=[says("300 invoices.", first_s=60)])
    company.billing.behaviour = Gives(ROWS)
    await ana.says("Check my bills")
    began = company.clock.monotonic()

    await ana.says("What was the second one?")

    assert company.clock.monotonic() - began < 1
    assert "A-10001" in result_in(company.models[0].requests[-1].view)
    assert not ana.session.idle
    await ana.session.at_rest()
    assert snapshots(ana)[-1].made_by == "model"


async def test_the_models_summary_is_stored_without_further_events(company: Company) -> None:
    ana = chat(company, *ASKS, summaries=[says("300 invoices.", first_s=5)])
    company.billing.behaviour = Gives(ROWS)
    await ana.says("Check my bills")

    await company.clock.sleep(10)

    assert [one.made_by for one in snapshots(ana)] == ["rule", "model"]


async def test_small_results_are_not_summarised(company: Company) -> None:
    ana = chat(company, calls("get_open_invoices"), says("You owe $150."), summaries=[])

    await ana.says("Check my bill")
    await ana.session.at_rest()

    assert [one.made_by for one in snapshots(ana)] == ["rule"]


async def test_a_failing_model_is_retried_after_growing_pauses_then_skipped(
    company: Company,
) -> None:
    ana = chat(company, *ASKS, summaries=[breaks("3"), breaks(error=ModelBusy("busy")), says("  ")])
    company.billing.behaviour = Gives(ROWS)

    with capture_logs() as logs:
        await ana.says("Check my bills")
        began = company.clock.monotonic()
        await ana.session.at_rest()

    assert company.clock.monotonic() - began == pytest.approx(2 + 15, abs=0.5)
    failed = [line for line in logs if line["event"] == "summary failed"]
    assert [(line["of"], line["tries"], line["log_level"]) for line in failed] == [
        ("result", tries, "warning") for tries in (1, 2, 3)
    ]
    assert "busy" in failed[1]["error"]
    assert [one.made_by for one in snapshots(ana)] == ["rule"]


async def test_a_missing_summary_is_made_at_the_next_opening(
    company: Company,
) -> None:
    ana = chat(company, *ASKS, summaries=[says("300 invoices.", first_s=60)])
    company.billing.behaviour = Gives(ROWS)
    await ana.says("Check my bills")
    await company.clock.sleep(1)
    await ana.session.close()

    again = chat(company, summaries=[says("300 invoices.")], reopens=ana)
    await again.session.welcome(None)
    await again.session.at_rest()

    assert [one.made_by for one in snapshots(again)] == ["rule", "model"]


async def test_summaries_that_have_not_begun_at_closing_are_not_begun(company: Company) -> None:
    ana = chat(company, *ASKS, summaries=[])
    company.billing.behaviour = Gives(ROWS)
    await ana.begins("Check my bills")

    await ana.session.close(patience_s=5)
    await company.clock.sleep(1)

    assert [one.made_by for one in snapshots(ana)] == ["rule"]


async def test_the_number_of_concurrent_summaries_is_limited(company: Company) -> None:
    company.billing.behaviour = Gives(ROWS)
    model = ScriptedModel(*ASKS * 5)
    summariser = FakeSummariser(company.clock, lambda _: "300 invoices.", after_s=30)
    sessions = SessionRegistry(FixedConfig(deps_of(company, model, summariser)), company.log, "test")
    keys = [replace(KEY, conversation=f"c-{number}") for number in range(5)]

    opened = [await sessions.open(key, ANA) for key in keys]
    for session in opened:
        await session.say(client_message_id="m1", text="Check my bills", locale="en")
        await session.answered()
    await asyncio.gather(*(session.at_rest() for session in opened))

    assert (summariser.most, summariser.asked) == (MAX_CONCURRENT, 5)


async def test_a_template_that_cannot_be_rendered_is_a_failure_like_others(company: Company) -> None:
    summariser = FakeSummariser(company.clock, lambda _: "300 invoices.")
    deps = deps_of(company, ScriptedModel(*ASKS), summariser)
    broken = PromptBook({**deps.book.sources, "models/result_summary.j2": BROKEN})
    ana = open_chat(replace(deps, book=broken), company.log)
    company.billing.behaviour = Gives(ROWS)

    with capture_logs() as logs:
        await ana.says("Check my bills")
        await ana.session.at_rest()

    errors = [line["error"] for line in logs if line["event"] == "summary failed"]
    assert [error.split(":")[0].rpartition("/")[2] for error in errors] == ["result_summary.j2"] * 3
    assert summariser.asked == 0


async def test_our_own_bug_does_not_reach_the_customer(company: Company) -> None:
    ana = chat(company, *ASKS, says("You're welcome."), summaries=[])
    company.models.pop()  # its script is asked for more than it has
    company.billing.behaviour = Gives(ROWS)

    with capture_logs() as logs:
        await ana.says("Check my bills")
        await ana.session.at_rest()
        said = await ana.says("Thanks")

    assert said == "Assistant: You're welcome."
    assert any(line["event"] == "summary failed" and line["log_level"] == "error" for line in logs)


@pytest.mark.parametrize("most", range(12, 18))
async def test_a_log_failure_ends_it(company: Company, most: int) -> None:
    log = StoppingLog(most)
    model = ScriptedModel(*ASKS)
    summariser = FakeSummariser(company.clock, lambda _: "300 invoices.", after_s=1)
    company.billing.behaviour = Gives(ROWS)
    ana = open_chat(deps_of(company, model, summariser), log)

    with suppress(LogError):
        await ana.says("Check my bills")
        await ana.session.at_rest()

    assert ana.session.failed == (len(log.kept) == most)
    await ana.session.close()


async def test_operators_get_a_log_message(company: Company) -> None:
    ana = chat(company, *ASKS, summaries=[says("300 invoices.", first_s=3)])
    company.billing.behaviour = Gives(ROWS)

    with capture_logs() as logs:
        await ana.says("Check my bills")
        await ana.session.at_rest()

    (line,) = [line for line in logs if line["event"] == "result summarised"]
    assert line == {
        "event": "result summarised", "log_level": "info", "conversation": "c-1",
        "turn": "t1", "call": "c1.1", "tool": "get_open_invoices", "ms": 3000,
    }  # fmt: skip
