"""Results in the form that build servers read: JUnit's XML."""

import re
from collections.abc import Sequence
from typing import assert_never
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from assistant.replay.cassette_file import SUFFIX
from assistant.replay.suite import AsExpected, Different, Result, Unplayable
from assistant.replay.told import complaint_lines

_NOT_IN_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def junit(results: Sequence[Result]) -> str:
    """The document: one suite, one case for each conversation, classed by its folder."""
    suite = Element("testsuite", name="conversations", tests=str(len(results)))
    suite.set("failures", str(sum(isinstance(result, Different) for result in results)))
    suite.set("errors", str(sum(isinstance(result, Unplayable) for result in results)))
    suite.set("time", f"{sum(result.took_s for result in results):.3f}")
    for result in results:
        _add_case(suite, result)
    whole = Element("testsuites")
    whole.append(suite)
    indent(whole)
    return tostring(whole, encoding="unicode", xml_declaration=True) + "\n"


def _add_case(suite: Element, result: Result) -> None:
    case = SubElement(
        suite,
        "testcase",
        classname=".".join(result.path.parent.parts) or ".",
        name=result.path.name.removesuffix(SUFFIX),
        file=str(result.path),
        time=f"{result.took_s:.3f}",
    )
    match result:
        case AsExpected():
            pass
        case Different():
            lines = complaint_lines(result)
            failure = SubElement(case, "failure", type=result.complaints[0].check, message=_clean(lines[0]))
            failure.text = _clean("\n".join(lines))
        case Unplayable(why=why):
            error = SubElement(case, "error", type="unplayable", message=_clean(why.partition("\n")[0]))
            error.text = _clean(why)
        case _:
            assert_never(result)


def _clean(text: str) -> str:
    """Without the characters that no XML may hold."""
    return _NOT_IN_XML.sub("�", text)
