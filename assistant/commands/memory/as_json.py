"""What is remembered of a conversation, as JSON."""

from collections.abc import Mapping

import orjson

from assistant.commands.memory.remembered import Remembered, Summariser
from assistant.commands.memory.texts import messages_of, requests_of
from assistant.conversation.entries import Snapshot
from assistant.conversation.values import Json
from assistant.formats.json_text import json_text
from assistant.sessions.context_report import Given


def as_json(found: Remembered, *, full: bool) -> str:
    """One object; with ``full``, the messages of each request stand in it, under ``texts``."""
    data: dict[str, Json] = {
        "conversation": found.key.conversation,
        "tenant": found.key.tenant,
        "customer": found.key.customer,
        "turns": found.turns,
        "running": found.running,
        "bundle": found.bundle,
        "models": {given.role: _given(given) for given in found.given},
        "summariser": _summariser(found.summariser),
        "summary": None,
        "snapshots": [_snapshot(turn_id, snapshot) for turn_id, snapshot in found.snapshots],
        "documents": {state: found.documents.get(state, 0) for state in ("kept", "waiting", "failed")},
        "problem": found.problem or None,
    }
    if found.summary is not None:
        summary = found.summary
        data["summary"] = {"up_to": summary.up_to, "text": summary.text, "made_by": summary.made_by}
    if full:
        data["texts"] = {
            role: [{"from": who, "text": text} for who, text in messages_of(request.view)]
            for role, request in requests_of(found)
        }
    return orjson.dumps(orjson.loads(json_text(data)), option=orjson.OPT_INDENT_2).decode()


def _given(given: Given) -> Json:
    turns: list[Json] = [
        {
            "turn": one.turn.id,
            "tokens": one.tokens,
            "message": "" if one.turn.unasked else one.turn.message.text,
            "calls": one.calls,
        }
        for one in given.turns
    ]
    return {
        "model": given.model,
        "counter": given.budget.counter.name,
        "budget": given.budget.tokens,
        "used": given.used,
        "instructions": given.instructions,
        "tools": given.tools,
        "tools_on_offer": len(given.request.tools),
        "earlier": given.earlier,
        "turns": turns,
        "in_summary": list(given.summarised),
        "no_room": list(given.no_room),
    }


def _summariser(summariser: Summariser | None) -> Json:
    if summariser is None:
        return None
    coming = summariser.next
    return {
        "model": summariser.model,
        "counter": summariser.budget.counter.name,
        "budget": summariser.budget.tokens,
        "used": summariser.used,
        "next": None if coming is None else coming.of,
    }


def _snapshot(turn_id: str, one: Snapshot) -> Mapping[str, Json]:
    return {
        "turn": turn_id,
        "call": one.call_id,
        "tool": one.tool_name,
        "arguments": one.arguments,
        "result_summary": one.result_summary,
        "full_result_ref": one.full_result_ref,
        "complete": one.complete,
        "made_by": one.made_by,
    }
