"""Token counts are cached as long as they are valid."""

import gc

import pytest

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromCustomer, TurnView
from assistant.memory.budget import Budget
from assistant.memory.token_sizes import PER_MESSAGE, PER_REQUEST, CachedTokenSizes, tools_tokens

TOOLS = (ToolSpec(name="find", description="Finds it.", parameters={}),)


class Counting:
    """Counts characters, and how often it is asked."""

    def __init__(self) -> None:
        self.name = "characters"
        self.each = 1
        self.asked = 0

    def count(self, text: str) -> int:
        self.asked += 1
        return self.each * len(text)


def test_a_turn_is_counted_once() -> None:
    counter, turn = Counting(), TurnView((FromCustomer("Hello"),))
    sizes = CachedTokenSizes(counter)

    assert sizes.turn(turn) == sizes.turn(turn) == PER_MESSAGE + len("Hello")
    assert counter.asked == 1
    assert sizes.turn(TurnView((FromCustomer("Hello, hello"),))) == PER_MESSAGE + len("Hello, hello")


def test_the_same_short_words_in_another_view_are_counted_once() -> None:
    counter = Counting()
    sizes = CachedTokenSizes(counter)

    sizes.turn(TurnView((FromCustomer("Hello"),)))
    sizes.turn(TurnView((FromCustomer("Hello"),)))
    assert counter.asked == 1
    for _ in range(2):
        sizes.turn(TurnView((FromCustomer("Hello, " * 1_000),)))
    assert counter.asked == 3


@pytest.mark.usefixtures("everything_is_collected")
def test_a_turn_that_is_gone_is_not_cached() -> None:
    sizes = CachedTokenSizes(Counting())

    for _ in range(3):
        sizes.turn(TurnView((FromCustomer("Hello"),)))
    gc.collect()

    assert len(sizes._turns) == 0


def test_only_new_lines_of_instructions_are_counted() -> None:
    counter = Counting()
    sizes = CachedTokenSizes(counter)

    assert sizes.text("Be brief.\n\nToday is Monday.") == len("Be brief.\n\nToday is Monday.")
    asked = counter.asked
    assert sizes.text("Be brief.\n\nToday is Tuesday.") == len("Be brief.\n\nToday is Tuesday.")
    assert counter.asked == asked + 1
    assert sizes.text("") == 0


def test_a_list_of_tools_is_counted_once() -> None:
    counter = Counting()
    sizes = CachedTokenSizes(counter)

    taken = sizes.tools(TOOLS)
    asked = counter.asked

    assert taken == sizes.tools(TOOLS) == tools_tokens(TOOLS, Counting())
    assert sizes.tools(()) == 0
    assert sizes.tools(TOOLS) == taken
    assert counter.asked == asked
    assert sizes.tools(tuple(TOOLS * 2)) > taken


def test_a_frame_is_the_size_of_a_request_without_a_conversation() -> None:
    sizes = CachedTokenSizes(Counting())

    tools = sizes.tools(TOOLS)
    assert sizes.frame("Be brief.", "late", TOOLS) == PER_REQUEST + 2 * PER_MESSAGE + 13 + tools


def test_a_new_counter_counts_everything_again() -> None:
    counter, turn = Counting(), TurnView((FromCustomer("Hello"),))
    sizes = CachedTokenSizes(counter)
    before = (sizes.turn(turn), sizes.text("Hello"), sizes.tools(TOOLS))

    counter.name, counter.each = "bytes", 2

    assert sizes.turn(turn) == before[0] + len("Hello")
    assert sizes.text("Hello") == 2 * before[1]
    assert sizes.tools(TOOLS) > before[2]


def test_a_budget_is_a_number_and_a_counter() -> None:
    counter = Counting()

    assert Budget(tokens=9, counter=counter) == Budget(tokens=9, counter=counter)
    assert Budget(tokens=9, counter=counter) != Budget(tokens=8, counter=counter)
