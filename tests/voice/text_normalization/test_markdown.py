"""Markdown is spoken without its marks, in every language."""

import pytest

from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows


@check_rows(
    ("text", "said"),
    [
        ("**Total:** $150", "Total: one hundred fifty dollars"),
        ("*Note:* `code`, __bold__ and ~~old~~ new", "Note: code, bold and old new"),
        ("[Pay here](https://pay.example/1).", "Pay here."),
        ("[https://pay.example](https://pay.example)", "pay dot example"),
        ("<https://pay.example/a/b>", "the link in the chat"),
        ("![A chart](https://x.example/y.png)", "A chart"),
        ("<b>Hi</b> there<br>you", "Hi there, you"),
        ("<div>\nstill here\n</div>", "still here"),
        ("# Your orders", "Your orders."),
        ("# Your orders\n\nYou have 2.\n\n---\n\nBye", "Your orders. You have two. Bye"),
        ("> Quoted text", "Quoted text"),
        ("a_snake_case_name", "a snake case name"),
        ("\\*not bold\\*", "not bold"),
        ("Fish &amp; chips", "Fish and chips"),
        ("**half", "half"),
        ("Line one\nLine two", "Line one, Line two"),
        ("Line one.\nLine two", "Line one. Line two"),
        ("One\n\nTwo!\n\nThree", "One. Two! Three"),
        ("```\npip install x\n```", "pip install x"),
        ("```py\na = 1\nb = 2\n```", "the code in the chat"),
        ("Run:\n```\n" + "x" * 90 + "\n```", "Run: the code in the chat"),
    ],
)
def test_marks_are_not_spoken(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("- Tuesday at 2 pm\n- Wednesday!", "Tuesday at two PM. Wednesday!"),
        ("1. Open it\n2. Pay\n3. Done", "First, Open it. Second, Pay. Third, Done."),
        ("2. Pay", "Second, Pay."),
        ("100. Pay", "one hundred. Pay."),
        ("5.", "five."),
        ("- [x] Paid\n- [ ] Sent", "Paid. Sent."),
        ("- one\n  - two\n    - three", "one. two. three."),
        ("    - nested alone", "nested alone."),
        ("Here:\n\n- **Order 1042**: late (2 days)", "Here: Order one zero four two: late, two days."),
        ("- done 👍", "done."),
    ],
)
def test_lists_are_sentences_with_pauses(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


def table(*rows: str) -> str:
    head, *body = rows
    return "\n".join(
        [f"|{head}|", f"|{'|'.join('---' for _ in head.split('|'))}|", *(f"|{row}|" for row in body)]
    )


@check_rows(
    ("rows", "said"),
    [
        (
            ["Invoice|Amount|Due", "1042|$150.00|2026-12-09"],
            "Invoice one zero four two: amount one hundred fifty dollars, due December ninth, twenty twenty-six.",
        ),
        (["Service|Price", "Haircut|$40", "**Beard**|"], "Haircut: price forty dollars. "),
        (["Field|Value", "Status|open", "Plan|Pro"], "Status: open. Plan: Pro."),
        (["Order|SLA", "Order 7|2 h"], "Order seven: SLA two hours."),
        (["|Amount", "A|$1", "|$2"], "A: amount one dollar. amount two dollars."),
        (["A|B"], "A, B."),
        (["Name", "Ana", "Ben"], "Ana. Ben."),
        (["Day|When", "Mon|-", "Tue|9 am"], "Tuesday: when nine AM."),
    ],
)
def test_tables_are_read_row_by_row(rows: list[str], said: str) -> None:
    assert normalize_for_speech(table(*rows)) == said.strip()


@pytest.mark.parametrize(
    ("count", "last"),
    [
        (5, "E: price five dollars."),
        (6, "And two more in the chat."),
        (40, "And thirty-six more in the chat."),
    ],
)
def test_of_a_large_table_the_first_rows_are_read_and_the_others_counted(count: int, last: str) -> None:
    said = normalize_for_speech(
        table("Service|Price", *(f"{chr(65 + at % 26)}|${at + 1}" for at in range(count)))
    )

    assert said.startswith("A: price one dollar. B: price two dollars. C: price three dollars. D: price four")
    assert said.endswith(f" {last}")
    assert said.count("price") == (5 if count == 5 else 4)


@check_rows(
    ("locale", "text", "said"),
    [
        (
            "de",
            "Sie schulden **1.250,50 €** ([Rechnung](https://x.example/a)).",
            "Sie schulden 1.250,50 € (Rechnung).",
        ),
        (
            "de-AT",
            "Siehe https://x.example/a?c=1 oder ana@web.example 👍",
            "Siehe Link im Chat oder ana@web.example",
        ),
        ("de", "24. November ist frei.", "24. November ist frei."),
        (
            "de",
            "| A | B |\n|--|--|\n" + "| x | 1 |\n" * 9,
            "x: B 1. x: B 1. x: B 1. x: B 1. Und 5 weitere im Chat.",
        ),
        ("fi", "1. Avaa https://x.example/a/b\n2. Maksa 5 €", "1. Avaa x.example. 2. Maksa 5 €."),
        (
            "fr",
            "1. Ouvrez https://x.example/a/b\n2. Payez le 2026-12-01",
            "1. Ouvrez le lien dans le chat. 2. Payez le 1 décembre 2026.",
        ),
        ("fi", "```\na\nb\n```", ""),
        ("fi", "| A | B |\n|--|--|\n" + "| x | 1 |\n" * 9, "x: B 1. x: B 1. x: B 1. x: B 1. + 5."),
        ("de", "Folgen Sie @shop", "Folgen Sie shop"),
    ],
)
def test_in_other_languages_only_the_marks_are_removed(locale: str, text: str, said: str) -> None:
    assert normalize_for_speech(text, locale) == said


@pytest.mark.parametrize(
    ("locale", "said"),
    [
        ("en", "Due twelve slash nine, twenty twenty-six"),
        ("en-US", "Due December ninth, twenty twenty-six"),
        ("en-GB", "Due September twelfth, twenty twenty-six"),
    ],
)
def test_a_known_country_decides_the_order_of_day_and_month(locale: str, said: str) -> None:
    assert normalize_for_speech("Due 12/09/2026", locale) == said
    assert normalize_for_speech("due on 9/12", "en-GB") == "due on December ninth"
    assert normalize_for_speech("due on 13/13", locale) == "due on thirteen thirteen"


@check_rows("text", ["", "  \n ", "***", "👍", "...", "#", "|", "`", "[]()", "![](x)", "---", "<br>"])
def test_an_empty_text_gives_no_speech(text: str) -> None:
    assert normalize_for_speech(text) == ""
