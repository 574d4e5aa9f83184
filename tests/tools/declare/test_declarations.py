"""A wrong declaration is reported with the place, the mistake and the solution."""

import re
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Annotated

import pytest
from pydantic import Field

from assistant import Customer, tool
from assistant.conversation.tool_spec import Hint
from assistant.errors import DeclarationError, UnknownTool
from assistant.prompts.book import PromptBook, shipped_book
from assistant.prompts.filters import Filters
from assistant.tools.declaration_errors import source_location
from assistant.tools.discovery import discover
from assistant.tools.options import FILTERS
from assistant.tools.registry import Tools
from tests.tools.conftest import ANA, Folder

HERE = Path(__file__).parent
OPTIONS = [tuple(line.split("\t")) for line in (HERE / "wrong_options.tsv").read_text("utf-8").splitlines()]


def mistakes(place: Path) -> list[str]:
    """What discovery says, a line for each mistake."""
    with pytest.raises(DeclarationError) as refused:
        discover(place)
    return str(refused.value).splitlines()


def good(day: int = 1) -> int:
    """Do good.

    Args:
        day: when.
    """
    return day


def better() -> None:
    """Do better."""


@pytest.mark.parametrize(("option", "problem"), OPTIONS)
def test_a_wrong_option_is_reported_with_its_solution(folder: Folder, option: str, problem: str) -> None:
    hint = "" if option.startswith("waiting_hint") else "waiting_hint='looking it up', "
    place = folder(
        billing=f'''
        from assistant import tool

        @tool({hint}{option})
        def refund(day: int = 1) -> int:
            """Refund.

            Args:
                day: when.
            """
        '''
    )

    (told,) = mistakes(place)

    assert told.startswith(f"{place}/billing.py:4: tool 'refund': ")
    assert problem in told


def test_all_wrong_functions_are_reported_with_their_solutions(folder: Folder) -> None:
    source = (HERE / "wrong_functions.txt").read_text("utf-8")

    told = mistakes(folder(wrong=source))

    expected = re.findall(r"^# (.*)", source, flags=re.MULTILINE)
    assert [
        re.sub(r"at \S+ already", "at FIRST already", line.split(": ", 2)[2]) for line in told
    ] == expected


@pytest.mark.parametrize(
    "narration",
    [
        "{{ arguments.get('day') }}",
        "{{ value.x }}{{ arguments[value] }}",
        "{% for day in range(3) %}{{ day }}{% endfor %}",
        "{{ '{value}' }} and {{ {'day': value} }}{# {value} #} {others} {}",
    ],
)
def test_a_template_may_use_its_own_variables(narration: str) -> None:
    assert tool(waiting_hint="", narration=narration)(good).mistakes == ()


def test_a_verb_that_only_looks_like_a_gerund_may_follow_the_lead_in() -> None:
    assert tool(waiting_hint="fetching your order", will="bring up your order")(good).mistakes == ()


def test_an_hour_is_a_valid_time_limit() -> None:
    assert tool(waiting_hint="", timeout_s=3600)(good).mistakes == ()


def test_a_description_may_be_next_to_the_type() -> None:
    @tool(waiting_hint="")
    def act(day: Annotated[int, Field(description="when")]) -> None:
        """Act."""

    assert act.mistakes == ()
    assert "'description': 'when'" in str(act.spec.parameters)


def test_hints_in_several_languages_each_have_both_forms() -> None:
    declared = tool(
        waiting_hint="enrolling you",
        will="enroll you",
        hints={
            "en-GB": ("enrolling you", "enrol you"),
            "sv": Hint(doing="anmäler dig", will="anmäla dig"),
            "de": ("Sie anmelden", "melde Sie an"),
        },
    )(good)

    assert declared.mistakes == ()
    assert declared.spec.hints == {
        "en": Hint(doing="enrolling you", will="enroll you"),
        "en-GB": Hint(doing="enrolling you", will="enrol you"),
        "sv": Hint(doing="anmäler dig", will="anmäla dig"),
        "de": Hint(doing="Sie anmelden", will="melde Sie an"),
    }


def test_a_tool_may_have_only_other_languages() -> None:
    declared = tool(waiting_hint="", hints={"de": ("Sie anmelden", "melde Sie an")})(good)

    assert declared.spec.hint("en") is None
    assert declared.spec.hint("de-AT") == Hint(doing="Sie anmelden", will="melde Sie an")


def test_narrations_are_stored_by_locale() -> None:
    several = tool(waiting_hint="", narration={"en": "Done.", "de": "Erledigt."})(good).spec

    assert several.narration_in("de-CH") == ("de-CH", "Erledigt.")
    assert several.narration_in("sv") == ("en", "Done.")
    assert tool(waiting_hint="", narration={"de": "Erledigt."})(good).spec.narration_in("sv") is None


async def test_a_read_back_writes_dates_as_the_conversations_prompts_do() -> None:
    enrol = tool(waiting_hint="", confirm="enrol you on {{ arguments.day | day }}")(good)
    sources = dict(shipped_book().sources)
    sources["locales/en.toml"] = sources["locales/en.toml"].replace('day = "EEEE, MMMM d"', 'day = "d MMMM"')
    book = PromptBook(sources, "prompts")

    assert await enrol.read_back({"day": "2026-11-24"}, customer=ANA, book=book) == "enrol you on 24 November"


async def test_a_read_back_template_is_in_the_customers_language_or_not_used() -> None:
    templates = {
        "en": "enrol you on {{ arguments.day | day }}",
        "de": "Sie am {{ arguments.day | day }} anmelden",
    }
    both = tool(waiting_hint="", confirm=templates)(good)
    english = tool(waiting_hint="", confirm=templates["en"])(good)
    day = {"day": "2026-11-24"}
    swiss = replace(ANA, locale="de-CH")

    assert await both.read_back(day, customer=ANA, book=shipped_book()) == "enrol you on Tuesday, November 24"
    assert (
        await both.read_back(day, customer=swiss, book=shipped_book())
        == "Sie am Dienstag, 24. November anmelden"
    )
    assert await english.read_back(day, customer=swiss, book=shipped_book()) is None


async def test_a_template_words_the_data_that_a_confirm_function_returns() -> None:
    def look_up(customer: Customer, day: int) -> dict[str, object]:
        return {"day": date(2026, 11, day), "course": "Glass. Yes"}

    enrol = tool(
        waiting_hint="",
        confirm=look_up,
        confirmation={
            "en": "enrol you in {{ value.course | quoted }} on {{ value.day | day }}",
            "de": "Sie am {{ value.day | day }} für {{ value.course | quoted }} anmelden",
        },
    )(good)
    clauses = [
        await enrol.read_back({"day": 24}, customer=replace(ANA, locale=locale), book=shipped_book())
        for locale in ("en", "de-CH", "sv")
    ]

    assert enrol.spec.confirm
    assert clauses == [
        'enrol you in "Glass Yes" on Tuesday, November 24',
        'Sie am Dienstag, 24. November für "Glass Yes" anmelden',
        None,
    ]


def test_a_registry_is_sorted_by_name_whatever_the_order() -> None:
    tools = [tool(waiting_hint="")(good), tool(waiting_hint="")(better)]

    assert Tools(tools).specs == Tools(reversed(tools)).specs
    assert [one.spec.name for one in Tools(tools)] == ["better", "good"]
    assert len(Tools(tools)) == 2
    assert "good" in Tools(tools)
    assert "bad" not in Tools(tools)


def test_a_registry_accepts_no_tool_with_mistakes() -> None:
    with pytest.raises(DeclarationError, match="tool 'good': effect"):
        Tools([tool(waiting_hint="", effect="both")(good)])  # pyright: ignore[reportArgumentType]


def test_an_unknown_name_is_reported_with_the_known_ones() -> None:
    with pytest.raises(UnknownTool, match="Available: good"):
        Tools([tool(waiting_hint="")(good)]).get("bad")


def test_the_filters_of_declarations_are_those_that_exist() -> None:
    filters = Filters(shipped_book().words("en").formats, "USD")

    of_shared_templates = {"elided", "fill"}
    assert set(FILTERS) == set(filters.by_name()) - of_shared_templates


def test_the_package_exports_its_public_names_and_no_others() -> None:
    import assistant

    assert all(getattr(assistant, name) for name in assistant.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'trade'"):
        assistant.trade  # noqa: B018  # pyright: ignore[reportAttributeAccessIssue]


def test_a_place_is_relative_to_the_current_folder(tmp_path: Path) -> None:
    assert source_location(tmp_path / "x.py", 3) == f"{tmp_path}/x.py:3"
    assert source_location(Path.cwd() / "tools" / "x.py", 3) == "tools/x.py:3"
