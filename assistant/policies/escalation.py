"""Reads ``escalation.toml``: which conversations come to which people, and how soon people promise to answer.

The file is in the folder of policies. The keys are those of ``_File``, ``_Rule`` and ``_Promise``.
"""

import re
from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import dataclass, field
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Final, cast

from pydantic import BeforeValidator, Field, StringConstraints

from assistant.conversation.customer import Level
from assistant.conversation.staff_entries import Priority
from assistant.errors import DeclarationError
from assistant.policies.policy import Policies
from assistant.prompts.folder import Section, display_path, read_toml
from assistant.prompts.word_list import WordList
from assistant.tools.declaration_errors import Mistake, declaration_error
from assistant.tools.options import by_locale, is_locale
from assistant.tools.registry import Tools

ESCALATION_FILE: Final = "escalation.toml"
"""The file's name in the folder of policies."""

PRIORITIES: Final[tuple[Priority, ...]] = ("urgent", "high", "normal", "low")
"""The most urgent first."""


def _listed(given: object) -> object:
    return (given,) if isinstance(given, str) else given


_Name = Annotated[str, StringConstraints(min_length=1, max_length=60, pattern=r"^[^\x00-\x1f,]+$")]
_Word = Annotated[str, StringConstraints(min_length=1, max_length=80)]
_Words = Annotated[tuple[_Word, ...], BeforeValidator(_listed)]
_Levels = Annotated[tuple[Level, ...], BeforeValidator(_listed)]
_Times = Annotated[int, Field(ge=1, le=100)]
_Minutes = Annotated[int, Field(ge=1, le=100_000)]


class Change(Section):
    """A change that waits for the customer's yes, with a number in ``argument`` that is higher than ``over``."""

    tool: _Name
    argument: _Name
    over: float


class _Rule(Section):
    name: _Name
    levels: _Levels = ()
    locales: _Words = ()
    words: _Words = ()
    policies: _Words = ()
    documents: _Words = ()
    change: Change | None = None
    failed_tool: _Times | None = None
    tools: _Words = ()
    asked_times: Annotated[int, Field(ge=2, le=100)] | None = None
    angry_messages: _Times | None = None
    team: _Name | None = None
    skill: _Name | None = None
    priority: Priority | None = None
    say: str | dict[str, str] = ""


class _Routing(Section):
    team: _Name | None = None
    skill: _Name | None = None
    priority: Priority = "normal"


class _Promise(Section):
    team: _Name | None = None
    priority: Priority | None = None
    first_response_min: _Minutes | None = None
    resolution_min: _Minutes | None = None


class _File(Section):
    handoff: _Routing = Field(default_factory=_Routing)
    rules: tuple[_Rule, ...] = ()
    promises: tuple[_Promise, ...] = ()


_KEYS: Final = (
    f"a rule has {', '.join(_Rule.model_fields)}; a change has {', '.join(Change.model_fields)}; [handoff] has "
    f"{', '.join(_Routing.model_fields)}; a promise has {', '.join(_Promise.model_fields)}"
)
_CONDITIONS: Final = (
    "levels",
    "locales",
    "words",
    "policies",
    "documents",
    "change",
    "failed_tool",
    "asked_times",
    "angry_messages",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class EscalationRule:
    """A rule that brings a conversation to people. All of its conditions must be true.

    ``levels`` and ``locales`` are about the customer. ``words``, ``policies`` and ``documents`` are about the
    newest message: words in it, policies that were chosen for it, and documents that were found for it.
    ``change`` is about the change that the customer was asked about. ``failed_tool``: one tool (of ``tools``, if
    there are any) has failed this often. ``asked_times``: the newest message was asked this often.
    ``angry_messages``: this many messages are angry, and the newest is. None: no condition.

    ``say`` is what the customer is told, by locale; empty for the default. ``where`` is ``file:line``.
    """

    name: str
    where: str
    levels: tuple[Level, ...] = ()
    locales: tuple[str, ...] = ()
    words: WordList | None = None
    policies: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    change: Change | None = None
    failed_tool: int | None = None
    tools: tuple[str, ...] = ()
    asked_times: int | None = None
    angry_messages: int | None = None
    team: str = ""
    skill: str = ""
    priority: Priority = "normal"
    say: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_about_customer_only(self) -> bool:
        """Whether the rule matches all messages of some customers. Then it brings a conversation once only."""
        others = (self.words, self.change, self.failed_tool, self.asked_times, self.angry_messages)
        return not self.policies and not self.documents and all(one is None for one in others)


@dataclass(frozen=True, slots=True, kw_only=True)
class Promise:
    """How soon people answer, and settle the matter, in minutes within the opening hours; None: no promise.

    ``team`` and ``priority`` say for which conversations; "" and None: for all.
    """

    team: str = ""
    priority: Priority | None = None
    first_response_min: int | None = None
    resolution_min: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Escalation:
    """The content of the file. ``team``, ``skill`` and ``priority`` are for handoffs that no rule matches."""

    rules: tuple[EscalationRule, ...] = ()
    promises: tuple[Promise, ...] = ()
    team: str = ""
    skill: str = ""
    priority: Priority = "normal"

    def promise_for(self, team: str, priority: Priority) -> Promise | None:
        """The first promise for this team and priority; None if there is none."""
        for promise in self.promises:
            if promise.team in ("", team) and promise.priority in (None, priority):
                return promise
        return None

    @property
    def teams(self) -> tuple[str, ...]:
        """The teams that the file names, each once."""
        named = (self.team, *(rule.team for rule in self.rules), *(one.team for one in self.promises))
        return tuple(dict.fromkeys(filter(None, named)))


NO_ESCALATION: Final = Escalation()


def read_escalation(folder: Path) -> Escalation:
    """Returns the content of the folder's file; no rules if there is no file.

    Raises ``DeclarationError`` with file, line and what to do.
    """
    path = folder / ESCALATION_FILE
    if not path.is_file():
        return NO_ESCALATION
    where = f"{display_path(folder)}/{ESCALATION_FILE}"
    try:
        source = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as error:
        raise DeclarationError(f"{where}:1: not UTF-8 text ({error.reason}); save it as UTF-8") from error
    except OSError as error:
        raise DeclarationError(f"{where}:1: cannot be read: {error.strerror}") from error
    file = read_toml(source, _File, where, cure=_KEYS)
    rule_lines, promise_lines = _tables("rules", source), _tables("promises", source)
    rules = [
        _rule(one, file.handoff, f"{where}:{line}") for one, line in zip(file.rules, rule_lines, strict=False)
    ]
    mistakes = [*_twice(rules)]
    for promise, line in zip(file.promises, promise_lines, strict=False):
        if promise.first_response_min is None and promise.resolution_min is None:
            problem = "a promise without a time; write first_response_min, resolution_min, or both"
            mistakes.append(Mistake(f"{where}:{line}", problem))
    if mistakes:
        raise declaration_error(mistakes)
    return Escalation(
        rules=tuple(rules),
        promises=tuple(
            Promise(
                team=one.team or "",
                priority=one.priority,
                first_response_min=one.first_response_min,
                resolution_min=one.resolution_min,
            )
            for one in file.promises
        ),
        team=file.handoff.team or "",
        skill=file.handoff.skill or "",
        priority=file.handoff.priority,
    )


def _tables(name: str, source: str) -> list[int]:
    """The lines on which the tables of an array begin; 1 for those that are written otherwise."""
    lines = enumerate(source.splitlines(), 1)
    found = [number for number, line in lines if re.match(rf"\s*\[\[\s*{name}\s*\]\]", line)]
    return [*found, *[1] * 1_000]


def _rule(written: _Rule, usual: _Routing, where: str) -> EscalationRule:
    said = by_locale(written.say) if written.say else dict[str, str]()
    for locale in (*said, *written.locales):
        if not is_locale(locale):
            raise DeclarationError(f"{where}: rule {written.name!r}: {locale!r} is no locale such as 'de'")
    if all(getattr(written, name) in (None, ()) for name in _CONDITIONS):
        conditions = ", ".join(_CONDITIONS)
        raise DeclarationError(
            f"{where}: rule {written.name!r} has no condition; write at least one of {conditions}"
        )
    if written.tools and written.failed_tool is None:
        raise DeclarationError(
            f"{where}: rule {written.name!r}: tools are those that fail; write failed_tool = 2, too"
        )
    return EscalationRule(
        name=written.name,
        where=where,
        levels=written.levels,
        locales=written.locales,
        words=WordList(written.words) if written.words else None,
        policies=written.policies,
        documents=written.documents,
        change=written.change,
        failed_tool=written.failed_tool,
        tools=written.tools,
        asked_times=written.asked_times,
        angry_messages=written.angry_messages,
        team=written.team or usual.team or "",
        skill=written.skill or usual.skill or "",
        priority=written.priority or usual.priority,
        say=said,
    )


def _twice(rules: Collection[EscalationRule]) -> Iterator[Mistake]:
    known: dict[str, str] = {}
    for rule in rules:
        if rule.name in known:
            yield Mistake(
                rule.where,
                f"there are two rules {rule.name!r}, also at {known[rule.name]}; name one otherwise",
            )
        known.setdefault(rule.name, rule.where)


def check_escalation(escalation: Escalation, tools: Tools, policies: Policies) -> None:
    """Raise ``DeclarationError`` if rules name tools, arguments or policies that do not exist."""
    specs = {spec.name: spec for spec in tools.specs}
    names = {policy.name for policy in policies}
    mistakes: list[Mistake] = []
    for rule in escalation.rules:
        subject = f"rule {rule.name!r}:"
        report: Callable[[str], None] = lambda problem, rule=rule, subject=subject: mistakes.append(  # noqa: E731
            Mistake(rule.where, f"{subject} {problem}")
        )
        for policy in rule.policies:
            if policy not in names:
                report(_unknown("policy", policy, names))
        for tool in rule.tools:
            if tool not in specs:
                report(_unknown("tool", tool, specs))
        if rule.change is None:
            continue
        if rule.change.tool not in specs:
            report(_unknown("tool", rule.change.tool, specs))
            continue
        has = cast("Mapping[str, object]", specs[rule.change.tool].parameters.get("properties", {}))
        if rule.change.argument not in has:
            report(f"{rule.change.tool!r} has no argument {rule.change.argument!r}; it has: {', '.join(has)}")
        elif specs[rule.change.tool].effect != "write":
            report(f"{rule.change.tool!r} changes nothing, so no change of it waits; name a tool that writes")
    if mistakes:
        raise declaration_error(mistakes)


def _unknown(what: str, name: str, known: Collection[str]) -> str:
    near = get_close_matches(name, known, n=1)
    cure = f"did you mean {near[0]!r}?" if near else f"there are: {', '.join(sorted(known)) or 'none'}"
    return f"there is no {what} {name!r}; {cure}"
