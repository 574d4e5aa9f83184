"""A marker is found in a text that still grows, and nothing is held back that cannot become one."""

from assistant.formats.sections import TextFormat, text_format
from tests.support.rows import check_rows


def _with_names(name: str) -> TextFormat:
    made = text_format(name)
    made.register("calls", "")
    made.register("tool_calls", "")
    return made


@check_rows(
    ("name", "text", "held"),
    [
        ("markdown", "Hello", ""),
        ("markdown", "Hello\n", ""),
        ("markdown", "Hello\n#", "#"),
        ("markdown", "Hello\n## To", "## To"),
        ("markdown", "Hello\n## Today", ""),
        ("markdown", "Hello\n# Tool calls", "# Tool calls"),
        ("markdown", "Hello\n  ", "  "),
        ("markdown", "Hello\n*", "*"),
        ("markdown", "Hello\n* one", ""),
        ("markdown", "Hello # calls", ""),
        ("markdown", "Hello\n" + "#" * 120, ""),
        ("xml", "Hello", ""),
        ("xml", "Hello <", "<"),
        ("xml", "Hello </ tool_c", "</ tool_c"),
        ("xml", "Hello <calls id='1'", "<calls id='1'"),
        ("xml", "Hello <b", ""),
        ("xml", "Hello <b>", ""),
        ("xml", "1 < 2", ""),
        ("xml", "<calls " + "x" * 300, ""),
    ],
)
def test_only_text_that_may_become_a_marker_is_held(name: str, text: str, held: str):
    assert text[_with_names(name).held_from(text) :] == held


def test_a_piece_inside_a_line_has_no_heading_at_its_beginning():
    markdown = _with_names("markdown")
    assert markdown.find("# calls\n", line_start=False) is None
    assert markdown.held_from("# calls", line_start=False) == len("# calls")
    found = markdown.find("# calls\n# calls\n", line_start=False)
    assert found is not None
    assert found.start == len("# calls\n")


def test_a_heading_may_become_another_while_its_line_is_not_complete():
    markdown = _with_names("markdown")
    assert markdown.find("Hello\n# calls", complete=False) is None
    found = markdown.find("Hello\n# calls", complete=True)
    assert found is not None
    assert (found.name, found.start, found.end) == ("calls", 6, 13)
    assert markdown.find("# calls: [", complete=False) is not None


def test_a_tag_is_found_at_its_place():
    found = _with_names("xml").find("Hello <Tool-Calls>[]")
    assert found is not None
    assert (found.name, found.kind, found.start, found.end) == ("tool_calls", "opens", 6, 18)
    closing = _with_names("xml").find("[]</calls>")
    assert closing is not None
    assert closing.kind == "closes"


@check_rows("name", ["markdown", "xml"])
@check_rows("text", ["# calls\n[1]\n", "**Tool calls:** [1]\n", "<calls>\n[1]", "a <tool-calls x='1'>"])
def test_a_marker_is_held_until_it_is_found(name: str, text: str):
    made = _with_names(name)
    whole = made.find(text)
    if whole is None:
        return
    for length in range(len(text) + 1):
        seen = made.find(text[:length], complete=False)
        assert (
            seen == whole
            or (seen is None and made.held_from(text[:length]) <= max(whole.start, 0))
            or (length <= whole.start)
        )
