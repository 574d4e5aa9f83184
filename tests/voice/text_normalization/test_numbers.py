"""Numbers are spoken as people count."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assistant.language.numbers import cardinal, digits, ordinal, year
from assistant.voice.text_normalization.numbers import number, parts
from tests.support.rows import check_rows


@check_rows(
    ("count", "said"),
    [
        (0, "zero"), (7, "seven"), (10, "ten"), (13, "thirteen"), (20, "twenty"), (21, "twenty-one"),
        (99, "ninety-nine"), (100, "one hundred"), (101, "one hundred one"), (110, "one hundred ten"),
        (999, "nine hundred ninety-nine"), (1_000, "one thousand"), (1_001, "one thousand one"),
        (12_012, "twelve thousand twelve"), (100_000, "one hundred thousand"), (1_000_000, "one million"),
        (2_000_040, "two million forty"), (1_000_000_000, "one billion"), (-5, "minus five"),
        (
            999_999_999_999,
            "nine hundred ninety-nine billion nine hundred ninety-nine million nine hundred ninety-nine thousand "
            "nine hundred ninety-nine",
        ),
    ],
)  # fmt: skip
def test_a_cardinal_is_in_words(count: int, said: str) -> None:
    assert cardinal(count) == said


@pytest.mark.parametrize("count", [10**12, -(10**12)])
def test_a_count_of_more_than_twelve_digits_is_refused(count: int) -> None:
    with pytest.raises(ValueError, match="more than twelve digits; say its digits"):
        cardinal(count)


@check_rows(
    ("place", "said"),
    [
        (0, "zeroth"), (1, "first"), (2, "second"), (3, "third"), (4, "fourth"), (5, "fifth"), (8, "eighth"),
        (9, "ninth"), (12, "twelfth"), (20, "twentieth"), (21, "twenty-first"), (32, "thirty-second"),
        (100, "one hundredth"), (103, "one hundred third"), (1_000, "one thousandth"), (110, "one hundred tenth"),
    ],
)  # fmt: skip
def test_an_ordinal_is_in_words(place: int, said: str) -> None:
    assert ordinal(place) == said


@check_rows(
    ("when", "said"),
    [
        (1066, "ten sixty-six"), (1900, "nineteen hundred"), (1905, "nineteen oh five"), (1910, "nineteen ten"),
        (1999, "nineteen ninety-nine"), (2000, "two thousand"), (2009, "two thousand nine"),
        (2010, "twenty ten"), (2026, "twenty twenty-six"), (2100, "twenty-one hundred"),
    ],
)  # fmt: skip
def test_a_year_is_in_words(when: int, said: str) -> None:
    assert year(when) == said


@check_rows(
    ("written", "said"),
    [
        ("0", "zero"), ("0042", "zero zero four two"), ("12345", "one two three, four five"),
        ("123456", "one two three, four five six"), ("1234567", "one two three, four five six seven"),
        ("12345678", "one two three, four five six, seven eight"), ("", ""),
    ],
)  # fmt: skip
def test_digits_are_in_groups_that_one_can_write_down(written: str, said: str) -> None:
    assert digits(written) == said


@check_rows(
    ("written", "said"),
    [
        ("1,250", "one thousand two hundred fifty"), ("3.14", "three point one four"), ("0.5", "zero point five"),
        ("007", "zero zero seven"), ("1.250,50", "one thousand two hundred fifty point five zero"),
        ("1.000.000", "one million"), ("1,000,000.5", "one million point five"),
        ("1234567890123", "one two three, four five six, seven eight nine, zero one two three"),
    ],
)  # fmt: skip
def test_a_number_is_spoken_as_it_is_written(written: str, said: str) -> None:
    assert number(written) == said


_VALUES = {"hundred": 100, "thousand": 10**3, "million": 10**6, "billion": 10**9}


def read(said: str) -> int:
    """The other way round."""
    small = {cardinal(count): count for count in range(100)}
    total = part = 0
    for word in said.split():
        if word == "hundred":
            part *= 100
        elif word in _VALUES:
            total, part = total + part * _VALUES[word], 0
        else:
            part += small[word]
    return total + part


@given(st.integers(0, 999_999_999_999))
def test_every_count_can_be_read_back(count: int) -> None:
    assert read(cardinal(count)) == count


@given(st.integers(0, 999_999_999), st.integers(0, 99))
def test_grouped_digits_give_the_same_number(whole: int, hundredths: int) -> None:
    assert parts(f"{whole:,}.{hundredths:02}") == (str(whole), f"{hundredths:02}")
