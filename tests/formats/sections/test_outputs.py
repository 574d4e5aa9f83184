"""The sections that models write are read as they were meant; the outputs are next to this file."""

import json
import re
from pathlib import Path

import pytest

from assistant.errors import DeclarationError
from assistant.formats.sections import TextFormat, text_format
from tests.support.rows import check_rows

_CASES = re.findall(
    r"^=== (\w+): (.+)\n((?:.*\n)*?)---> (.+)$",
    Path(__file__).with_name("outputs.txt").read_text(),
    re.MULTILINE,
)


def _with_names(name: str) -> TextFormat:
    made = text_format(name)
    made.register("calls", "[]")
    made.register("answer", "some words")
    return made


@check_rows(("name", "shows", "output", "read"), _CASES, ids=[f"{c[0]}: {c[1]}" for c in _CASES])
def test_each_output_is_read_as_expected(name: str, shows: str, output: str, read: str):
    given = output.removesuffix("\n").replace("\\r", "\r").replace("\\0", "")
    assert _with_names(name).parse(given) == json.loads(read), shows


def test_there_are_many_outputs():
    assert len(_CASES) >= 40


def test_the_structure_is_described_as_it_is_written():
    assert _with_names("markdown").describe() == "# calls\n[]\n\n# answer\nsome words"
    assert _with_names("xml").describe() == "<calls>\n[]\n</calls>\n<answer>\nsome words\n</answer>"


def test_single_several_and_nested_sections_are_written():
    markdown, xml = text_format("markdown"), text_format("xml")
    two = [("a", "1"), ("b", "2\n3")]
    assert markdown.format("a", "1") == "# a\n1"
    assert markdown.format_all(two) == "# a\n1\n\n# b\n2\n3"
    assert markdown.wrap("seen", two) == "# seen\n\n## a\n1\n\n## b\n2\n3"
    assert xml.format("a", "1") == "<a>\n1\n</a>"
    assert xml.format_all(two) == "<a>\n1\n</a>\n<b>\n2\n3\n</b>"
    assert xml.wrap("seen", two) == "<seen>\n<a>\n1\n</a>\n<b>\n2\n3\n</b>\n</seen>"
    for each in (markdown, xml):
        assert each.format_all([]) == each.wrap("seen", []) == each.describe() == ""


@check_rows("name", ["", "1st", "a<b", "a\nb", "#", "x" * 49])
def test_a_name_that_could_not_be_found_again_is_refused(name: str):
    with pytest.raises(DeclarationError, match="begins with a letter"):
        text_format("xml").register(name, "")


def test_two_sections_cannot_have_one_name():
    with pytest.raises(DeclarationError, match="'Calls': 'calls' is registered already"):
        _with_names("markdown").register("Calls", "")
    with pytest.raises(DeclarationError, match="'calls' is registered already"):
        _with_names("markdown").register("calls", "")


def test_an_unknown_format_is_reported_with_the_known_ones():
    with pytest.raises(DeclarationError, match="no text format is named 'toml'; use one of: markdown, xml"):
        text_format("toml")
