"""Makes a tool's declaration out of what its server says of it and what is known of it here."""

from collections.abc import Iterator, Mapping
from typing import cast

from assistant.conversation.customer import Level
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.formats.tools import wire_name
from assistant.mcp.definition import Definition
from assistant.mcp.written import ToolWritten, is_of_sign_in
from assistant.text.harmless import harmless, harmless_data
from assistant.tooling.hints import read_hints
from assistant.tooling.options import Options, by_locale, is_locale, template_problem
from assistant.tooling.schema import tidy


def spec_of(
    server: str,
    definition: Definition,
    written: ToolWritten,
    *,
    timeout_s: float,
    where: str,
    signs_in: bool = False,
) -> tuple[ToolSpec, list[str]]:
    """The declaration, and what is wrong with what is written of it in ``mcp.toml``.

    ``signs_in``: its server is called with the customer's own token. A tool of unknown effect is a side effect, and
    a side effect is confirmed, unless it is written otherwise: what the server says of that itself is not believed.
    """
    parameters = parameters_of(definition, written)
    effect = written.effect or "write"
    confirm = written.confirm if written.confirm is not None else effect == "write"
    hints, hint_problems = read_hints(_spoken(written))
    narrations = dict(by_locale(written.narration)) if written.narration is not None else {}
    credential = signs_in or any(map(is_of_sign_in, written.fill.values()))
    spec = ToolSpec(
        name=tool_name(server, definition.name, written),
        description=harmless(definition.description),
        parameters=parameters,
        hints=hints,
        effect=effect,
        timeout_s=written.timeout_s or timeout_s,
        confirm=bool(confirm),
        acknowledge=written.acknowledge,
        narration=narrations.pop("en", None),
        narrations=narrations,
        examples=written.examples,
        requires="signed_in" if credential else written.requires or _required_by(written),
        credential=credential,
        idempotent=written.idempotent,
        retries=written.retries,
        cache_s=written.cache_s,
        at_once=written.at_once,
        instructions=written.instructions,
        trusted=written.trusted,
        foreign=True,
        where=where,
    )
    problems = [*hint_problems, *_problems(definition, written, parameters)]
    if credential and written.requires not in (None, "signed_in"):
        problems.append(
            f"requires {written.requires!r} does not go with a signed-in customer's own token or claims;"
            " leave it out"
        )
    return spec, problems


def tool_name(server: str, tool: str, written: ToolWritten) -> str:
    """What everybody here calls the tool: with its server's name before it, unless it is given another.

    In a form that every model's service takes as it is, so that logs, cassettes and models say the same.

    >>> tool_name("crm", "orders.find", ToolWritten())
    'crm_orders_find'
    """
    return written.rename or wire_name(f"{server}_{tool}")


def parameters_of(definition: Definition, written: ToolWritten) -> JsonObject:
    """The schema of what a model fills in: without what is filled in here."""
    schema = cast("JsonObject", harmless_data(tidy(definition.input)))
    properties = cast("Mapping[str, Json]", schema.get("properties", {}))
    required = [name for name in cast("list[str]", schema.get("required", [])) if name not in written.fill]
    left = {name: one for name, one in properties.items() if name not in written.fill}
    rest = {name: one for name, one in schema.items() if name != "required"}
    return {**rest, "type": "object", "properties": left, **({"required": required} if required else {})}


def _spoken(written: ToolWritten) -> Options:
    hints = {locale: (hint.doing, hint.will) for locale, hint in written.hints.items()}
    return Options(waiting_hint=written.waiting_hint, will=written.will, hints=hints)


def _required_by(written: ToolWritten) -> Level:
    return (
        "verified" if any(source.startswith("customer.") for source in written.fill.values()) else "anonymous"
    )


def _problems(definition: Definition, written: ToolWritten, parameters: JsonObject) -> Iterator[str]:
    known = set(cast("Mapping[str, Json]", definition.input.get("properties", {})))
    for name in sorted(set(written.fill) - known):
        yield f"fill: {name!r} is not one of its arguments; they are: {', '.join(sorted(known)) or 'none'}"
    left = set(cast("Mapping[str, Json]", parameters["properties"]))
    if written.narration is not None:
        yield from _template_problems("narration", written.narration, {"value", "arguments"}, left)
    if isinstance(written.confirm, str | Mapping):
        yield from _template_problems("confirm", written.confirm, {"arguments"}, left)


def _template_problems(
    option: str, templates: str | Mapping[str, str], variables: set[str], arguments: set[str]
) -> Iterator[str]:
    for locale, template in by_locale(templates).items():
        if not is_locale(locale):
            yield f"{option}: {locale!r} should be a locale such as 'de'"
        elif problem := template_problem(template, variables, sorted(arguments)):
            yield f"{option} {problem}"
