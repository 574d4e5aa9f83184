"""Days and times, as a customer hears them; ambiguous text stays ambiguous."""

import pytest

from assistant.voice.text_normalization.normalize import normalize_for_speech
from tests.support.rows import check_rows


@check_rows(
    ("text", "said"),
    [
        (
            "Your appointment is on 2026-11-24.",
            "Your appointment is on November twenty-fourth, twenty twenty-six.",
        ),
        ("It's at 2026-11-24T14:00:00Z.", "It's at November twenty-fourth, twenty twenty-six at two PM UTC."),
        (
            "It's at 2026-11-24T14:00+02:00.",
            "It's at November twenty-fourth, twenty twenty-six at two PM UTC plus two.",
        ),
        ("It's at 2026-11-24 14:30.", "It's at November twenty-fourth, twenty twenty-six at two thirty PM."),
        ("Due 12/09/2026.", "Due twelve slash nine, twenty twenty-six."),
        ("Due 11/24/2026.", "Due November twenty-fourth, twenty twenty-six."),
        ("Due 24/11/2026.", "Due November twenty-fourth, twenty twenty-six."),
        ("Due 11/24/26.", "Due November twenty-fourth, twenty twenty-six."),
        ("Due 24.11.2026.", "Due November twenty-fourth, twenty twenty-six."),
        ("Due 05/05/2026.", "Due May fifth, twenty twenty-six."),
        ("Due Dec 9, 2026.", "Due December ninth, twenty twenty-six."),
        ("Due December 9.", "Due December ninth."),
        ("Due on 9 December 2026.", "Due on December ninth, twenty twenty-six."),
        ("Due on the 9th of December.", "Due on December ninth."),
        ("It was on Nov. 24th.", "It was on November twenty-fourth."),
        ("On Tue, Nov 24 at 2 pm.", "On Tuesday, November twenty-fourth at two PM."),
        ("On Tuesday, 24 Nov. Then call.", "On Tuesday, November twenty-fourth. Then call."),
        ("It ends 31 Dec.", "It ends December thirty-first."),
        ("Nov 24-26", "November twenty-fourth to twenty-sixth"),
        ("Nov 24 – Dec 2", "November twenty-fourth to December second"),
        ("In November 2026", "In November twenty twenty-six"),
        ("In 1999 and 2005.", "In nineteen ninety-nine and two thousand five."),
        ("Since 2026.", "Since twenty twenty-six."),
        ("There were 2000 orders.", "There were two thousand orders."),
        ("In the 1990s", "In the nineteen nineties"),
        ("In the '90s and the 80s", "In the nineties and the eighties"),
        ("Open Mon-Fri.", "Open Monday to Friday."),
        ("Open Mon, Wed and Fri.", "Open Monday, Wednesday and Friday."),
        ("Open Sat and Sun.", "Open Saturday and Sunday."),
        ("Open Tue/Thu.", "Open Tuesday and Thursday."),
        ("Come on 11/24.", "Come on November twenty-fourth."),
        ("Pay by 12/9.", "Pay by twelve slash nine."),
        ("It's on May 5, but you may wait.", "It's on May fifth, but you may wait."),
        ("On Feb 29, 2028", "On February twenty-ninth, twenty twenty-eight"),
        (
            "Between Nov. 24 and Nov. 26, 2026.",
            "Between November twenty-fourth and November twenty-sixth, twenty twenty-six.",
        ),
        ("In 1905, 2000 and 1900.", "In nineteen oh five, two thousand and nineteen hundred."),
    ],
)
def test_days_are_spoken_in_full(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@check_rows(
    ("text", "said"),
    [
        ("at 14:00", "at two PM"),
        ("at 2 pm", "at two PM"),
        ("at 2:30pm", "at two thirty PM"),
        ("at 09:05", "at nine oh five AM"),
        ("at 9:05 a.m. on Monday", "at nine oh five AM on Monday"),
        ("We close at 8 p.m. Call before.", "We close at eight PM. Call before."),
        ("We close at 8 p.m.", "We close at eight PM."),
        ("We close at 8 p.m. Monday.", "We close at eight PM Monday."),
        ("at 2:30", "at two thirty"),
        ("at 12:00", "at twelve o'clock"),
        ("at 00:15", "at twelve fifteen AM"),
        ("at 12 am", "at twelve AM"),
        ("at 24:00", "at twelve AM"),
        ("at 10:00", "at ten o'clock"),
        ("at 7.30 pm", "at seven thirty PM"),
        ("between 2-4 pm", "between two to four PM"),
        ("from 2pm to 4pm", "from two PM to four PM"),
        ("9am–5pm", "nine AM to five PM"),
        ("9:00-17:00", "nine o'clock to five PM"),
        ("10:15-11:00", "ten fifteen to eleven o'clock"),
        ("7 AM-9 PM", "seven AM to nine PM"),
        ("at 14:00:30", "at two PM and thirty seconds"),
        ("at 14:00:00", "at two PM"),
        ("12 o'clock", "twelve o'clock"),
        ("a 16:9 screen", "a sixteen to nine screen"),
        ("at 13 pm", "at thirteen pm"),
    ],
)
def test_times_are_spoken_by_the_clock(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("the 2026-02-30 one", "the twenty twenty-six to zero two to thirty one"),
        ("on 45/45", "on forty-five forty-five"),
        ("Call +12 3", "Call plus twelve three"),
        ("1.000.000.000 items", "one billion items"),
        ("due 45/45/2026", "due forty-five forty-five slash twenty twenty-six"),
    ],
)
def test_text_that_only_looks_like_a_day_or_a_phone_number_is_numbers(text: str, said: str) -> None:
    assert normalize_for_speech(text) == said
