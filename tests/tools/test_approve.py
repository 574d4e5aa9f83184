"""``approve="staff"`` of a tool: in Python, and of MCP servers; mistakes are found when it is declared."""

import pytest

from assistant.mcp.approval import Definition
from assistant.mcp.config import ToolConfig
from assistant.mcp.tool import spec_of
from assistant.tools.decorator import tool


def problems(**options: object) -> list[str]:
    """The mistakes in a tool with these options."""

    @tool(waiting_hint="refunding your order", **{"effect": "write", **options})  # type: ignore[arg-type]
    def refund(order: str, amount: int) -> str:
        """Refund an order.

        Args:
            order: the order's number.
            amount: in dollars.
        """
        return f"{order} {amount}"

    return [mistake.problem for mistake in refund.mistakes]


def test_a_condition_about_an_argument_is_accepted() -> None:
    assert problems(approve="staff", when="arguments.amount > 100 and customer.level != 'signed_in'") == []
    assert problems(approve="staff") == []


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"approve": "boss"}, "approve 'boss' should be 'staff', or left out"),
        ({"when": "arguments.amount > 100"}, "when says which calls staff must approve; add approve='staff'"),
        ({"approve": "staff", "effect": "read"}, "approve is for a tool that changes something"),
        ({"approve": "staff", "when": "amount > 100"}, "when: "),
        ({"approve": "staff", "when": "arguments.amout > 100"}, "uses the argument 'amout', which the tool"),
        ({"approve": "staff", "when": "results.find.total > 100"}, "uses results of other tools"),
        ({"approve": "staff", "when": bool}, "should be a condition such as"),
    ],
)
def test_each_mistake_is_told_with_its_cure(options: dict[str, object], told: str) -> None:
    assert any(told in problem for problem in problems(**options)), problems(**options)


def test_a_tool_of_an_mcp_server_may_need_approval() -> None:
    schema = {"type": "object", "properties": {"amount": {"type": "number"}}}
    refund = Definition(name="refund", description="Refund an order.", input=schema)

    def declared(when: str) -> tuple[str | None, str, list[str]]:
        written = ToolConfig(waiting_hint="refunding your order", approve="staff", when=when)
        spec, problems = spec_of("crm", refund, written, timeout_s=9, where="mcp.toml:3")
        return spec.approve, spec.approve_when, problems

    assert declared("arguments.amount > 100") == ("staff", "arguments.amount > 100", [])
    assert "uses the argument 'total'" in str(declared("arguments.total > 100"))
