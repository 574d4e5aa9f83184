"""Reads an HTTP tools file: its services, its tools, and all mistakes at once."""

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import cast

from assistant.tools.declaration_errors import Lines, Mistake, line_of, source_location, toml_lines
from assistant.tools.http.config import ApiSection, Problem, ToolSection, section_problems
from assistant.tools.http.request import header_problems
from assistant.tools.http.service import Base, Connections, Service, credentials, read_base
from assistant.tools.http.tool import HttpTool, section_tool

_NOWHERE = "https://nowhere.invalid"


def read_service(
    written: object, connections: Connections, environment: Mapping[str, str]
) -> tuple[ApiSection, Service, list[Problem]]:
    """The section, the system, and what is wrong; a stand-in serves to check the tools of a wrong one."""
    problems: list[Problem] = []
    if written is None:
        problems.append(((), 'has no [api]; write [api] and below it base_url = "https://..."'))
        api = ApiSection(base_url=_NOWHERE)
    else:
        checked = section_problems(written, ApiSection)
        if isinstance(checked, ApiSection):
            api = checked
        else:
            problems += checked
            api = ApiSection(base_url=_NOWHERE)
    base, base_problems = _base(api, environment)
    problems += base_problems
    for name, template in api.headers.items():
        problems += header_problems(("headers", name), name, template)
    service = Service(
        name=api.name,
        base=base,
        credentials=credentials(api.auth, environment),
        connections=connections,
        max_bytes=api.max_bytes,
    )
    return api, service, problems


def _base(api: ApiSection, environment: Mapping[str, str]) -> tuple[Base, list[Problem]]:
    other = environment.get(api.base_url_from) if api.base_url_from else None
    name, key = (api.base_url_from or "", "base_url_from") if other else ("base_url", "base_url")
    try:
        base = read_base(other or api.base_url)
    except ValueError as error:
        return read_base(_NOWHERE), [((key,), f"{name} {error}")]
    return base, list(_openness(api, base, name, key))


def _openness(api: ApiSection, base: Base, name: str, key: str) -> Iterator[Problem]:
    if base.is_open and not api.plain_http:
        yield (key,), f"{name} is not encrypted; write https, or plain_http = true if nobody can listen there"


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFile:
    """What a file holds. With ``mistakes`` none of its tools may be used."""

    tools: tuple[HttpTool, ...] = ()
    mistakes: tuple[Mistake, ...] = ()


def read_http_file(file: Path, connections: Connections, environment: Mapping[str, str]) -> HttpFile:
    """Read and check it. ``environment`` is where the secrets are that it names; none of them need be set."""
    try:
        source = file.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        return _unread(file, 1, f"not UTF-8 text ({error.reason}); save it as UTF-8")
    except OSError as error:
        return _unread(file, 1, f"cannot be read: {error.strerror}; give the server leave to")
    try:
        written = tomllib.loads(source)
    except tomllib.TOMLDecodeError as error:
        found = re.search(r"at line (\d+)", str(error))
        line = int(found[1]) if found else source.count("\n") + 1
        return _unread(file, line, f'not valid TOML: {error}; write each setting as key = "value"')
    except RecursionError:
        return _unread(
            file, 1, "not valid TOML: nested too deeply; write what is within as a table of its own"
        )
    return _Reader(file, toml_lines(source), written, connections, environment).read()


def _unread(file: Path, line: int, problem: str) -> HttpFile:
    return HttpFile(mistakes=(Mistake(source_location(file, line), problem),))


@dataclass(slots=True)
class _Reader:
    """One file, while it is read."""

    file: Path
    lines: Lines
    written: dict[str, object]
    connections: Connections
    environment: Mapping[str, str]

    def read(self) -> HttpFile:
        strange = sorted(self.written.keys() - {"api", "tools"})
        mistakes = [
            self._mistake((key,), f"there is no section {key!r}; the sections are: [api], [tools.NAME]")
            for key in strange
        ]
        api, service = self._service(mistakes)
        sections = self.written.get("tools")
        if not isinstance(sections, dict) or not sections:
            mistakes.append(self._mistake(("tools",), "declares no tools; write [tools.NAME] for each"))
            sections = {}
        tools: list[HttpTool] = []
        for name, section in cast("dict[str, object]", sections).items():
            found = self._tool(name, section, api, service)
            if isinstance(found, HttpTool):
                tools.append(found)
            else:
                mistakes += found
        return HttpFile(tools=tuple(tools), mistakes=tuple(mistakes))

    def _service(self, mistakes: list[Mistake]) -> tuple[ApiSection, Service]:
        api, service, problems = read_service(self.written.get("api"), self.connections, self.environment)
        mistakes += [self._mistake(("api", *way), problem) for way, problem in problems]
        return api, service

    def _tool(
        self, name: str, section: object, api: ApiSection, service: Service
    ) -> HttpTool | list[Mistake]:
        if not _NAME.fullmatch(name):
            problem = (
                "has a name that models cannot write; use up to 64 plain letters, digits and underscores"
            )
            return [self._mistake(("tools", name), problem, name)]
        checked = section_problems(section, ToolSection)
        if isinstance(checked, ToolSection):
            where = source_location(self.file, line_of(("tools", name), self.lines))
            checked = section_tool(name, checked, api, service, where, self.environment)
        if isinstance(checked, HttpTool):
            return checked
        return [self._mistake(("tools", name, *way), problem, name) for way, problem in checked]

    def _mistake(self, way: tuple[str, ...], problem: str, tool: str | None = None) -> Mistake:
        return Mistake(source_location(self.file, line_of(way, self.lines)), problem, tool)
