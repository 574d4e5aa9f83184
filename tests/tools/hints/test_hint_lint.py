"""A hint that makes no sentence stops the start; a doubtful one is a warning with the sentence."""

from dataclasses import replace
from pathlib import Path

from assistant.assembly.tool_warnings import tool_warnings
from assistant.conversation.tool_spec import Hint
from assistant.prompts.book import shipped_book
from assistant.tools.decorator import tool
from assistant.tools.hints import doubts_in, read_hints
from assistant.tools.options import Options
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool

_HERE = Path(__file__).parent


def rows(name: str) -> list[tuple[str, ...]]:
    return [tuple(line.split("\t")) for line in (_HERE / name).read_text("utf-8").splitlines()]


BAD, DOUBTFUL = rows("bad_hints.tsv"), rows("doubtful_hints.tsv")
GOOD = [row[0] for row in rows("hints.tsv")]


def read(locale: str, hint: str) -> tuple[dict[str, Hint], list[str]]:
    """The findings for a hint in this locale."""
    if locale == "en":
        return read_hints(Options(waiting_hint=hint))
    return read_hints(Options(waiting_hint="checking", hints={locale: (hint, "prüfe das")}))


def declared(name: str, hint: str, where: str) -> Tool:
    @tool(waiting_hint=hint)
    async def find() -> str:
        """Find it."""
        return ""

    return replace(find, spec=replace(find.spec, name=name, where=where))


def test_there_are_enough_examples_of_each_kind() -> None:
    assert len(BAD) + len(DOUBTFUL) >= 80
    assert len(GOOD) >= 150


def test_a_hint_that_makes_no_sentence_stops_the_start_with_the_reason() -> None:
    missed: list[object] = []
    for locale, hint, reason in BAD:
        hints, problems = read(locale, hint)
        told = [problem for problem in problems if repr(hint) in problem and reason in problem]
        if locale in hints or len(told) != 1 or len(problems) != 1:
            missed.append((locale, hint, problems))
    assert missed == []


def test_a_doubtful_hint_is_a_warning_and_stops_nothing() -> None:
    missed: list[object] = []
    for locale, hint, reason in DOUBTFUL:
        hints, problems = read(locale, hint)
        told = [doubt for doubt in doubts_in(hints) if doubt.locale == locale and reason in doubt.why]
        if problems or len(told) != 1:
            missed.append((locale, hint, problems, doubts_in(hints)))
    assert missed == []


def test_a_good_hint_is_neither() -> None:
    found = [(hint, *read("en", hint)) for hint in GOOD]

    assert [row for row in found if row[2] or doubts_in(row[1])] == []


def test_the_text_after_the_lead_in_is_checked_too() -> None:
    [problem] = read_hints(Options(waiting_hint="checking your order", will="run get_orders"))[1]
    assert problem.startswith("will 'run get_orders' should")

    hints, problems = read_hints(Options(waiting_hint="checking your order", will="check order 4711"))
    [doubt] = doubts_in(hints)
    assert (problems, doubt.form) == ([], "will")
    assert "number or id" in doubt.why


def test_a_word_counts_only_as_a_whole() -> None:
    assert doubts_in(read("en", "checking your idea of a toolbox")[0]) == []


def test_a_language_without_its_own_rules_has_the_general_ones() -> None:
    hints = {"sv": ("kontrollerar order {number}", "kontrollera ordern")}
    [problem] = read_hints(Options(waiting_hint="checking your order", hints=hints))[1]
    assert "placeholder" in problem

    hints = {"sv": ("kontrollerar order 4711", "kontrollera ordern")}
    [doubt] = doubts_in(read_hints(Options(waiting_hint="checking your order", hints=hints))[0])
    assert "number or id" in doubt.why


def test_a_warning_has_its_place_and_the_resulting_sentence() -> None:
    tools = [
        declared("find_stay", "looking up your stay", where="tools/stay.py:7"),
        declared("lost", "searching our lost and found", where="tools/lost.py:3"),
        declared("bill", "checking your billing", where="tools/bill.py:1"),
    ]

    warnings = tool_warnings(Tools(tools), shipped_book())

    assert [str(one) for one in warnings] == [
        "tools/lost.py:3: tool 'lost': waiting_hint 'searching our lost and found': customers will hear"
        " \"Sure, I'll search our lost and found.\" If that sounds right, leave it; otherwise: 'found' is"
        " doubtful: it tells how the call ended, and that is not known yet",
        "tools/stay.py:7: tool 'find_stay': waiting_hint 'looking up your stay': customers will hear"
        " \"Sure, I'll look up your stay.\" If that sounds right, leave it; otherwise: 'stay' is doubtful:"
        " it asks the customer for something; say what is being done",
    ]
