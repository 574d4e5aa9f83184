"""Counts how many requests the embedded model decides exactly: ``python -m tests.models.demo.score``.

A request is decided exactly if its calls are the right ones with the right arguments; if a required argument is
missing, and it is the one that is asked for; if nothing must be looked up, and nothing is asked. Spaces within
numbers do not count, nor does an argument that only repeats its default.
"""

import json
import re
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from pathlib import Path
from typing import TypeAlias, TypedDict, cast

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.models.demo.decide import decide_message, read_message
from assistant.models.demo.decision import Ask, Decision, Unsure, slots_of
from assistant.models.demo.understand import Index, Match, build_index
from assistant.models.demo.words import mender
from assistant.tools.discovery import discover
from tests.models.demo.kept_embeddings import kept_embed

TODAY = date(2026, 11, 21)
HERE = Path(__file__).parent
TOOLS = HERE.parents[2] / "tools"

Wanted: TypeAlias = tuple[str, frozenset[tuple[str, str]]]
"""A tool's name and its arguments, spaces removed."""


class WantedCall(TypedDict):
    tool: str
    arguments: dict[str, str]


class Request(TypedDict):
    """One line of a file. A call without a required argument means: ask for that argument."""

    kind: str
    text: str
    calls: list[WantedCall]


@dataclass(frozen=True, slots=True)
class Scored:
    """One request, decided. ``wrong_writes``: side effects that were not requested, or had other arguments."""

    request: Request
    decision: Decision
    exact: bool
    wrong_writes: tuple[str, ...]


@cache
def demo_specs() -> Mapping[str, ToolSpec]:
    """The demo shop's own tools."""
    return {spec.name: spec for spec in discover(TOOLS).specs}


def load(file: str) -> list[Request]:
    """A file of requests, one a line."""
    return [
        cast("Request", json.loads(line)) for line in (HERE / file).read_text(encoding="utf-8").splitlines()
    ]


def decide(text: str) -> Decision:
    """Decide one message with the demo shop's tools, as the model does before it knows what went before."""
    return decide_message(read_message(_mender()(text), TODAY, _nearest), TODAY)


def score(request: Request, specs: Mapping[str, ToolSpec]) -> Scored:
    """Decide a request and compare."""
    decision = decide(request["text"])
    wanted = [(call, _missing(call, specs)) for call in request["calls"]]
    complete = Counter(
        _plain(call["tool"], call["arguments"], specs) for call, missing in wanted if not missing
    )
    made = [_plain(plan.spec.name, plan.arguments, specs) for plan in decision.calls]
    return Scored(
        request=request,
        decision=decision,
        exact=Counter(made) == complete
        and _reply_fits(decision, [(call["tool"], missing) for call, missing in wanted if missing]),
        wrong_writes=tuple(one[0] for one in made if specs[one[0]].effect == "write" and not complete[one]),
    )


def totals(scored: Sequence[Scored]) -> str:
    """One line: how many are exact, in all and by kind."""
    kinds = Counter(one.request["kind"] for one in scored)
    exact = Counter(one.request["kind"] for one in scored if one.exact)
    by_kind = ", ".join(f"{kind} {exact[kind]}/{count}" for kind, count in kinds.items())
    return f"{exact.total()} of {len(scored)} exact ({by_kind})"


@cache
def _nearest(clause: str) -> tuple[Match, ...]:
    return _index().nearest(clause, kept_embed([clause])[0])


@cache
def _mender() -> Callable[[str], str]:
    return mender(demo_specs().values())


@cache
def _index() -> Index:
    return build_index(tuple(demo_specs().values()), kept_embed)


def _missing(call: WantedCall, specs: Mapping[str, ToolSpec]) -> frozenset[str]:
    slots = slots_of(specs[call["tool"]])
    return frozenset(slot.name for slot in slots if slot.required and slot.name not in call["arguments"])


def _plain(tool: str, arguments: JsonObject, specs: Mapping[str, ToolSpec]) -> Wanted:
    properties = cast("Mapping[str, Mapping[str, Json]]", specs[tool].parameters["properties"])
    kept = {name: value for name, value in arguments.items() if value != properties[name].get("default")}
    return tool, frozenset((name, re.sub(r"[\s-]", "", str(value))) for name, value in kept.items())


def _reply_fits(decision: Decision, asks: Sequence[tuple[str, frozenset[str]]]) -> bool:
    reply = decision.reply
    if asks:
        return isinstance(reply, Ask) and any(
            reply.spec.name == tool and reply.slot.name in missing for tool, missing in asks
        )
    return reply is None if decision.calls else not isinstance(reply, Ask | Unsure)


def main(files: Sequence[str]) -> None:
    for file in files:
        scored = [score(request, demo_specs()) for request in load(file)]
        for one in scored:
            if not one.exact or one.wrong_writes:
                calls = [(plan.spec.name, dict(plan.arguments)) for plan in one.decision.calls]
                reply = type(one.decision.reply).__name__
                print(f"{one.request['text']}\n    {calls} {reply} {one.wrong_writes or ''}")
        print(f"{file}: {totals(scored)}")


if __name__ == "__main__":
    main(sys.argv[1:] or ["heldout.jsonl"])
