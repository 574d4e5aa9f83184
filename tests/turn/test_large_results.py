"""What an answer says about a result of thousands of rows is found without reading all of them."""

from collections.abc import Iterator
from typing import cast

from assistant.conversation.values import Json
from assistant.turn.narrate import mentions_result


class Rows(list[dict[str, str]]):
    """Rows that count how many of them were read."""

    read = 0

    def __iter__(self) -> Iterator[dict[str, str]]:
        """Yield the rows, and count them."""
        for row in super().__iter__():
            self.read += 1
            yield row


def test_rows_after_the_first_that_is_not_mentioned_are_not_read() -> None:
    rows = Rows({"number": f"{number}", "amount": f"{number}.50"} for number in range(100, 2_500))

    assert not mentions_result("You owe 100.50 and 101.50 dollars.", cast("Json", rows))
    assert rows.read == 3

    assert mentions_result("You owe 100.50 and 101.50 dollars.", cast("Json", rows[:2]))
