"""Holds a template against its typed input: every value used, every name known."""

from collections.abc import Collection, Iterator
from typing import TypeAlias

from jinja2 import TemplateSyntaxError, meta, nodes

from assistant.errors import DeclarationError
from assistant.prompts.sandbox import Sandbox

Trees: TypeAlias = dict[str, nodes.Template]
"""Parsed templates, by file name."""


def parse(sandbox: Sandbox, name: str, source: str, where: str) -> nodes.Template:
    """Parse and compile one template of the sandbox's. ``where`` is the file, as an editor knows it.

    Raises ``DeclarationError`` with file and line for what cannot be read.
    """
    try:
        tree = sandbox.parse(source, name)
        sandbox.get_template(name)
    except TemplateSyntaxError as error:
        cure = _cure(error.message or "", sandbox)
        raise DeclarationError(f"{where}:{error.lineno}: {error.message}; {cure}") from error
    except Exception as error:
        # A template is a stranger's code: one nested too deep breaks more than Jinja's own rules.
        raise DeclarationError(f"{where}:1: cannot be compiled: {error}; make it simpler") from error
    return tree


def names_used(sandbox: Sandbox, name: str, trees: Trees) -> dict[str, tuple[str, int]]:
    """The names that a template and what it includes ask for, each with the file and line of its first use.

    Includes must be spelled out; one that is not in ``trees`` is left for :func:`check_includes`.
    """
    used: dict[str, tuple[str, int]] = {}
    for file in _with_includes(name, trees, seen=set()):
        undeclared = meta.find_undeclared_variables(trees[file]) - set(sandbox.globals)
        for node in trees[file].find_all(nodes.Name):
            if node.name in undeclared and node.ctx == "load":
                used.setdefault(node.name, (file, node.lineno))
    return used


def check_names(used: dict[str, tuple[str, int]], template: str, given: Collection[str], folder: str) -> None:
    """Raise ``DeclarationError`` for names that are not given, or else for given ones that are never used.

    A line for each. A name that is not given is often one that is, misspelt: then both would be told.
    """
    known = ", ".join(sorted({*given, "voice"}))
    mistakes = [
        f"{folder}/{file}:{line}: unknown variable {name!r}; this template is given: {known}"
        for name, (file, line) in used.items()
        if name not in given
    ]
    mistakes = mistakes or [
        f"{folder}/{template}:1: {name!r} is given and never used; say it with {{{{ {name} }}}}"
        f" or let it decide something with {{% if {name} %}}"
        for name in given
        if name not in used
    ]
    if mistakes:
        raise DeclarationError("\n".join(mistakes))


def check_includes(trees: Trees, folder: str) -> None:
    """Raise ``DeclarationError`` for includes whose file is missing or not spelled out; a line each."""
    kinds = (nodes.Include, nodes.Import, nodes.FromImport, nodes.Extends)
    mistakes: list[str] = []
    for file, tree in trees.items():
        for node in tree.find_all(kinds):
            wanted = node.template.value if isinstance(node.template, nodes.Const) else None
            if wanted not in trees:
                partials = ", ".join(name for name in trees if name.startswith("_")) or "none yet"
                what = f"there is no file {wanted!r}" if wanted else "the file's name must be spelled out"
                mistakes.append(f"{folder}/{file}:{node.lineno}: {what}; files to include: {partials}")
    if mistakes:
        raise DeclarationError("\n".join(mistakes))


def _with_includes(name: str, trees: Trees, seen: set[str]) -> Iterator[str]:
    if name in seen:
        return
    seen.add(name)
    yield name
    for included in meta.find_referenced_templates(trees[name]):
        if included is not None:
            yield from _with_includes(included, trees, seen)


def _cure(message: str, sandbox: Sandbox) -> str:
    if message.startswith("No filter"):
        return f"the filters are: {', '.join(sorted(name for name in sandbox.filters if name[0] != '_'))}"
    if "end of template" in message or "Jinja was looking for" in message:
        return "close every {% if %}, {% for %} and {% macro %} with its {% end... %}"
    return "compare with the other templates; {{ value }} says a value, {% ... %} decides"
