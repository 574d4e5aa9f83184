"""The hours in which agents are available: how they are written, what they mean, and how they are told."""

from datetime import datetime, time

import pytest

from assistant.errors import DeclarationError
from assistant.prompts.book import PromptBook
from assistant.prompts.utterances import HandoffTold
from tests.prompts.conftest import Edited
from tests.support.rows import check_rows


def with_hours(book: PromptBook, edited: Edited, hours: str) -> PromptBook:
    return edited({"voice.toml": f"{book.sources['voice.toml']}\n[hours]\n{hours}\n"})


def open_at(book: PromptBook, moment: str) -> bool:
    assert book.voice.hours is not None
    return book.voice.hours.open_at(datetime.fromisoformat(moment))


def test_without_the_section_there_are_no_hours(book: PromptBook) -> None:
    assert book.voice.hours is None
    assert book.voice.in_locale("de").hours is None


def test_agents_are_available_within_the_spans_and_at_no_other_time(book: PromptBook, edited: Edited) -> None:
    hours = 'mon = ["09:00-12:30", "13:30-18:00"]\nfri = ["22:00-00:00"]\nclosed = ["2026-11-30"]'
    shop = with_hours(book, edited, hours)
    moments = {
        "2026-11-23T08:59": False,
        "2026-11-23T09:00": True,
        "2026-11-23T12:30": False,
        "2026-11-23T13:30": True,
        "2026-11-23T18:00": False,
        "2026-11-24T10:00": False,
        "2026-11-27T23:59:59": True,
        "2026-11-28T00:00": False,
        "2026-11-30T10:00": False,
    }

    assert {moment: open_at(shop, moment) for moment in moments} == moments
    assert shop.voice.in_locale("de").hours == shop.voice.hours


@check_rows(
    ("hours", "told"),
    [
        ('mon = ["9-18"]', "'9-18' is not a span of a day; write it as '09:00-18:00'"),
        ('mon = ["09:00-25:00"]', "hour must be in 0..23"),
        ('mon = ["18:00-09:00"]', "'18:00-09:00' does not begin after"),
        ('mon = ["09:00-12:00", "11:00-13:00"]', "'11:00-13:00' does not begin after"),
        ('mon = ["20:00-00:00", "21:00-22:00"]', "'21:00-22:00' does not begin after"),
        ('monday = ["09:00-12:00"]', "'hours.monday'"),
        ('closed = ["christmas"]', "'hours.closed"),
    ],
)
def test_a_mistake_is_named_with_its_line(book: PromptBook, edited: Edited, hours: str, told: str) -> None:
    with pytest.raises(DeclarationError, match=r"voice\.toml:\d+: ") as refusal:
        with_hours(book, edited, hours)

    assert told in str(refusal.value)


@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en", "They are here Monday to Friday from 9 am to 6 pm and Saturday from 10 am to 2:30 pm."),
        (
            "de",
            "Sie erreichen uns Montag bis Freitag von 9:00 Uhr bis 18:00 Uhr und Samstag von 10:00 Uhr bis",
        ),
    ],
)
def test_they_are_told_in_as_few_words_as_possible(
    book: PromptBook, edited: Edited, locale: str, told: str
) -> None:
    week = "\n".join(f'{day} = ["09:00-18:00"]' for day in ("mon", "tue", "wed", "thu", "fri"))
    shop = with_hours(book, edited, f'{week}\nsat = ["10:00-14:30"]')
    assert shop.voice.hours is not None

    text = shop.render(HandoffTold(what="closed", ticket="T-1", hours=shop.voice.hours.in_words), locale)

    assert told in text


def test_a_day_with_a_break_is_told_with_it(book: PromptBook, edited: Edited) -> None:
    shop = with_hours(
        book, edited, 'mon = ["09:00-12:00", "13:00-17:00"]\ntue = ["09:00-12:00", "13:00-17:00"]'
    )
    assert shop.voice.hours is not None

    pieces = [(f"{first:%a}", f"{last:%a}", *span) for first, last, *span in shop.voice.hours.in_words]

    assert pieces == [
        ("Mon", "Tue", time(9), time(12)),
        ("Mon", "Tue", time(13), time(17)),
    ]


@pytest.mark.parametrize(
    ("locale", "told"),
    [
        ("en", "Monday from 9 am to 12:30 pm and from 1:30 pm to 6 pm and Tuesday from 9 am to 6 pm. I've"),
        (
            "de",
            "Montag von 9:00 Uhr bis 12:30 Uhr und von 13:30 Uhr bis 18:00 Uhr und Dienstag von 9:00 Uhr bis",
        ),
    ],
)
def test_a_day_with_a_break_is_named_once(book: PromptBook, edited: Edited, locale: str, told: str) -> None:
    shop = with_hours(book, edited, 'mon = ["09:00-12:30", "13:30-18:00"]\ntue = ["09:00-18:00"]')
    assert shop.voice.hours is not None

    text = shop.render(HandoffTold(what="closed", ticket="T-1", hours=shop.voice.hours.in_words), locale)

    assert told in text
