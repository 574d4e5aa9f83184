"""Requests that were held out, and harmless messages: how good the embedded model is, and how safe."""

import pytest

from tests.models.demo.conftest import OpenTalk
from tests.models.demo.score import HERE, decide, demo_specs, load, score, totals
from tests.support.rows import check_rows

HARMLESS = (HERE / "harmless.txt").read_text(encoding="utf-8").splitlines()


@pytest.mark.parametrize(("file", "at_least"), [("heldout.jsonl", 48), ("dev.jsonl", 85)])
def test_enough_requests_are_decided_exactly(file: str, at_least: int) -> None:
    scored = [score(request, demo_specs()) for request in load(file)]
    print(f"\n{file}: {totals(scored)}")

    assert sum(one.exact for one in scored) >= at_least
    assert not [one.request["text"] for one in scored if one.wrong_writes]


@check_rows("message", HARMLESS)
def test_talking_about_an_action_does_nothing(message: str) -> None:
    assert not [plan for plan in decide(message).calls if plan.spec.effect == "write"]


@check_rows("message", HARMLESS)
async def test_talking_about_a_looked_up_thing_does_nothing_either(shop: OpenTalk, message: str) -> None:
    ana = shop()
    await ana.says("Where are my orders, and when are my appointments?")

    reply = await ana.says(message)

    calls = reply if isinstance(reply, list) else []
    calls += more if isinstance(more := await ana.goes_on() if calls else "", list) else []
    assert not [tool for tool, _ in calls if demo_specs()[tool].effect == "write"]
