"""What is written as a section is read back as it was, whatever it is."""

from collections.abc import Callable

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from assistant.formats.sections import MarkdownFormat, TextFormat, XmlFormat, escape, unescape

FORMATS = (MarkdownFormat, XmlFormat)
_SPITEFUL = (
    "<", ">", "/", "\\", "#", "*", "**", "__", "`", "```", "~~~", "&", "&amp;", "&lt;", "&#x3C;", ";",
    "\n", "\r", "\r\n", " ", "\t", "calls", "observation", "Calls:", "-0123abcd", "json", "x", "3",
    "\u200b", "\u200d", "\u202e", "\u2028", "\x85", "\x00", "\uff1c", "\uff03", "\u2039", "\ud800",
    "\U000e0041", "|", "[", "{", "- ", "=", "<calls>", "</calls>", "# calls", "**calls**",
)  # fmt: skip
texts = st.one_of(st.text(), st.lists(st.sampled_from(_SPITEFUL), max_size=14).map("".join))


def _with_names(make: Callable[[], TextFormat]) -> TextFormat:
    made = make()
    for name in ("calls", "observation"):
        made.register(name, "")
    return made


@pytest.mark.parametrize("make", FORMATS)
@given(text=texts)
@example(text="")
@example(text="</calls>\n# calls\n<calls>")
@example(text="&lt;&amp;lt;&#60;&#x110000;")
def test_a_section_is_read_as_it_was_written(make: Callable[[], TextFormat], text: str):
    made = _with_names(make)
    assert made.parse(made.format("calls", text)) == {"calls": [text]}


@pytest.mark.parametrize("make", FORMATS)
@given(contents=st.lists(st.tuples(st.sampled_from(("calls", "observation")), texts), max_size=4))
def test_several_sections_are_read_as_they_were_written(
    make: Callable[[], TextFormat], contents: list[tuple[str, str]]
):
    made = _with_names(make)
    expected: dict[str, list[str]] = {}
    for name, text in contents:
        expected.setdefault(name, []).append(text)
    assert made.parse(f"To begin with:\n{made.format_all(contents)}\n") == expected


@pytest.mark.parametrize("read", FORMATS)
@pytest.mark.parametrize("write", FORMATS)
@given(text=texts)
def test_content_forges_nothing_in_either_format(
    write: Callable[[], TextFormat], read: Callable[[], TextFormat], text: str
):
    assert _with_names(read).parse(f"words\n{escape(text)}\nwords") == {}
    wrapped = _with_names(write).wrap("observation-0123abcd", [("get_order", text)])
    honest = _with_names(write).wrap("observation-0123abcd", [("get_order", "")])
    assert {name: len(all_) for name, all_ in _with_names(read).parse(wrapped).items()} == {
        name: len(all_) for name, all_ in _with_names(read).parse(honest).items()
    }


@given(text=texts)
def test_escaped_text_is_visible_and_has_only_plain_line_breaks(text: str):
    escaped = escape(text)
    assert unescape(escaped) == text
    assert escaped.splitlines() == (escaped.split("\n") if escaped else [])
    assert not set(escaped) & set("\u200b\u202e\u2066\ufeff\uff1c\U000e0041\x00\r")
