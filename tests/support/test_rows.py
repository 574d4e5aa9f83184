"""A table of rows in one test."""

import pytest

from tests.support.rows import check_rows


def test_each_failing_row_is_reported() -> None:
    seen: list[int] = []

    @check_rows("number, half", [(2, 1), (3, 1), (4, 2), (5, 2)])
    def halves(number: int, half: int) -> None:
        seen.append(number)
        assert number / 2 == half

    with pytest.raises(AssertionError) as failed:
        halves()

    assert seen == [2, 3, 4, 5]
    lines = str(failed.value).splitlines()
    assert lines[0] == "2 of 4 rows failed"
    assert [line for line in lines if line.startswith("- ")] == ["- 3, 1", "- 5, 2"]


def test_a_row_that_does_not_raise_is_reported() -> None:
    @check_rows("text", ["1", "one"], ids=lambda text: f"<{text}>")
    def is_no_number(text: str) -> None:
        with pytest.raises(ValueError, match="invalid"):
            int(text)

    with pytest.raises(AssertionError, match=r"1 of 2 rows failed\n- <1>\n    Failed: DID NOT RAISE"):
        is_no_number()


def test_a_row_with_too_few_values_is_an_error() -> None:
    with pytest.raises(ValueError, match="shorter"):
        check_rows("one, two", [("1",)])


@check_rows("add", [1, 2])
@check_rows("number", range(3), ids=["none", "one", "two"])
async def test_tables_can_be_combined(tmp_path: object, number: int, add: int) -> None:
    assert tmp_path
    assert number + add > number
