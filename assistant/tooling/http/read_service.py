"""Reads what a file says of the system that its tools ask."""

from collections.abc import Iterator, Mapping

from assistant.tooling.http.address import Base, read_base
from assistant.tooling.http.connections import Connections
from assistant.tooling.http.credentials import credentials
from assistant.tooling.http.request_problems import header_problems
from assistant.tooling.http.schema import Problem
from assistant.tooling.http.section_problems import section_problems
from assistant.tooling.http.sections import ApiSection
from assistant.tooling.http.service import Service

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
