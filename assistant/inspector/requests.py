"""One request to a model, in sections, and its reply as it streamed. All functions here are pure.

The log does not have the request. The caller builds it again from the log, with the code that sends requests.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.chunks import CallArguments, CallNamed, Chunk, Opaque, StreamEnded, TextDelta
from assistant.conversation.entries import Logged, ModelAsked, ModelChunks, SentenceSuppressed
from assistant.conversation.outcomes import CallStatus
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.inspector.timeline import HeldSentence
from assistant.ports import ModelRequest

SectionName: TypeAlias = Literal["instructions", "tools", "earlier", "turn", "late"]


@dataclass(frozen=True, slots=True, kw_only=True)
class RequestSection:
    """A part of a request, in the order in which it is sent.

    ``instructions`` and ``late`` are the prompt's texts, ``tools`` the offered tools as JSON, ``earlier`` the turns
    before, and ``turn`` the running turn. ``tokens`` are counted, not reported by the provider.
    """

    name: SectionName
    text: str
    tokens: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplyPiece:
    """A chunk of the reply, ``at_ms`` after the request. ``call`` counts a reply's calls from 0; None for text."""

    at_ms: int
    kind: Literal["text", "call", "arguments", "opaque", "end"]
    text: str
    call: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RebuiltRequest:
    """The sections of a request. ``same_prompts`` is False if the prompts of then are not stored any more, so that
    today's were used. ``counted_by`` is the name of the token counter.
    """

    sections: tuple[RequestSection, ...]
    same_prompts: bool
    counted_by: str


@dataclass(frozen=True, slots=True, kw_only=True)
class InspectedRequest:
    """A request and its reply. ``rebuilt`` is None if it cannot be rebuilt, for the reason ``problem``."""

    seq: int
    rebuilt: RebuiltRequest | None
    problem: str
    reply: tuple[ReplyPiece, ...]
    held: tuple[HeldSentence, ...]


def sections_of(request: ModelRequest, count: Callable[[str], int]) -> tuple[RequestSection, ...]:
    """Returns the sections of a request that are not empty. No side effects."""
    tools = [
        {"name": one.name, "description": one.description, "parameters": one.parameters}
        for one in request.tools
    ]
    *earlier, running = request.view.turns or (TurnView(()),)
    texts: tuple[tuple[SectionName, str], ...] = (
        ("instructions", request.view.system),
        ("tools", _json(tools) if tools else ""),
        ("earlier", "\n\n".join(filter(None, map(_turn_text, earlier)))),
        ("turn", _turn_text(running)),
        ("late", request.view.late),
    )
    return tuple(
        RequestSection(name=name, text=text, tokens=count(text)) for name, text in texts if text.strip()
    )


def asked_with(entries: Sequence[Logged], seq: int) -> Logged | None:
    """Returns the entry with which a model was asked, or None if the entry ``seq`` is no such entry."""
    return next((one for one in entries if one.seq == seq and isinstance(one.entry, ModelAsked)), None)


def reply_to(entries: Sequence[Logged], asked: Logged) -> tuple[ReplyPiece, ...]:
    """Returns the chunks of the reply to a request. Empty if the log has none, or they were deleted."""
    entry = asked.entry
    assert isinstance(entry, ModelAsked)  # noqa: S101 - found by asked_with
    for logged in entries:
        later = logged.entry
        if logged.seq <= asked.seq or logged.turn_id != asked.turn_id:
            continue
        if isinstance(later, ModelAsked) and (later.role, later.round) == (entry.role, entry.round):
            return ()
        if isinstance(later, ModelChunks) and (later.role, later.round) == (entry.role, entry.round):
            return tuple(_piece(at_ms, chunk) for at_ms, chunk in later.chunks)
    return ()


def held_in(entries: Sequence[Logged], asked: Logged) -> tuple[HeldSentence, ...]:
    """Returns the sentences of the request's round that guardrails held back, with times after the request."""
    entry = asked.entry
    assert isinstance(entry, ModelAsked)  # noqa: S101 - found by asked_with
    return tuple(
        HeldSentence(
            at_ms=one.at_ms - asked.at_ms,
            round=one.entry.round,
            guardrail=one.entry.guardrail,
            text=one.entry.text,
        )
        for one in entries
        if one.turn_id == asked.turn_id
        and one.seq > asked.seq
        and isinstance(one.entry, SentenceSuppressed)
        and one.entry.round == entry.round
    )


def _turn_text(turn: TurnView) -> str:
    lines: list[str] = []
    for message in turn.messages:
        match message:
            case FromCustomer(text=text):
                lines.append(f"customer: {text}")
            case FromAssistant(text=text, calls=calls):
                if text:
                    lines.append(f"assistant: {text}")
                lines += [f"assistant calls {call.tool} {_json(call.arguments)}" for call in calls]
            case FromTools(outcomes=outcomes):
                lines += [f"{one.call.tool}: {_outcome_text(one)}" for one in outcomes]
    return "\n".join(lines)


def _outcome_text(status: CallStatus) -> str:
    for name in ("value", "for_model", "why"):
        if (told := getattr(status, name, None)) not in (None, ""):
            return told if isinstance(told, str) else _json(told)
    return type(status).__name__


def _json(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, indent=1, default=dict)


def _piece(at_ms: int, chunk: Chunk) -> ReplyPiece:
    match chunk:
        case TextDelta(text=text):
            return ReplyPiece(at_ms=at_ms, kind="text", text=text)
        case CallNamed(index=index, name=name):
            return ReplyPiece(at_ms=at_ms, kind="call", text=name, call=index)
        case CallArguments(index=index, fragment=fragment):
            return ReplyPiece(at_ms=at_ms, kind="arguments", text=fragment, call=index)
        case Opaque(provider=provider, index=index):
            return ReplyPiece(at_ms=at_ms, kind="opaque", text=provider, call=index)
        case StreamEnded(reason=reason):
            return ReplyPiece(at_ms=at_ms, kind="end", text=reason)
