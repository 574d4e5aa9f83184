"""A company whose tools are called in text."""

import pytest

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json


def _spec(tool: str, /, **arguments: str) -> ToolSpec:
    properties: Json = {argument: {"type": kind} for argument, kind in arguments.items()}
    return ToolSpec(name=tool, description="", parameters={"type": "object", "properties": properties})


@pytest.fixture(scope="session")
def tools() -> tuple[ToolSpec, ...]:
    return (
        _spec("get_order", order="string"),
        _spec("find", name="string", zip="string", limit="integer"),
        _spec("list_invoices"),
        _spec("crm.note", text="string"),
    )
