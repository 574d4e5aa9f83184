"""The calls that models write are read as they were meant, and nothing is guessed; the texts are next to this
file.
"""

import json
import re
from pathlib import Path

from assistant.conversation.tool_spec import ToolSpec
from assistant.formats.sections import MarkdownFormat
from assistant.models.text_protocol.calls import CallEvent, NamedCall, ParsedCall, UnreadableCall
from assistant.models.text_protocol.tool_chain import ToolChain, tool_chain
from tests.support.rows import check_rows

_CASES = re.findall(
    r"^=== (\w+): (.+)\n((?:.*\n)*?)---> (.+)$",
    Path(__file__).with_name("outputs.txt").read_text(),
    re.MULTILINE,
)
each_case = check_rows(
    ("form", "shows", "output", "read"), _CASES, ids=[f"{case[0]}: {case[1]}" for case in _CASES]
)


def _given(output: str) -> str:
    return output.removesuffix("\n").replace("\\t", "\t").replace("\\r\n", "\r\n")


def _told(read: ParsedCall | UnreadableCall) -> object:
    if isinstance(read, ParsedCall):
        return [read.tool, read.arguments]
    return {"tool": read.tool, "problem": read.problem}


def _in_pieces(chain: ToolChain, text: str, tools: tuple[ToolSpec, ...], length: int) -> list[CallEvent]:
    reader = chain.reader(tools)
    read = [one for at in range(0, len(text), length) for one in reader.push(text[at : at + length])]
    return [*read, *reader.finish()]


@each_case
def test_each_output_is_read_as_expected(
    form: str, shows: str, output: str, read: str, tools: tuple[ToolSpec, ...]
):
    found = [_told(one) for one in tool_chain(form, MarkdownFormat()).parse(_given(output), tools)]
    expected = json.loads(read)
    for one, meant in zip(found, expected, strict=False):
        if isinstance(meant, dict) and isinstance(one, dict):
            assert meant["problem"] in one["problem"], shows
            meant["problem"] = one["problem"]
    assert found == expected, shows


@each_case
def test_cuts_make_no_difference(form: str, shows: str, output: str, read: str, tools: tuple[ToolSpec, ...]):
    text = _given(output)
    chain = tool_chain(form, MarkdownFormat())
    whole = _in_pieces(chain, text, tools, len(text) + 1)
    for length in (1, 2, 5):
        assert _in_pieces(chain, text, tools, length) == whole, shows


@each_case
def test_a_call_is_named_before_it_is_complete(
    form: str, shows: str, output: str, read: str, tools: tuple[ToolSpec, ...]
):
    named: set[int] = set()
    for one in _in_pieces(tool_chain(form, MarkdownFormat()), _given(output), tools, 3):
        match one:
            case NamedCall(number=number):
                assert number == len(named), shows
                named.add(number)
            case ParsedCall(number=number):
                assert number in named, shows
            case UnreadableCall(number=number, tool=tool, for_model=told):
                assert number in named or not tool, shows
                assert one.problem in told
                assert one.text[:50] in told
                named.add(number)


def test_there_are_many_outputs():
    assert len(_CASES) >= 100
