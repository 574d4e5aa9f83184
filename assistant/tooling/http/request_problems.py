"""What is wrong with a tool's request before it is ever sent: places, methods, and arguments nobody uses."""

from collections.abc import Iterator
from typing import cast

from assistant.conversation.values import Json
from assistant.tooling.http.placeholders import GIVEN, TOKEN, is_given, places
from assistant.tooling.http.schema import Problem
from assistant.tooling.http.sections import ToolSection

_IN_AUTH = 'has a place {customer.token}; it is a secret: write auth = {bearer = "{customer.token}"}'
_WITHOUT_BODY = ("GET", "HEAD")


def request_problems(section: ToolSection) -> Iterator[Problem]:
    """Everything about path, query, headers and body; each problem names its key."""
    yield from _path_problems(section)
    for name, template in section.query.items():
        yield from _place_problems(
            section, ("query", name), f"query parameter {name!r}", template, lists=True
        )
    for name, template in section.headers.items():
        yield from header_problems(("headers", name), name, template)
    yield from _body_problems(section)
    used = set(names_in(section))
    for name in section.params:
        if name not in used:
            yield ("params", name), f"parameter {name!r} is used nowhere; write {{{name}}} where it belongs"


def header_problems(way: tuple[str, ...], name: str, template: str) -> Iterator[Problem]:
    """What a model says has no place in a header."""
    try:
        strange = next((place for place, _ in places(template) if not is_given(place)), None)
    except ValueError as error:
        yield way, f"header {name!r} {error}"
        return
    if strange == TOKEN:
        yield way, f"header {name!r} {_IN_AUTH}"
    elif strange is not None:
        yield way, f"header {name!r} has a place {{{strange}}}; headers know only {_listed(GIVEN)}"
    if not template.isprintable():
        yield way, f"header {name!r} should be one line"


def names_in(section: ToolSection) -> Iterator[str]:
    """The names of all places in a request; a text that cannot be read has none."""
    for template in (section.path, section.query, section.headers, section.body):
        yield from names_of(template)


def names_of(template: object) -> Iterator[str]:
    """The names of a template's places; a text that cannot be read has none."""
    try:
        yield from [name for name, _ in places(cast("Json", template))]
    except ValueError:
        return


def _path_problems(section: ToolSection) -> Iterator[Problem]:
    if set(section.path) & set("?#\\ "):
        yield ("path",), "path should have no '?', '#', blank or backslash; parameters go into query = {...}"
    if {"", ".", ".."} & set(section.path.strip("/").split("/")) and section.path != "/":
        yield ("path",), "path should have no empty or dotted part"
    yield from _place_problems(section, ("path",), "path", section.path, lists=False, whole=False)
    for name in dict.fromkeys(name for name, _ in _read(section.path)):
        parameter = section.params.get(name)
        if parameter is not None and not parameter.is_required and parameter.default is None:
            yield ("path",), f"path needs {{{name}}}, which may be left out; make it required"


def _body_problems(section: ToolSection) -> Iterator[Problem]:
    if section.body is None:
        return
    if section.method in _WITHOUT_BODY:
        yield ("body",), f"{section.method} takes no body; write query = {{...}}, or another method"
    if section.body_as == "form" and not isinstance(section.body, dict):
        yield ("body",), "a form's body should be a table of its fields"
    form = section.body_as == "form"
    yield from _place_problems(section, ("body",), "body", section.body, lists=form, whole=not form)


def _place_problems(
    section: ToolSection, way: tuple[str, ...], what: str, template: Json, *, lists: bool, whole: bool = False
) -> Iterator[Problem]:
    """``lists``: an array may stand alone in its text; ``whole``: any value may."""
    try:
        found = list(places(template))
    except ValueError as error:
        yield way, f"{what} {error}"
        return
    for name, alone in found:
        parameter = section.params.get(name)
        if parameter is None:
            if name == TOKEN:
                yield way, f"{what} {_IN_AUTH}"
            elif not is_given(name):
                known = _listed([*section.params, *GIVEN])
                yield way, f"{what} has a place {{{name}}} that nothing fills; known are {known}"
        elif not (alone and (whole or (lists and parameter.type == "array"))) and parameter.type in (
            "array",
            "object",
        ):
            yield way, f"{what} cannot hold {{{name}}}, which is of type {parameter.type}"


def _read(template: Json) -> list[tuple[str, bool]]:
    try:
        return list(places(template))
    except ValueError:
        return []


def _listed(names: "list[str] | tuple[str, ...]") -> str:
    return ", ".join(f"{{{name}}}" for name in names)
