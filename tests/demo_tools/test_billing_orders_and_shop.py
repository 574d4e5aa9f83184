"""Billing, orders, hours and contact details, as a customer hears them."""

from collections.abc import Callable

import pytest

from assistant.conversation.values import Json
from assistant.errors import BadArguments, ToolError
from tests.demo_tools.conftest import Counter


async def test_the_balance_comes_first_then_the_invoices(ana: Counter) -> None:
    assert await ana.hears("get_open_invoices") == (
        "Your balance is $150: $120 for sunglasses, due on Tuesday, December 1"
        " and $30 for monthly contact lenses, due on Friday, December 11."
    )
    value = await ana.value("get_open_invoices")
    assert isinstance(value, dict)
    assert value["balance"] == "150.00"


async def test_a_customer_without_debts_is_told_so(counter: Callable[[str], Counter]) -> None:
    assert await counter("cleo").hears("get_open_invoices") == "You have no open invoices."


async def test_all_orders_are_told_each_with_its_state(ana: Counter) -> None:
    await ana.value("cancel_order", order_number="10455")

    assert await ana.hears("get_order_status") == (
        "Order 10482, monthly contact lenses, is on its way and should arrive on Monday, November 23."
        " Order 10455, sunglasses, is cancelled."
        " Order 10431, reading glasses, was delivered on Monday, November 9."
    )


@pytest.mark.parametrize("words", ["10455", "#10455", 10455, "no. 10455", "sunglasses", "Sunglasses "])
async def test_one_order_is_found_by_number_or_by_what_was_ordered(ana: Counter, words: Json) -> None:
    assert await ana.hears("get_order_status", order_number=words) == (
        "Order 10455, sunglasses, is still being prepared and should arrive on Monday, November 30."
    )


@pytest.mark.parametrize(
    ("words", "clause"),
    [
        ("10455", None),
        ("10482", "order 10482 has been shipped already, so it can't be cancelled any more"),
        ("10431", "order 10431 has been delivered already, so it can't be cancelled any more"),
        ("10460", "I can't find order 10460 among yours"),
        ("glasses", "you have two orders of that kind; which number do you mean"),
        ("a car", "I can't find that order"),
        ("?", "I can't find that order"),
    ],
)
async def test_only_orders_that_have_not_shipped_can_be_cancelled(
    ana: Counter, words: str, clause: str | None
) -> None:
    if clause is None:
        assert await ana.is_asked("cancel_order", order_number=words) == "cancel order 10455, sunglasses"
        assert await ana.hears("cancel_order", order_number=words) == (
            "Order 10455, sunglasses, is cancelled. You will not be charged for it."
        )
        clause = "order 10455 is cancelled already"
    for attempt in (ana.is_asked, ana.value):
        with pytest.raises(ToolError) as refused:
            await attempt("cancel_order", order_number=words)
        assert refused.value.say == clause


async def test_an_order_without_a_number_is_asked_for(ana: Counter) -> None:
    with pytest.raises(BadArguments, match="order_number is missing"):
        await ana.value("cancel_order")


@pytest.mark.parametrize(
    ("day", "heard"),
    [
        (
            None,
            "We are open Monday to Friday from 9 am to 6 pm and Saturday from 10 am to 4 pm."
            " We are closed on Sunday.",
        ),
        ("2026-11-28", "On Saturday, November 28 we are open from 10 am to 4 pm."),
        ("2026-11-29", "We are closed on Sunday, November 29."),
    ],
)  # fmt: skip
async def test_opening_hours_of_the_week_or_of_a_day(ana: Counter, day: str | None, heard: str) -> None:
    assert await ana.hears("get_opening_hours", **({"day": day} if day else {})) == heard


async def test_hours_and_free_times_need_no_identification(ana: Counter) -> None:
    open_to_all = {spec.name for spec in ana.tools.specs if not spec.needs_customer}

    identity = {"verify_customer", "send_code", "verify_code"}
    assert open_to_all == {"get_opening_hours", "find_free_slots"} | identity


async def test_both_contact_details_change_together(ana: Counter) -> None:
    new: dict[str, Json] = {"email": "ana@new.example", "phone": "+46 8 123 456"}

    assert await ana.is_asked("update_contact_details", **new) == (
        "change your e-mail address to ana@new.example and your phone number to +46 8 123 456"
    )
    assert await ana.hears("update_contact_details", **new) == (
        "Your e-mail address is now ana@new.example. Your phone number is now +46 8 123 456."
    )


async def test_one_contact_detail_changes_alone(ana: Counter) -> None:
    assert await ana.is_asked("update_contact_details", phone="555 0199 22") == (
        "change your phone number to 555 0199 22"
    )
    assert await ana.value("update_contact_details", phone="555 0199 22") == {
        "email": "ana.lindqvist@example.com",
        "phone": "555 0199 22",
        "changed": ["phone"],
    }
    assert await ana.hears("update_contact_details", phone="555 0199 22") == (
        "Your phone number is now 555 0199 22."
    )


async def test_without_either_detail_it_asks_for_them(ana: Counter) -> None:
    for attempt in (ana.is_asked, ana.value):
        with pytest.raises(ToolError, match="your new e-mail address or phone number"):
            await attempt("update_contact_details")


@pytest.mark.parametrize("wrong", [{"email": "ana at home"}, {"phone": "call me"}])
async def test_an_invalid_address_is_not_stored(ana: Counter, wrong: dict[str, Json]) -> None:
    with pytest.raises(BadArguments):
        await ana.value("update_contact_details", **wrong)


async def test_an_anonymous_visitor_is_told_so_by_each_tool_that_needs_identity(
    counter: Callable[[str], Counter],
) -> None:
    stranger = counter("nobody")

    for name in ("list_upcoming_appointments", "get_open_invoices", "get_order_status"):
        with pytest.raises(ToolError, match="I can't find you among our customers"):
            await stranger.value(name)


async def test_a_new_customer_has_no_data_and_is_told_so(counter: Callable[[str], Counter]) -> None:
    dora = counter("dora")

    assert await dora.hears("list_upcoming_appointments") == "You have no upcoming appointments."
    assert await dora.hears("get_open_invoices") == "You have no open invoices."
    assert await dora.hears("get_order_status") == "You have no orders with us."
    with pytest.raises(ToolError, match="you have no upcoming appointment"):
        await dora.is_asked("cancel_appointment")
