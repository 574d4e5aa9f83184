"""A lookup with a recent result is not made again, and the text does not claim that it was."""

from dataclasses import replace

import pytest

from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, CallStarted
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.values import Json
from assistant.testing.chat import Chat
from assistant.testing.fake_tool import Behaviour, Broken, Gives, fake_spec
from assistant.testing.scene import scene
from assistant.testing.script import calls, says
from tests.turn.conftest import Company
from tests.turn.timeline import timeline

ORDER = ("get_order_status", {"order": "A7"})
NOTE = ("add_note", {"text": "late"})


@pytest.fixture
def shop(company: Company) -> Company:
    """Orders stand for a minute."""
    company.orders.spec = replace(company.orders.spec, cache_ttl_s=60)
    return company


def again(chat: Chat) -> list[str]:
    """Which earlier calls the last turn's outcomes are from; "" for a call that ran."""
    turn = chat.session.state.turns[-1].id
    entries = (logged.entry for logged in chat.session.entries if logged.turn_id == turn)
    return [entry.reused_from for entry in entries if isinstance(entry, CallEnded)]


async def test_the_same_lookup_reuses_its_recent_result_unannounced(shop: Company) -> None:
    ana = shop.chat(calls(ORDER), says("Shipped."), calls(ORDER), says("Shipped, as I said."))
    await ana.says("Where is order A7?")
    await shop.clock.sleep(59)

    assert await ana.says("Sorry, where?") == scene("""
          [get_order_status ok]
        Assistant: Shipped, as I said.
    """)
    assert again(ana) == ["t1/c1.1"]
    outcome = ana.session.state.turns[1].outcomes["c1.1"]
    assert outcome == CallSucceeded(call=ana.session.state.turns[1].calls[0], value={"status": "shipped"})
    assert len(shop.orders.ran) == 1
    assert not [
        logged
        for logged in ana.session.entries
        if logged.turn_id == "t2" and isinstance(logged.entry, CallStarted)
    ]


async def test_a_reused_result_is_as_old_as_its_original_lookup(shop: Company) -> None:
    ana = shop.chat(*[line for _ in range(3) for line in (calls(ORDER), says("Shipped."))])
    await ana.says("Where is order A7?")
    await shop.clock.sleep(40)
    await ana.says("Where?")
    await shop.clock.sleep(20)

    await ana.says("And now?")

    assert again(ana) == [""]
    assert len(shop.orders.ran) == 2


@pytest.mark.parametrize(
    ("first", "second"),
    [({"order": "A7"}, {"order": "A8"}), ({"order": 7}, {"order": "7"})],
)
async def test_other_arguments_are_looked_up(
    shop: Company, first: dict[str, Json], second: dict[str, Json]
) -> None:
    ana = shop.chat(
        calls(("get_order_status", first)),
        says("Shipped."),
        calls(("get_order_status", second)),
        says("Both."),
    )
    await ana.says("Where is it?")

    await ana.says("And the other?")

    assert len(shop.orders.ran) == 2


@pytest.mark.parametrize(("how", "runs"), [(Broken(), 2), (Gives([]), 1)])
async def test_a_failure_is_not_reused_and_an_empty_result_is(
    shop: Company, how: Behaviour, runs: int
) -> None:
    ana = shop.chat(calls(ORDER), says("Hm."), calls(ORDER), says("Hm."), orders=how)
    await ana.says("Where is order A7?")

    await ana.says("Sure?")

    assert len(shop.orders.ran) == runs


@pytest.mark.parametrize(
    ("how", "runs"), [(Gives("noted"), 2), (Gives("noted", after_s=20), 2), (Broken(), 1)]
)
async def test_a_side_effect_in_between_prevents_the_reuse(shop: Company, how: Behaviour, runs: int) -> None:
    ana = shop.chat(
        calls(ORDER), says("Shipped."), calls(NOTE), says("Noted."), calls(ORDER), says("Shipped."), note=how
    )
    await ana.says("Where is order A7?")
    await ana.says("Note that I am late")

    await ana.says("Where is it now?")

    assert len(shop.orders.ran) == runs


async def test_a_running_side_effect_prevents_the_reuse(shop: Company) -> None:
    shop.respec(shop.note, timeout_s=60)
    ana = shop.chat(
        calls(ORDER), says("Shipped."), calls(NOTE), says("In a moment."), calls(ORDER), says("Shipped."),
        says("It is noted."),
        note=Gives("noted", after_s=50),
    )  # fmt: skip
    await ana.says("Where is order A7?")
    await ana.begins("Note that I am late")
    await shop.clock.sleep(31)

    await ana.says("Where is it now?")

    assert len(shop.orders.ran) == 2
    await shop.clock.sleep(30)
    await ana.session.answered()


async def test_within_a_turn_an_equal_call_is_a_duplicate(shop: Company) -> None:
    ana = shop.chat(calls(ORDER), calls(ORDER), says("Shipped."))

    assert await ana.says("Where is order A7?") == scene("""
        Assistant (acknowledgement): Let me see. I'll check your order.
          [get_order_status ok]
          [get_order_status cancelled]
        Assistant: Shipped.
    """)


async def test_another_customers_results_are_not_reused(shop: Company) -> None:
    shop.orders.spec = replace(shop.orders.spec, requires="anonymous")
    nobody = Customer(tenant="shop", id="ana")
    ana = shop.chat(calls(ORDER), says("Shipped."), calls(ORDER), says("Shipped."), customer=nobody)
    await ana.says("Where is order A7?")

    await ana.session.welcome(replace(nobody, level="verified"))
    assert ana.session.state.level == "verified"
    await ana.says("Where?")

    assert len(shop.orders.ran) == 2


@pytest.mark.parametrize("gone", [True, False])
async def test_after_a_restart_results_are_as_recent_as_before(shop: Company, gone: bool) -> None:
    ana = shop.chat(calls(ORDER, NOTE), says("Shipped."), calls(ORDER), says("Shipped."))
    await ana.says("Where is order A7? And note that I am late")
    await shop.clock.sleep(1)
    await ana.says("Where?")
    assert len(shop.orders.ran) == 2
    if gone:
        # It is no longer known whether it changed something.
        shop.note.spec = fake_spec("other", "doing something", "do something")

    await ana.session.close()
    later = await shop.reopen(ana, calls(ORDER), says("Shipped."))
    await later.says("Where?", number=3)

    assert len(shop.orders.ran) == 2


async def test_a_lookup_that_may_be_reused_is_announced_after_its_arguments(
    shop: Company,
) -> None:
    ana = shop.chat(calls(ORDER, each_s=0.5), says(["Shipped."]))

    await ana.says("Where is order A7?")

    assert timeline(ana.batches).splitlines()[0] == '1.0 "Let me see. I\'ll check your order"'
