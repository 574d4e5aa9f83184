"""The environment has the contents of the settings' folders; problems are reported before a replay."""

from datetime import datetime
from pathlib import Path
from typing import cast

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import Turn, Who
from assistant.replay.player.environment import ReplayEnvironment, environment_of, environment_with
from assistant.replay.player.play import replay
from assistant.settings import Settings
from tests.replay.player.written_cassettes import (
    TOOLS,
    asks,
    cassette,
    decides,
    gives,
    narrates,
    scenes,
    thanks,
    two_lookups,
)


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> ReplayEnvironment:
    """The demo shop as it is configured where no key, no model and no data folder are at hand."""
    nowhere = tmp_path_factory.mktemp("empty") / "no" / "such" / "folder"
    made = environment_of(Settings(data_dir=nowhere, model="openai/gpt-5", default_locale="de"))
    assert not nowhere.exists()
    return made


def test_a_cassette_is_played_with_the_demos_own_tools(demo: ReplayEnvironment) -> None:
    played = replay(cassette(two_lookups(), declares=()), demo)

    assert played.unscripted == ()
    assert "Sure, I'll look up your appointments and check your billing." in scenes(played)[0]
    assert played.bundle == demo.bundle != shipped_book().bundle
    assert played.state.turns[0].turn.bundle == demo.bundle


def test_an_unknown_language_uses_the_settings_locale(demo: ReplayEnvironment) -> None:
    neutral = Turn(customer="ok", replies=(decides(says="Gern."),))
    stranger = cassette(neutral, declares=()).model_copy(update={"customer": Who(locale="xx")})

    played = replay(stranger, demo)

    greeted = cast("dict[str, str]", played.frames[0].frame["assistant"])
    assert greeted["greeting"] == demo.book.voice.in_locale("de").greeting
    assert played.state.turns[0].message.locale == "de"


def test_a_tool_that_needs_records_for_its_question_is_refused(demo: ReplayEnvironment) -> None:
    call = ("cancel_appointment", {"day": "2026-11-24"})
    turn = Turn(customer="Cancel it", replies=(decides(call),))
    told = turn.model_copy(update={"results": (asks("cancel_appointment", "cancel your eye test"),)})

    assert replay(cassette(turn, declares=()), demo).unscripted == (
        "turn 1: cancel_appointment was asked about, and the cassette has no clause for it",
    )
    assert replay(cassette(told, declares=()), demo).unscripted == ()


def test_a_tool_of_the_cassette_replaces_the_folders(demo: ReplayEnvironment) -> None:
    (own,) = [one for one in TOOLS if one.name == "get_open_invoices"]
    renamed = own.model_copy(update={"will": "count your debts"})
    turn = Turn(
        customer="Check my billing",
        replies=(decides("get_open_invoices"), narrates("None.")),
        results=(gives("get_open_invoices", []),),
    )

    assert "count your debts" in scenes(replay(cassette(turn, declares=[renamed]), demo))[0]


def test_an_undeclared_tool_is_refused_with_similar_names(
    environment: ReplayEnvironment,
) -> None:
    turn = thanks().model_copy(update={"results": (gives("get_open_invoice", []),)})

    with pytest.raises(DeclarationError) as refused:
        replay(cassette(thanks(), turn), environment)

    assert str(refused.value) == (
        "turn 2: 'get_open_invoice' is not a tool of the tools' folder, and the cassette does not declare it;"
        " did you mean get_open_invoices?"
    )


@pytest.mark.parametrize(
    ("declares", "known"), [(TOOLS[:2], "get_open_invoices, list_up"), ((), "none: declare")]
)
def test_a_tool_without_similar_names_is_refused_with_all_names(
    environment: ReplayEnvironment, declares: object, known: str
) -> None:
    turn = thanks().model_copy(update={"results": (gives("weather", []),)})

    with pytest.raises(DeclarationError, match=f"there are {known}"):
        replay(cassette(turn).model_copy(update={"tools": declares}), environment)


def test_a_time_without_a_zone_is_refused(environment: ReplayEnvironment) -> None:
    with pytest.raises(DeclarationError, match=r"write 2026-11-23 09:00:00\+00:00"):
        replay(cassette(thanks(), now=datetime(2026, 11, 23, 9)), environment)  # noqa: DTZ001


def test_a_mistake_in_the_folders_stops_the_build(tmp_path: Path) -> None:
    (tmp_path / "broken.py").write_text("import nothing_of_this_name\n")

    with pytest.raises(DeclarationError, match=r"broken\.py"):
        environment_of(Settings(tools_dir=tmp_path))


def test_an_environment_has_the_books_bundle_or_a_given_one() -> None:
    book = shipped_book()

    assert environment_with(book).bundle == book.bundle
    assert environment_with(book, bundle="mine").bundle == "mine"
