"""The cookbook's recipes when something fails: the page's description is right."""

import asyncio
import sys
from base64 import b64decode
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from assistant.conversation.calls import Call
from assistant.conversation.customer import Customer
from assistant.conversation.outcomes import CallDenied, CallFailed, CallSucceeded, Outcome, outcome_name
from assistant.conversation.values import Json
from assistant.testing.script import breaks, calls
from assistant.testing.virtual_time import run_virtually
from assistant.tools.execute import prepare
from tests.docs.recipes import COOKBOOK, DEMO, VISITOR, RecipeFolder


@pytest.fixture
async def carrier(monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[list[tuple[int, Json]]]:
    """A carrier on loopback, which answers as this list says: a status and a body for each request."""
    left: list[tuple[int, Json]] = []

    async def answer(request: web.Request) -> web.StreamResponse:
        status, body = left.pop(0)
        return web.json_response(
            {**body, "place": request.path} if isinstance(body, dict) else body, status=status
        )

    application = web.Application()
    application.router.add_get("/{tail:.*}", answer)
    runner = web.AppRunner(application)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    host, port = runner.addresses[0][:2]
    monkeypatch.setenv("CARRIER_URL", f"http://{host}:{port}")
    yield left
    await runner.cleanup()
    assert left == []


async def test_a_busy_service_is_asked_again(tmp_path: Path, carrier: list[tuple[int, Json]]) -> None:
    carrier += [(503, None), (200, {"status": "in transit"})]

    heard = await RecipeFolder(tmp_path, 5).hears("track_shipment", number="AB123456")

    assert heard == "The carrier says: in transit, /shipments/AB123456."


async def test_a_service_that_does_not_know_it_is_not_asked_again(
    tmp_path: Path, carrier: list[tuple[int, Json]]
) -> None:
    carrier += [(404, None)]

    assert (
        await RecipeFolder(tmp_path, 5).hears("track_shipment", number="AB123456")
        == "The carrier doesn't know that number."
    )


async def test_an_unreachable_service_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CARRIER_URL", "http://127.0.0.1:9")

    heard = await RecipeFolder(tmp_path, 5).hears("track_shipment", number="AB123456")

    assert heard == "I couldn't ask the carrier about your shipment: I can't reach the carrier."


def test_the_customer_is_not_asked_about_something_impossible(tmp_path: Path) -> None:
    chat = RecipeFolder(tmp_path, 3).chat(calls(("move_delivery", {"day": "2026-11-29"})), breaks())

    scene = run_virtually(chat.says("Can it come on Sunday?"))

    assert scene.splitlines() == [
        "  [move_delivery failed]",
        "Assistant: I couldn't move your delivery: we don't deliver on Sundays.",
    ]


UNSTEADY = """
from decimal import Decimal
from dataclasses import dataclass

asked, done, breaks_off = [], {{}}, {breaks_off}

@dataclass
class Charge:
    receipt: str
    amount: Decimal

async def charge(customer, amount, key):
    asked.append(key)
    done.setdefault(key, Charge(f"R-{{len(done) + 1}}", amount))
    if len(asked) <= breaks_off:
        raise ConnectionError
    return done[key]

async def charged(key):
    return done.get(key)
"""


@pytest.mark.parametrize(("breaks_off", "asked"), [(0, 1), (2, 3), (9, 3)])
def test_an_interrupted_charge_is_made_once_and_reported(breaks_off: int, asked: int, tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, 4)
    recipe.put("_payments", UNSTEADY.format(breaks_off=breaks_off))

    outcome = run_virtually(recipe.call("top_up_gift_card", amount="50"))

    payments = sys.modules["tools._payments"]
    assert (payments.asked, list(payments.done)) == (["key-1"] * asked, ["key-1"])
    assert isinstance(outcome, CallSucceeded)
    assert outcome.value == {"receipt": "R-1", "amount": "50"}


@pytest.mark.parametrize("amount", ["4.99", "201", "10.001", "fifty"])
def test_a_wrong_amount_is_not_charged(amount: str, tmp_path: Path) -> None:
    call = Call(id="c1.1", tool="top_up_gift_card", arguments={"amount": amount})

    assert isinstance(prepare(call, RecipeFolder(tmp_path, 4).tools, DEMO), CallFailed)


BUSY = """
import asyncio

at_work, most = 0, 0

async def count(article):
    global at_work, most
    at_work += 1
    most = max(most, at_work)
    await asyncio.sleep(1)
    at_work -= 1
    return 1
"""


def test_three_calls_run_at_a_time(tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, 7)
    recipe.put("_warehouse", BUSY)

    async def all_at_once() -> list[Outcome]:
        articles = (f"L-{number}" for number in range(20))
        return await asyncio.gather(*(recipe.call("check_stock", article=one) for one in articles))

    outcomes = run_virtually(all_at_once())

    assert sys.modules["tools._warehouse"].most == 3
    # Six seconds, three a second: two have waited in vain, and were not begun.
    assert [outcome_name(one) for one in outcomes] == ["ok"] * 15 + ["timed_out"] * 3 + ["failed"] * 2
    assert isinstance(outcomes[-1], CallFailed)
    assert f'"{outcomes[-1].say}"' in COOKBOOK.prose


def test_a_system_that_is_down_is_not_called(tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, 7)
    recipe.put(
        "_warehouse", "asked = []\nasync def count(article):\n    asked.append(1)\n    raise OSError\n"
    )

    async def seven() -> list[Outcome]:
        outcomes = [await recipe.call("check_stock", article="L-100") for _ in range(7)]
        await asyncio.sleep(15)
        return [*outcomes, await recipe.call("check_stock", article="L-100")]

    outcomes = run_virtually(seven())

    assert len(sys.modules["tools._warehouse"].asked) == 6
    assert isinstance(outcomes[5], CallFailed)
    assert f'"{outcomes[5].say}"' in COOKBOOK.prose


@pytest.mark.parametrize(("number", "postcode"), [("7041", "8001"), ("7042", "8000")])
def test_all_failed_identifications_get_the_same_text(number: str, postcode: str, tmp_path: Path) -> None:
    heard = run_virtually(
        RecipeFolder(tmp_path, 8).hears("verify_customer", VISITOR, number=number, postcode=postcode)
    )

    assert heard == "I couldn't check your details: I can't confirm who you are with what you gave me."


def test_only_a_signed_in_customer_can_change_the_plan(tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, 8)
    call = Call(id="c1.1", tool="change_plan", arguments={"plan": "Fibre 1000"})
    ana = Customer(tenant="demo", id="7041", level="signed_in")

    assert isinstance(prepare(call, recipe.tools, replace(ana, level="verified")), CallDenied)
    assert (
        run_virtually(recipe.hears("change_plan", ana, plan="Fibre 1000")) == "Your plan is now Fibre 1000."
    )


def test_the_file_is_sent_in_addition_to_the_value(tmp_path: Path) -> None:
    outcome = run_virtually(RecipeFolder(tmp_path, 10).call("get_invoice_file", number="2026-114"))

    assert isinstance(outcome, CallSucceeded)
    (file,) = outcome.media
    assert (file.mime, file.name) == ("application/pdf", "invoice-2026-114.pdf")
    assert b64decode(file.data).startswith(b"%PDF")


def test_another_customers_invoice_is_refused(tmp_path: Path) -> None:
    stranger = Customer(tenant="demo", id="c-9", level="verified")

    heard = run_virtually(RecipeFolder(tmp_path, 10).hears("get_invoice_file", stranger, number="2026-114"))

    assert heard == "I couldn't get your invoice: I can't find that invoice."


def test_a_customer_without_an_account_is_told_so(tmp_path: Path) -> None:
    heard = run_virtually(RecipeFolder(tmp_path, 8).hears("get_plan", DEMO))

    assert heard == "I couldn't look up your plan: I can't find an account of yours."
