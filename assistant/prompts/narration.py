"""Tells outcomes without a model, through the tools' own narration templates."""

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import assert_never

from jinja2 import Template, TemplateError

from assistant.conversation.outcomes import (
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    Outcome,
    outcome_name,
)
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import PromptError
from assistant.prompts.book import PromptBook
from assistant.prompts.sandbox import fill
from assistant.prompts.utterances import Narrated, OutcomeTold

_log = logging.getLogger(__name__)
_KEPT_TEMPLATES = 1024


class Narration:
    """The narrator that needs no model: for the embedded default, and for when a narrator model fails.

    Args:
        book: the prompts, with what is said where a tool has no narration of its own.
        locale: whose hints are used.
    """

    __slots__ = ("_book", "_compiled", "_locale")

    def __init__(self, book: PromptBook, locale: str = "en") -> None:
        self._book, self._locale = book, locale
        self._compiled = lru_cache(maxsize=_KEPT_TEMPLATES)(self._compile)

    def render(self, template: str, *, value: Json, arguments: JsonObject) -> str:
        """Fill one tool's template; one paragraph. Raises ``PromptError`` when they do not fit."""
        return " ".join(fill(self._compiled(template), {"value": value, "arguments": arguments}).split())

    def narrate_outcomes(self, outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec]) -> str:
        """Tell every outcome, what is known before what could not be done. Never raises for a bad narration.

        ``specs`` go by tool name; a tool that is not among them is spoken of without its hint. "" for nothing.
        """
        told: list[str] = []
        missed: list[str] = []
        for outcome in outcomes:
            known = isinstance(outcome, CallSucceeded | CallEmpty)
            (told if known else missed).append(self._sentence(outcome, specs.get(outcome.call.tool)))
        return self._book.render(Narrated(told=tuple(told), missed=tuple(missed)))

    def _sentence(self, outcome: Outcome, spec: ToolSpec | None) -> str:
        if isinstance(outcome, CallSucceeded | CallEmpty) and spec is not None and spec.narration:
            try:
                said = self.render(spec.narration, value=outcome.value, arguments=outcome.call.arguments)
            except PromptError as error:
                # One team's template must not silence the others' answers, nor this one's.
                _log.warning("the narration of %s (%s) failed: %s", spec.name, spec.where, error)
            else:
                if said:
                    return said
        hint = spec.hint(self._locale) if spec is not None else None
        return self._book.render(
            OutcomeTold(
                outcome=outcome_name(outcome),
                effect=spec.effect if spec is not None else "read",
                will=hint.will if hint else "",
                say=_say(outcome),
                found=self._book.plain(outcome.value) if isinstance(outcome, CallSucceeded) else "",
            )
        )

    def _compile(self, template: str) -> Template:
        try:
            return self._book.sandbox.from_string(template)
        except TemplateError as error:
            raise PromptError(f"a narration cannot be read: {error}") from error


def _say(outcome: Outcome) -> str:
    match outcome:
        case CallFailed(say=say) | CallDenied(say=say):
            return say.strip().rstrip(".")
        case CallSucceeded() | CallEmpty() | CallTimedOut() | CallCancelled() | CallUnknown():
            # Why a call was cancelled is worded for the log and the model.
            return ""
        case _:
            assert_never(outcome)
