"""Reads a folder of policies, and finds contradictions with the tools, and rules that this server can never
satisfy.

A file is Markdown with a head of TOML between two lines of ``+++``. The keys are those of ``_Head`` and
``_Rule``.
"""

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from graphlib import CycleError, TopologicalSorter
from pathlib import Path
from typing import Annotated, Final, cast

from pydantic import BeforeValidator, Field

from assistant.conversation.customer import LEVELS, Level
from assistant.conversation.documents import LOAD_IN_FULL, SEARCH_DOCUMENTS
from assistant.conversation.entries import TALK_TO_A_PERSON
from assistant.conversation.tool_spec import ToolSpec
from assistant.errors import DeclarationError
from assistant.policies.policy import Policies, Policy, Rule
from assistant.prompts.folder import Section, display_path, read_toml
from assistant.prompts.voice import HoursSection
from assistant.settings import Settings
from assistant.tools.condition import Condition, read_condition
from assistant.tools.declaration_errors import Mistake, declaration_error
from assistant.tools.options import by_locale, is_locale
from assistant.tools.registry import Tools

MOST_CHARACTERS: Final = 4_000
"""The longest text of one policy, and of all policies that a model gets at a time: about 1,000 tokens."""

BUILT_IN: Final = frozenset((TALK_TO_A_PERSON, SEARCH_DOCUMENTS, LOAD_IN_FULL))
"""The assistant's own tools. Settings turn them on and off, so a policy may name them even if they are
off."""


def policy_files(folder: Path) -> list[Path]:
    """Returns the files with policies: ``*.md``, except README.md and names that begin with "_" or "."."""
    return [
        path
        for path in sorted(folder.glob("*.md"))
        if path.name[0] not in "._" and path.stem.lower() != "readme" and path.is_file()
    ]


def read_policies(folder: Path, *, must_exist: bool = False) -> Policies:
    """Returns the policies of a folder, or none if the folder does not exist.

    ``must_exist`` is True if a setting names the folder, so that a missing folder is an error. Raises
    ``DeclarationError`` with file, line and what to do, one line for each file with a mistake.
    """
    if must_exist and not folder.is_dir():
        cure = "set ASSISTANT_POLICIES_DIR to the policies' folder, or leave it out"
        raise DeclarationError(f"{display_path(folder)}: there is no such folder; {cure}")
    found: list[Policy] = []
    problems: list[str] = []
    for path in policy_files(folder):
        try:
            found.append(_read(path))
        except DeclarationError as error:
            problems.append(str(error))
    if problems:
        raise DeclarationError("\n".join(problems))
    return Policies(tuple(found))


def _listed(given: object) -> object:
    return (given,) if isinstance(given, str) else given


_Texts = Annotated[tuple[Annotated[str, Field(min_length=1)], ...], BeforeValidator(_listed)]
"""A list of texts. A single text needs no brackets."""


class _Rule(Section):
    tool: Annotated[str, Field(min_length=1)]
    requires: Level | None = None
    only_after: _Texts = ()
    only_if: _Texts = ()
    confirm: bool | None = None
    say: str | dict[str, str] = ""


class _Head(Section):
    when: _Texts = ()
    tools: _Texts = ()
    tenants: _Texts = ()
    hours: HoursSection | None = None
    rules: tuple[_Rule, ...] = ()


_FENCED = re.compile(r"\+\+\+[ \t]*\n(.*?)^\+\+\+[ \t]*$\n?(.*)", re.DOTALL | re.MULTILINE)
_HEADING = re.compile(r"^ {0,3}#{1,6}[ \t]+(.*?)[ \t#]*$", re.MULTILINE)
_KEYS = f"a head has {', '.join(_Head.model_fields)}; a rule has {', '.join(_Rule.model_fields)}"


def _read(path: Path) -> Policy:
    where = f"{display_path(path.parent)}/{path.name}"
    try:
        source = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{where}:1: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise DeclarationError(f"{where}:1: cannot be read: {error.strerror}") from error
    fenced = _FENCED.match(source.replace("\r\n", "\n"))
    if fenced is None:
        raise DeclarationError(f"{where}:1: has no head; begin the file with TOML between two lines of +++")
    # The first line is the fence; it is counted, so that errors have the line numbers of the file.
    written = "\n" + fenced[1]
    head = read_toml(written, _Head, where, cure=_KEYS)
    # Models that get sections could mistake a heading for one.
    text = _HEADING.sub(r"\1:", fenced[2]).strip()
    if not text:
        raise DeclarationError(f"{where}:1: says nothing below its head; write the steps there")
    if len(text) > MOST_CHARACTERS:
        size = f"{len(text):,} characters of steps, and {MOST_CHARACTERS:,} are the most"
        raise DeclarationError(f"{where}:1: {size}; split it into several policies")
    if not head.when and not head.tools:
        raise DeclarationError(f"{where}:1: would never be chosen; write when, tools, or both")
    lines = [
        number for number, line in enumerate(written.splitlines(), 1) if re.match(r"\s*\[\[\s*rules", line)
    ]
    places = [f"{where}:{line}" for line in (*lines, *[1] * len(head.rules))]
    return Policy(
        name=path.stem,
        where=f"{where}:1",
        text=text,
        when=head.when,
        tools=head.tools,
        tenants=head.tenants,
        hours=head.hours.hours() if head.hours is not None else None,
        rules=tuple(_rule(rule, path.stem, place) for rule, place in zip(head.rules, places, strict=False)),
    )


def _rule(written: _Rule, policy: str, where: str) -> Rule:
    say = by_locale(written.say) if written.say else dict[str, str]()
    for locale in say:
        if not is_locale(locale):
            raise DeclarationError(f"{where}: say: {locale!r} is no locale such as 'de'")
    return Rule(
        tool=written.tool,
        policy=policy,
        where=where,
        requires=written.requires,
        only_after=written.only_after,
        only_if=tuple(_condition(text, where) for text in written.only_if),
        confirm=written.confirm,
        say=say,
    )


def _condition(text: str, where: str) -> Condition:
    try:
        return read_condition(text)
    except ValueError as error:
        raise DeclarationError(f"{where}: only_if: {error}") from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Server:
    """The abilities of this server on which policies depend.

    ``off`` are the assistant's tools that are turned off. ``levels`` are the levels of identification that
    are possible.
    """

    off: frozenset[str] = frozenset()
    levels: frozenset[Level] = frozenset(LEVELS)
    tenants: frozenset[str] = frozenset()


def server_of(settings: Settings, tools: Tools) -> Server:
    """Returns the abilities of a server with these settings and tools."""
    hands_over = settings.operator_token is not None or settings.handoff_webhook_url is not None
    signs_in = settings.site_secret is not None
    verifies = signs_in or settings.demo or any(spec.role == "identifies" for spec in tools.specs)
    reached: Mapping[Level, bool] = {"anonymous": True, "verified": verifies, "signed_in": signs_in}
    return Server(
        off=frozenset() if hands_over else frozenset((TALK_TO_A_PERSON,)),
        levels=frozenset(level for level, can in reached.items() if can),
        tenants=frozenset((settings.tenant,)),
    )


def check_policies(policies: Policies, tools: Tools, server: Server | None = None) -> None:
    """Raise ``DeclarationError`` with all contradictions between policies and tools.

    ``server`` has the abilities of this server. If it is None, the abilities are unknown and are not checked.
    """
    mistakes = [*_mistakes(policies, {spec.name: spec for spec in tools.specs}, server)]
    if mistakes:
        raise declaration_error(mistakes)


def _mistakes(policies: Policies, specs: Mapping[str, ToolSpec], server: Server | None) -> Iterator[Mistake]:
    for policy in policies:
        for name in policy.tools:
            if problem := _unknown(name, specs):
                yield Mistake(policy.where, f"tools: {problem}")
        if server is not None:
            for tenant in sorted({*policy.tenants} - server.tenants):
                known = ", ".join(sorted(server.tenants))
                yield Mistake(policy.where, f"tenants: there is no tenant {tenant!r}; there is: {known}")
        for rule in policy.rules:
            for problem in _rule_problems(rule, specs, server):
                yield Mistake(rule.where, problem, rule.tool)
    yield from _circles(policies)


def _rule_problems(rule: Rule, specs: Mapping[str, ToolSpec], server: Server | None) -> Iterator[str]:
    if problem := _unknown(rule.tool, specs):
        yield problem
    if rule.requires is None and rule.confirm is None and not rule.only_after and not rule.only_if:
        yield "a rule that demands nothing; write requires, only_after, only_if or confirm"
    needed = dict.fromkeys(rule.only_after, "only_after")
    needed |= {name: "only_if" for condition in rule.only_if for name in sorted(condition.tools)}
    for name, key in needed.items():
        if problem := _unknown(name, specs):
            yield f"{key}: {problem}"
        elif server is not None and name in server.off and key == "only_after":
            yield f"{key}: {name!r} is turned off on this server, so {rule.tool!r} could never run"
    if rule.requires is not None and server is not None and rule.requires not in server.levels:
        yield f"requires {rule.requires!r}, and no customer can become that here; {_HOW[rule.requires]}"
    spec = specs.get(rule.tool)
    if spec is not None:
        yield from _contradictions(rule, spec)


_HOW: Final[Mapping[Level, str]] = {
    "anonymous": "leave it out",
    "verified": "declare a tool with identifies=True, or set ASSISTANT_SITE_SECRET",
    "signed_in": "set ASSISTANT_SITE_SECRET here and on your site",
}


def _contradictions(rule: Rule, spec: ToolSpec) -> Iterator[str]:
    """Yields the contradictions between a rule and the tool's own declaration."""
    if rule.requires is not None and LEVELS.index(rule.requires) < LEVELS.index(spec.requires):
        yield (
            f"requires {rule.requires!r}, and the tool itself requires {spec.requires!r}; write that or more, or "
            "leave it out"
        )
    if rule.confirm is False and spec.confirm:
        yield "confirm = false, and the tool itself asks the customer first; leave it out"
    if rule.confirm and spec.effect == "read":
        yield "confirm = true, and the tool only looks something up, which is never asked about; leave it out"
    if rule.requires not in (None, "anonymous") and spec.role == "identifies":
        yield f"requires {rule.requires!r}, and the tool is for customers who are not known yet; leave it out"
    known = cast("Mapping[str, object]", spec.parameters.get("properties", {}))
    for name in sorted({name for condition in rule.only_if for name in condition.arguments} - known.keys()):
        has = ", ".join(known) or "none"
        yield f"only_if: asks for the argument {name!r}, which the tool does not have; it has: {has}"


def _unknown(name: str, specs: Mapping[str, ToolSpec]) -> str | None:
    if name in specs or name in BUILT_IN:
        return None
    near = get_close_matches(name, specs, n=1)
    return f"there is no tool {name!r}; " + (
        f"did you mean {near[0]!r}?" if near else f"there are: {_all(specs)}"
    )


def _all(names: Collection[str]) -> str:
    return ", ".join(sorted(names)) or "none"


def _circles(policies: Policies) -> Iterator[Mistake]:
    """Yields a mistake for tools that can never run, because each may only run after the other."""
    rules = [rule for policy in policies for rule in policy.rules]
    after: dict[str, set[str]] = {}
    for rule in rules:
        after.setdefault(rule.tool, set()).update(rule.only_after)
    try:
        TopologicalSorter(after).prepare()
    except CycleError as error:
        circle = cast("Sequence[str]", error.args[1])
        yield Mistake(_first_of(circle, rules), f"only_after: {_as_circle(circle)}")


def _first_of(circle: Sequence[str], rules: Iterable[Rule]) -> str:
    return next(rule.where for rule in rules if rule.tool in circle and {*rule.only_after} & {*circle})


def _as_circle(circle: Sequence[str]) -> str:
    """Returns the circle as text: each name is followed by the tool that waits for it."""
    if len(circle) == 2:
        return f"{circle[0]!r} may run only after itself; name another tool"
    return (
        f"{', '.join(map(repr, circle[:-1]))} wait for one another, so none of them could run; leave one out"
    )
