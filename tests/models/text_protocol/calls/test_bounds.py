"""Reading any text of a model ends soon, and never in an exception."""

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from assistant.conversation.tool_spec import ToolSpec
from assistant.formats.sections import MarkdownFormat
from assistant.models.text_protocol.calls import ParsedCall, UnreadableCall
from assistant.models.text_protocol.tool_chain import tool_chain
from assistant.models.text_protocol.yaml_calls import NotYaml, load_yaml
from tests.support.rows import check_rows

_TOOLS = (
    ToolSpec(name="get_order", description="", parameters={"properties": {"order": {"type": "string"}}}),
)
_PARTS = st.sampled_from(
    ("{", "}", "[", "]", '"', "'", ":", ",", "\\", "\n", " ", "- ", "tool", "get_order", "arguments", "#",
     "//", "/*", "*/", "```", "<", ">", "<tool_call>", "|", "&a", "*a", "!!x", "007", "1", "null", "\t",
     "\u201c", "[ARGS]", '{"tool": "get_order", "arguments": {', "id", "---", "=", "`", "\x00", "\ud800",
     "get_order(", "order=", "(", ")", ", ", "b'x'", "99999999999999999999", "**{"),
)  # fmt: skip


@pytest.mark.parametrize("form", ["json", "yaml"])
@given(text=st.lists(_PARTS, max_size=30).map("".join), cut=st.booleans())
@example(text='{"\ud800": 1, "tool": "get_order"}', cut=False)
@settings(deadline=None)
def test_no_text_breaks_a_reader_and_cuts_make_no_difference(form: str, text: str, cut: bool):
    chain = tool_chain(form, MarkdownFormat())
    whole, pieces = chain.reader(_TOOLS), chain.reader(_TOOLS)
    read = [*whole.push(text), *whole.finish(cut=cut)]
    assert read == [*(one for sign in text for one in pieces.push(sign)), *pieces.finish(cut=cut)]
    for one in read:
        if isinstance(one, UnreadableCall):
            assert one.problem in one.for_model


@check_rows("form", ["json", "yaml"])
@check_rows(
    "text",
    [
        '{"tool": "get_order", "arguments": ' + "[" * 100_000,
        '{"a":' * 100_000,
        "[" * 200_000,
        '{"tool": "get_order", "arguments": {"order": "' + "x" * 200_000 + '"}}',
        "- tool: get_order\n  arguments: " + "[" * 5_000,
        "- tool: get_order\n" + "  a: 1\n" * 50_000,
        "- tool: get_order\n  arguments:\n    order: " + "x" * 100_000,
        "get_order(order='" + "x" * 200_000 + "')",
        "get_order(order=" + "(" * 100_000,
        "get_order(order=" + "-" * 60_000 + "1)",
        "words " * 50_000,
        "1" * 100_000,
    ],
    ids=lambda text: str(text)[:30],
)
def test_calls_that_are_too_long_or_too_deep_are_refused(form: str, text: str):
    read = tool_chain(form, MarkdownFormat()).parse(text, _TOOLS)
    assert not any(isinstance(one, ParsedCall) for one in read)
    assert all(len(one.for_model) < 1_000 for one in read if isinstance(one, UnreadableCall))


def test_aliases_are_refused_before_they_are_expanded():
    bomb = "a: &a [x, x, x]\n" + "".join(
        f"{chr(98 + n)}: &{chr(98 + n)} [{'*' + chr(97 + n)}]\n" for n in range(9)
    )
    with pytest.raises(NotYaml, match="begins with \\*"):
        load_yaml(bomb)


def test_yaml_has_its_own_limits():
    with pytest.raises(NotYaml, match="longer than"):
        load_yaml("x" * 70_000)
    with pytest.raises(NotYaml, match="nested more than"):
        load_yaml("[" * 40 + "]" * 40)
    with pytest.raises(NotYaml, match="too many parts"):
        load_yaml("[" + "1," * 6_000 + "]")
    with pytest.raises(NotYaml, match="does not allow"):
        load_yaml("a: \x01")
    assert load_yaml("") is None


def test_an_incomplete_last_yaml_item_is_not_used():
    text = "- tool: get_order\n  arguments:\n    order: 1\n- tool: get_order\n  arguments:\n    order: 47"
    for cut, expected in ((True, UnreadableCall), (False, ParsedCall)):
        reader = tool_chain("yaml", MarkdownFormat()).reader(_TOOLS)
        assert isinstance([*reader.push(text), *reader.finish(cut=cut)][-1], expected)
