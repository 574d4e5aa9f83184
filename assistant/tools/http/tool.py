"""Reads the tools of an HTTP file, and runs them. Each section of the file is a tool."""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from http import HTTPStatus
from pathlib import Path
from typing import Any, cast

from assistant.conversation.customer import Customer, Level
from assistant.conversation.tool_spec import Hint, ToolSpec
from assistant.conversation.values import Effect, Json, JsonObject
from assistant.errors import CredentialError
from assistant.prompts.book import PromptBook
from assistant.tools.arguments import validated
from assistant.tools.confirmation import clause_of
from assistant.tools.declaration_errors import Lines, Mistake, line_of, load_toml, source_location, toml_lines
from assistant.tools.hints import read_hints
from assistant.tools.http.client import ResponsePath, ResponseReader, send, way
from assistant.tools.http.config import (
    ApiSection,
    Problem,
    ToolSection,
    parameter_problems,
    schema_of,
    section_problems,
)
from assistant.tools.http.request import (
    CLAIM,
    RequestPlan,
    given,
    header_problems,
    names_in,
    names_of,
    request_problems,
)
from assistant.tools.http.service import Base, Connections, Service, credentials, read_base
from assistant.tools.options import Options, PerLocale, by_locale, option_problems, with_options
from assistant.tools.tool import Tool, ToolContext, ToolResult


@dataclass(frozen=True, kw_only=True, eq=False)
class HttpTool:
    """A :class:`assistant.tools.tool.Tool` that sends one request.

    ``draft`` is True if the tool is not reviewed yet. Such a tool can be checked and called by hand, but is
    not offered to models. ``claims`` are the claims about the customer that its request needs.
    """

    spec: ToolSpec
    service: Service
    request: RequestPlan
    reading: ResponseReader
    claims: tuple[str, ...] = ()
    confirm: bool | PerLocale = False
    draft: bool = False

    def validate(self, arguments: JsonObject) -> JsonObject:
        """Returns the arguments in their final form. Raises ``BadArguments``."""
        return validated(self.spec.name, self.spec.parameters, arguments)

    async def run(self, arguments: JsonObject, *, customer: Customer, context: ToolContext) -> ToolResult:
        """Send the request. Raises ``ToolError`` for all failures, and ``BadArguments`` before it is sent.

        A request with the customer's own credential is never sent without it: it raises ``CredentialError``.
        """
        service = self._service_for(customer)
        # The company's values come last, so that no argument can replace them.
        request = self.request.with_values({**arguments, **given(customer, context.key)})
        answer = await send(request, service)
        if service.credentials.of_customer and answer.status == HTTPStatus.UNAUTHORIZED:
            raise CredentialError
        return ToolResult(self.reading.value(answer, service, customer.locale))

    def _service_for(self, customer: Customer) -> Service:
        """Returns the system, with this customer's credential."""
        if not self.spec.credential:
            return self.service
        held, signs_in = customer.credential, self.service.credentials.of_customer
        if held is None or not held.claims.keys() >= set(self.claims) or (signs_in and not held.token):
            raise CredentialError(refused=False)
        return replace(self.service, credentials=self.service.credentials.for_customer(held.token))

    async def read_back(self, arguments: JsonObject, *, customer: Customer, book: PromptBook) -> str | None:
        """Returns the clause that says what would be done, in ``customer.locale``, or None if there is no
        text in that language.
        """
        if isinstance(self.confirm, bool):
            return None
        return clause_of(by_locale(self.confirm), self.spec, arguments, customer.locale, book)


_LOOKUPS = ("GET", "HEAD")
_WHO = ("customer.id", "customer.name")


def section_tool(
    name: str,
    section: ToolSection,
    api: ApiSection,
    service: Service,
    where: str,
    environment: Mapping[str, str],
) -> HttpTool | list[Problem]:
    """Returns the tool that this section declares, or its mistakes, each with the key in the file. ``environment``
    has the values of secrets.
    """
    options = _options(section, api)
    hints, hint_problems = read_hints(options)
    auth = api.auth if section.auth is None else section.auth
    places = {*names_in(section), *(name for text in api.headers.values() for name in names_of(text))}
    acts_as_customer = auth.is_customers or any(name.startswith(CLAIM) for name in places)
    problems: list[Problem] = [
        *parameter_problems(section.params),
        *request_problems(section),
        *_own_problems(section, acts_as_customer=acts_as_customer),
        *(_placed(problem) for problem in hint_problems),
        *(_placed(problem) for problem in option_problems(options, list(section.params))),
    ]
    if problems:
        return problems
    return HttpTool(
        spec=_spec(name, section, options, hints, where, acts_as_customer=acts_as_customer),
        service=service
        if section.auth is None
        else replace(service, credentials=credentials(auth, environment)),
        claims=tuple(sorted(name.removeprefix(CLAIM) for name in places if name.startswith(CLAIM))),
        request=_request(name, section, api),
        reading=_reading(section),
        confirm=cast("bool | str | Mapping[str, str]", options.confirm),
        draft=section.draft,
    )


def _options(section: ToolSection, api: ApiSection) -> Options:
    """Returns the options that tools in Python have, too. They are checked in one place."""
    written: dict[str, Any] = {
        "waiting_hint": section.waiting_hint,
        "will": section.will,
        "hints": section.hints,
        "effect": _effect(section),
        "timeout_s": api.timeout_s if section.timeout_s is None else section.timeout_s,
        "confirm": section.confirm,
        "acknowledge": section.acknowledge,
        "narration": section.narration,
        "examples": section.examples,
        "approve": section.approve,
        "when": section.when,
    }
    return Options(**written)


def _own_problems(section: ToolSection, *, acts_as_customer: bool) -> Iterator[Problem]:
    if not isinstance(section.confirm, bool | str | dict):
        yield ("confirm",), f"confirm {section.confirm!r} should be true, false or a template"
    if section.requires == "anonymous" and set(_WHO) & set(names_in(section)):
        yield (
            ("requires",),
            "requires 'anonymous' does not go with {customer.id}; leave it out, or 'verified'",
        )
    if acts_as_customer and section.requires not in (None, "signed_in"):
        yield (
            ("requires",),
            f"requires {section.requires!r} does not go with what the site says of a signed-in customer"
            " ({customer.token}, {customer.claims.NAME}); leave it out, or 'signed_in'",
        )
    if section.retries and _effect(section) == "write" and not section.idempotent:
        yield ("retries",), "retries of a change need idempotent = true: else it might be made twice"
    if section.idempotent and _effect(section) == "read":
        yield (
            ("idempotent",),
            "idempotent says that a change may be repeated; a lookup always may: leave it out",
        )
    if section.cache_ttl_s and _effect(section) == "write":
        yield ("cache_ttl_s",), "cache_ttl_s is for lookups; a change is made each time"


def _placed(problem: str) -> Problem:
    """Split a problem that begins with an option's name, such as "narration['de'] ...", into path and problem."""
    option = problem.partition(" ")[0].partition("[")[0].rstrip(":")
    return (option,), problem


def _effect(section: ToolSection) -> Effect:
    return section.effect or ("read" if section.method in _LOOKUPS else "write")


def _spec(
    name: str,
    section: ToolSection,
    options: Options,
    hints: Mapping[str, Hint],
    where: str,
    *,
    acts_as_customer: bool,
) -> ToolSpec:
    known: Level = "verified" if set(_WHO) & set(names_in(section)) else "anonymous"
    spec = ToolSpec(
        name=name, description=section.description, parameters=schema_of(section.params), where=where
    )
    return replace(
        with_options(spec, options),
        hints=hints,
        requires="signed_in" if acts_as_customer else section.requires or known,
        credential=acts_as_customer,
        idempotent=section.idempotent,
        retries=section.retries,
        cache_ttl_s=section.cache_ttl_s,
        max_concurrency=section.max_concurrency,
        instructions=section.instructions,
        trusted=section.trusted,
    )


def _request(name: str, section: ToolSection, api: ApiSection) -> RequestPlan:
    return RequestPlan(
        tool=name,
        method=section.method,
        path=section.path,
        query=section.query,
        body=section.body,
        as_form=section.body_as == "form",
        headers={**api.headers, **section.headers},
        key_header=api.idempotency_header if _effect(section) == "write" else "",
        changes=_effect(section) == "write",
    )


def _reading(section: ToolSection) -> ResponseReader:
    without_content: Json = {"found": True} if section.method == "HEAD" else None
    fields = section.fields if isinstance(section.fields, dict) else {name: name for name in section.fields}
    return ResponseReader(
        pick=ResponsePath(
            path=way(section.result or ""), fields={ours: way(theirs) for ours, theirs in fields.items()}
        ),
        empty_on=section.empty_on,
        errors=section.errors,
        # A change was made even if its answer has no content, so the result is not empty.
        without_content={"done": True} if _effect(section) == "write" else without_content,
        of_change=_effect(section) == "write",
    )


def drafts(tools: Iterable[Tool]) -> list[str]:
    """Returns the names of tools that are not reviewed yet, sorted."""
    return sorted(tool.spec.name for tool in tools if isinstance(tool, HttpTool) and tool.draft)


def unset_secrets(tools: Iterable[Tool]) -> list[tuple[str, str]]:
    """Returns each variable that is not set, with the system that needs it, in the order of the tools."""
    services = [tool.service for tool in tools if isinstance(tool, HttpTool)]
    return list(dict.fromkeys((name, one.name) for one in services for name in one.credentials.missing))


_NOWHERE = "https://nowhere.invalid"


def read_service(
    written: object, connections: Connections, environment: Mapping[str, str]
) -> tuple[ApiSection, Service, list[Problem]]:
    """Returns the ``[api]`` section, the service that it describes, and the mistakes in them.

    With mistakes, a placeholder service is returned, so that the tools can be checked, too.
    """
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
        yield (key,), f"{name} is not encrypted; write https, or plain_http = true if the network is private"


_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,63}")


@dataclass(frozen=True, slots=True, kw_only=True)
class HttpFile:
    """The content of a file. With ``mistakes``, none of its tools may be used."""

    tools: tuple[HttpTool, ...] = ()
    mistakes: tuple[Mistake, ...] = ()


def read_http_file(file: Path, connections: Connections, environment: Mapping[str, str]) -> HttpFile:
    """Read and check a file. ``environment`` has the environment variables that the file names.

    It is no mistake if the variable of a secret is not set.
    """
    loaded = load_toml(file, 'write each setting as key = "value"')
    if isinstance(loaded, Mistake):
        return HttpFile(mistakes=(loaded,))
    source, written = loaded
    return _Reader(file, toml_lines(source), written, connections, environment).read()


@dataclass(slots=True)
class _Reader:
    """Reads one file."""

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
