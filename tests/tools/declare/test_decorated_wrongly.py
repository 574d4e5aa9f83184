"""An object that is no function of a file cannot become a tool; the error names the place."""

import pytest

from assistant import tool
from assistant.errors import DeclarationError


def test_a_method_is_reported_with_the_solution() -> None:
    with pytest.raises(DeclarationError) as refused:

        class Billing:  # pyright: ignore[reportUnusedClass]
            @tool(waiting_hint="")
            def refund(self) -> None:
                """Refund."""

    assert str(refused.value).startswith("@tool is for functions, not for methods such as 'test_a_method")
    assert str(refused.value).endswith("Billing.refund'; move it out of the class")


def test_two_decorators_on_one_function_give_a_short_error() -> None:
    def refund() -> None:
        """Refund."""

    once = tool(waiting_hint="")(refund)

    with pytest.raises(DeclarationError) as refused:
        tool(waiting_hint="")(once)

    assert str(refused.value) == "@tool is applied twice to 'refund'; remove one of them"
