"""The cookbook's recipes: each is found, passes the check, and its conversation goes as the page shows it."""

import re
import sqlite3
from collections.abc import Mapping, Sequence
from contextlib import closing
from pathlib import Path

import pytest
from typer.testing import CliRunner

from assistant.cli import app
from assistant.conversation.customer import Customer
from assistant.conversation.entries import CallEnded, CallStarted
from assistant.conversation.values import Json
from assistant.prompts.book import shipped_book
from assistant.prompts.narration import Narration
from assistant.replay.dsl import Conversation, returns
from assistant.replay.dsl import calls as decides
from assistant.replay.dsl import says as answers
from assistant.replay.player.environment import environment_with
from assistant.testing.script import Line, breaks, calls
from assistant.testing.virtual_time import run_virtually
from tests.docs.recipes import COOKBOOK, DEMO, NUMBERS, RECIPES, VISITOR, RecipeFolder

FROM_THE_LIST = {"$from": "list_invoices", "path": "[0].number"}
SCRIPTS: Mapping[int, Sequence[Line]] = {
    1: [calls("get_membership"), breaks()],
    2: [calls("list_parcels"), breaks()],
    3: [calls(("move_delivery", {"day": "2026-11-27"})), breaks()],
    4: [calls(("top_up_gift_card", {"amount": "50"})), breaks()],
    6: [calls("list_past_orders"), breaks()],
    7: [calls(("check_stock", {"article": "L-100"}), ("check_stock", {"article": "L-200"})), breaks()],
    8: [
        calls("get_plan"),
        breaks(),
        calls(("verify_customer", {"number": "7041", "postcode": "8000"})),
        calls("get_plan"),
        breaks(),
    ],
    9: [calls(("get_price", {"service": "repair"})), breaks()] * 2,
    10: [calls("list_invoices", ("get_invoice_file", {"number": FROM_THE_LIST})), breaks()],
}
"""What the model says to each request; where its answer breaks off, the tools' narrations speak."""


@pytest.fixture(autouse=True)
def books(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The database that one of the recipes asks."""
    monkeypatch.setenv("SHOP_DB", str(tmp_path / "shop.db"))
    rows = [
        ("1", "demo", "2026-08-03", "19.90"),
        ("2", "demo", "2026-11-03", "80.00"),
        ("3", "x", "2026-11-04", "1"),
    ]
    with closing(sqlite3.connect(tmp_path / "shop.db")) as db, db:
        db.execute("CREATE TABLE orders (number, customer, placed, total)")
        db.executemany("INSERT INTO orders VALUES (?, ?, ?, ?)", rows)


def test_there_are_ten_recipes() -> None:
    assert len(RECIPES) == 10
    assert [recipe.text.splitlines()[0].removeprefix("## ") for recipe in RECIPES] == [
        f"{number}. {title}"
        for number, title in re.findall(r"^(\d+)\. \[(.+)\]\(#", COOKBOOK.text, re.MULTILINE)
    ]


def test_all_of_them_pass_the_check_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    recipes = [RecipeFolder(tmp_path, number) for number in NUMBERS]
    monkeypatch.setenv("ASSISTANT_TOOLS_DIR", str(tmp_path))

    checked = CliRunner().invoke(app, ["tools", "check"])

    assert checked.exit_code == 0, checked.output
    specs = recipes[0].tools.specs
    assert checked.output.splitlines()[-1] == f"{len(specs)} tools, no mistakes."
    assert [spec.name for spec in specs if not (spec.examples and spec.hints and spec.narration)] == []


@pytest.mark.parametrize("number", SCRIPTS)
def test_each_conversation_goes_as_shown(number: int, tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, number)
    chat = recipe.chat(*SCRIPTS[number], customer=VISITOR if number == 8 else DEMO)

    async def play() -> list[tuple[str, list[str]]]:
        played: list[tuple[str, list[str]]] = []
        for said, _ in recipe.dialogue:
            await chat.says(said)
            played.append((said, [message.text for message in chat.session.state.turns[-1].messages]))
        return played

    assert run_virtually(play()) == recipe.dialogue


def test_a_slow_service_is_announced_while_it_is_slow(tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, 5)
    ((asked, heard),) = recipe.dialogue
    found: Json = {"status": "in transit", "place": "Aarhus"}

    with Conversation(environment_with(shipped_book(), list(recipe.tools))) as customer:
        turn = customer.says(
            asked,
            decides(("track_shipment", {"number": "AB123456"})),
            answers(heard[-1]),
            results={"track_shipment": returns(found, after_ms=6000)},
        )
        for text in heard:
            turn.hears(text)
    assert (
        Narration(shipped_book()).render(
            recipe.tools.get("track_shipment").spec.narration or "", value=found, arguments={}
        )
        == heard[-1]
    )


@pytest.mark.parametrize(
    ("number", "tool", "arguments", "heard"),
    [
        (1, "get_membership", {}, "I couldn't check your membership: I can't find a membership of yours."),
        (2, "list_parcels", {}, "There is nothing on its way to you."),
        (6, "list_past_orders", {}, "You have not ordered anything yet."),
        (7, "check_stock", {"article": "x-1"}, "I couldn't check our stock: there is no article X-1."),
        (9, "get_price", {"service": "inspection"}, "Our inspection is free."),
    ],
)
def test_a_customer_without_data_is_told_so(
    number: int, tool: str, arguments: dict[str, Json], heard: str, tmp_path: Path
) -> None:
    nobody = Customer(tenant="demo", id="c-9", level="verified")

    assert run_virtually(RecipeFolder(tmp_path, number).hears(tool, nobody, **arguments)) == heard


def test_one_parcel_is_told_as_one(tmp_path: Path) -> None:
    one = Customer(tenant="demo", id="one", level="verified")

    heard = run_virtually(RecipeFolder(tmp_path, 2).hears("list_parcels", one))

    assert heard == "There is one parcel on its way: a desk lamp, expected on Tuesday, November 24."


def test_a_price_is_looked_up_once(tmp_path: Path) -> None:
    recipe = RecipeFolder(tmp_path, 9)
    chat = recipe.chat(*SCRIPTS[9])

    async def ask_twice() -> None:
        for said, _ in recipe.dialogue:
            await chat.says(said)

    run_virtually(ask_twice())

    entries = [logged.entry for logged in chat.session.entries]
    assert [entry.reused_from for entry in entries if isinstance(entry, CallEnded)] == ["", "t1/c1.1"]
    assert len([entry for entry in entries if isinstance(entry, CallStarted)]) == 1
