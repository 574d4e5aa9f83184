"""The short forms of a recorded conversation, as JSON schemas next to those of the long forms."""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

Schema: TypeAlias = Mapping[str, Any]

_TEXT: Schema = {"type": "string", "minLength": 1}
_MS: Schema = {"type": "integer", "minimum": 0}
_TRUE: Schema = {"const": True}


def _timed(what: Schema) -> Schema:
    return {"type": "array", "prefixItems": [_MS, what], "minItems": 2, "maxItems": 2}


def _named(by_name: Sequence[str], fields: Schema) -> Schema:
    """``{name: ..., field: ...}``: a key that is no field is a tool's name."""
    values: Schema = {"type": by_name}
    return {"type": "object", "properties": fields, "additionalProperties": values, "minProperties": 1}


_OUTCOME: Schema = {"outcome": {"type": "string"}, "within_ms": _MS}
_RUN: Schema = {
    "returns": {},
    "fails": _TEXT,
    "for_model": {"type": "string"},
    "raises": {"type": "string"},
    "hangs": _TRUE,
    "confirm": _TEXT,
    "after_ms": _MS,
    "arguments": {"type": "object"},
    "fails_first": {"type": "integer", "minimum": 0},
    "reconcile": {"enum": ["done", "not_done", "unknown"]},
}
_BODY: Schema = {"type": "object", "properties": _RUN, "additionalProperties": False, "minProperties": 1}

INSTEAD: Mapping[str, Sequence[Schema]] = {
    "Called": [_TEXT, _named(["object", "string", "null"], {})],
    "ExpectedCall": [_TEXT, _named(["object", "null"], _OUTCOME)],
    "Run": [
        {"type": "object", "properties": _RUN, "additionalProperties": _BODY, "minProperties": 1},
        {
            "type": "object",
            "properties": {"tool": _TEXT, **_RUN},
            "required": ["tool"],
            "additionalProperties": False,
        },
    ],
    "TextPiece": [_timed(_TEXT)],
    "NamePiece": [_timed({"type": "object", "required": ["call"]})],
    "ArgumentsPiece": [_timed({"type": "object", "required": ["arguments"]})],
    "EndPiece": [_timed({"type": "object", "required": ["end"]})],
    "HeardFrame": [_timed({"type": "object"})],
}
"""What may stand instead of a mapping with the fields, by the class's name."""

_SAYS: Schema = {
    "anyOf": [
        {"type": "string"},
        {"type": "array", "items": {"type": "string"}},
        {"$ref": "#/$defs/Reply"},
    ]
}
ALSO: Mapping[str, Mapping[str, Schema]] = {
    "Reply": {"decider": _SAYS, "narrator": _SAYS},
    "Event": {
        **dict.fromkeys(("stop", "restart", "typing", "wants_assistant", "agent_ends"), _TRUE),
        **dict.fromkeys(("agent_accepts", "agent_says", "agent_declines"), _TEXT),
        "disconnect_ms": _MS,
    },
    "Hears": {kind: {"type": ["string", "null"]} for kind in ("acknowledgement", "response", "status")},
}
"""Keys that stand for a required field and its value, by the class's name."""
