"""Checks a tool's own templates when it is declared, so that none fails in a conversation."""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cache, lru_cache

from jinja2 import meta, nodes

from assistant.prompts.sandbox import Sandbox, Sources

FILTERS = ("day", "fenced", "listing", "lower_first", "money", "plain", "sum", "time", "weekday", "when")
"""What a narration has beside the sandbox's own filters; their wording belongs to the prompts."""

_SINGLE = re.compile(r"\{\s*((\w+)((?:\.\w+|\[[^][{}]*])*))\s*(?:![rsa])?(?::[^{}]*)?}")
"""What other languages fill in and Jinja says as it stands: ``{value}``, ``{value.points:.2f}``."""

_OF_MAPPINGS = frozenset(("get", "items", "keys", "values"))


def template_problem(template: object, variables: Collection[str], parameters: Collection[str]) -> str | None:
    """Say what is wrong with a Jinja template over these variables; None: nothing.

    >>> template_problem("You owe {{ value | monney }}.", {"value", "arguments"}, set())
    "does not compile: No filter named 'monney'."
    >>> template_problem("On {{ arguments.dya | day }}.", {"arguments"}, {"day"})
    "asks for the argument 'dya', which the tool does not have; it has: day"
    """
    if not isinstance(template, str) or not template.strip():
        return f"should be a template with something to say, not {template!r}"
    try:
        tree, asked = _compiled(template)
    except Exception as error:
        # A template is a stranger's code: one nested too deep breaks more than Jinja's own rules.
        return f"does not compile: {error}"
    unknown = sorted(asked - set(variables))
    if unknown:
        return f"asks for {unknown[0]!r}, {_instead(unknown[0], variables, parameters)}"
    strange = next((name for name in _arguments_of(tree) if name not in parameters), None)
    if strange:
        known = ", ".join(parameters) or "none"
        return f"asks for the argument {strange!r}, which the tool does not have; it has: {known}"
    return next(_said_as_they_stand(tree, variables, parameters), None)


def _instead(unknown: str, variables: Collection[str], parameters: Collection[str]) -> str:
    if unknown in parameters:
        return f"which is one of its arguments; write arguments.{unknown}"
    return f"which does not exist; it has: {', '.join(sorted(variables))}"


def _said_as_they_stand(
    tree: nodes.Template, variables: Collection[str], parameters: Collection[str]
) -> Iterator[str]:
    """Names in single braces that were meant to be filled in."""
    for text in tree.find_all(nodes.TemplateData):
        for found in _SINGLE.finditer(text.data):
            asked, name, _ = found.groups()
            if name in variables or name in parameters:
                written = asked if name in variables else f"arguments.{asked}"
                yield f"has {found[0]!r}, which would be said as it stands; write {{{{ {written} }}}}"


# All tools are declared again whenever one is edited; the wordings of the others are what they were.
@lru_cache(maxsize=512)
def _compiled(template: str) -> tuple[nodes.Template, frozenset[str]]:
    """The template as a tree, and the names that somebody must give it."""
    sandbox = _sandbox()
    tree = sandbox.parse(template)
    sandbox.compile(tree)
    return tree, frozenset(meta.find_undeclared_variables(tree) - set(sandbox.globals))


@cache
def _sandbox() -> Sandbox:
    stand_ins: Mapping[str, Callable[..., object]] = dict.fromkeys(FILTERS, str)
    return Sandbox(Sources({}, "tools"), stand_ins, {})


def _arguments_of(tree: nodes.Template) -> Iterator[str]:
    """The names that a template asks ``arguments`` for."""
    for node in tree.find_all(nodes.Getattr):
        if _is_arguments(node.node) and node.attr not in _OF_MAPPINGS:
            yield node.attr
    for item in tree.find_all(nodes.Getitem):
        if _is_arguments(item.node) and isinstance(item.arg, nodes.Const):
            yield str(item.arg.value)


def _is_arguments(node: nodes.Node) -> bool:
    return isinstance(node, nodes.Name) and node.name == "arguments"
