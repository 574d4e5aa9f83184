"""The widget's page names the existing attributes, calls, events, properties and parts, and no others."""

import re

from tests.docs.pages import ROOT, page

SOURCES = {
    file.relative_to(ROOT / "web/src").as_posix(): file.read_text(encoding="utf-8")
    for ending in ("js", "css")
    for file in (ROOT / "web/src").rglob(f"*.{ending}")
}
ELEMENT = SOURCES["element.js"]


def _section(heading: str) -> str:
    """The text below a heading, up to the next."""
    return page("docs/reference/widget.md").text.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]


def _rows(heading: str, column: int = 1) -> set[str]:
    """The names in one column of a section's tables, without what they are given."""
    cells = [line.split("|")[column] for line in _section(heading).splitlines() if line.startswith("|")]
    return {name for cell in cells for name in re.findall(r"`([\w-]+)[^`]*`", cell)}


def test_its_attributes_are_those_that_the_element_reads() -> None:
    read = set(re.findall(r"(?:get|has)Attribute\(\"(\w+)\"\)", ELEMENT))

    assert _rows("Attributes") == read


def test_its_calls_are_those_that_the_page_can_make() -> None:
    lists = re.findall(r"const (?:ONCE|REPEATED) = \[(.*?)\];", SOURCES["command-queue.js"])

    assert len(lists) == 2
    assert _rows("Calls") == set(re.findall(r"\"(\w+)\"", " ".join(lists)))


def test_its_events_are_those_that_listeners_hear() -> None:
    told = set(re.findall(r"^ \* @property \{.*\} (\w+)", SOURCES["host-events.js"], re.MULTILINE))

    assert _rows("Events") == told


def test_its_properties_are_those_of_the_style_sheets_with_their_defaults() -> None:
    used = re.findall(r"var\((--meanwhile-[a-z-]+), ([^(),]+)\)", "\n".join(SOURCES.values()))
    rows = [line.split("|") for line in _section("Looks").splitlines() if line.startswith("| `--")]
    told = [
        (name, default)
        for _, names, _, defaults, _ in rows
        for name, default in zip(names.split(), defaults.split(), strict=False)
    ]

    assert {name for name, _ in used} | {"--meanwhile-font"} == _rows("Looks")
    assert {name.strip("`"): default.strip("`") for name, default in told if "`" in default} == dict(used)


def _parts() -> set[str]:
    table = _section("Looks").partition("| where | parts |")[2]
    return {part for part in re.findall(r"`([\w-]+)`", table) if not part.startswith("--")}


def test_its_parts_are_those_of_the_templates() -> None:
    written = re.findall(r"\bpart=\"([^\"]+)\"", "\n".join(SOURCES.values()))
    kinds = {"acknowledgement", "status", "response", "open"}
    parts = {part for parts in written for part in parts.split()}

    assert _parts() == parts - {"${kind}"} | kinds
    assert "${kind}" in parts
