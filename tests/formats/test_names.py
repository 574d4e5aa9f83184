"""Tool names on the wire."""

import re

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.formats.tools import check_names, wire_name


def tool(name: str, where: str = "") -> ToolSpec:
    return ToolSpec(name=name, description="", parameters={}, where=where)


@settings(deadline=None)
@given(st.text(min_size=1))
def test_every_name_becomes_one_that_providers_accept(name: str) -> None:
    assert re.fullmatch(r"[a-zA-Z0-9_-]{1,64}", wire_name(name))


@settings(deadline=None)
@given(st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True))
def test_an_accepted_name_is_not_changed(name: str) -> None:
    assert wire_name(name) == name


def test_tools_with_names_of_their_own_pass() -> None:
    check_names([tool("crm.find"), tool("crm.list"), tool("find")])


def test_tools_that_a_provider_cannot_tell_apart_are_refused() -> None:
    with pytest.raises(DeclarationError) as error:
        check_names([tool("crm.find", "tools/a.py:3"), tool("crm_find", "tools/b.py:7")])

    assert str(error.value) == (
        "tools/b.py:7: tool 'crm_find': to a model it has the same name as 'crm.find' (tools/a.py:3), "
        "'crm_find'; rename one of them"
    )


def test_long_names_that_begin_alike_are_refused() -> None:
    with pytest.raises(DeclarationError, match=r"^tool 'x"):
        check_names([tool("x" * 64 + "1"), tool("x" * 64 + "2")])
