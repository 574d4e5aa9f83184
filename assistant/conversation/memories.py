"""Entries by which a conversation remembers: what is left of a call's result, and of turns long past."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from assistant.conversation.values import Json

MadeBy: TypeAlias = Literal["rule", "model"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """What later turns are given of a call of this turn, in place of its result.

    ``result_summary`` is the result itself where it is small, and ``complete`` says so; else a shorter form: data
    cut by a rule, or words of the summary model, which then stand in for the rule's. ``full_result_ref`` names the
    whole result for as long as it is kept: see :func:`assistant.conversation.documents.result_ref`.
    """

    call_id: str
    tool_name: str
    arguments: Mapping[str, Json]
    result_summary: Json
    full_result_ref: str
    complete: bool = True
    made_by: MadeBy = "rule"


@dataclass(frozen=True, slots=True, kw_only=True)
class Summary:
    """What was said in all turns up to ``up_to``, that turn included; it stands in for the summary before it."""

    up_to: str
    text: str
    made_by: MadeBy = "rule"
