"""Words outcomes without a model, with the tools' own narration templates."""

import logging
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import assert_never

from jinja2 import Template, TemplateError

from assistant.conversation.outcomes import (
    CallAwaitingConfirmation,
    CallCancelled,
    CallDenied,
    CallEmpty,
    CallFailed,
    CallPending,
    CallStatus,
    CallSucceeded,
    CallTimedOut,
    CallUnknown,
    call_status_name,
    was_stopped,
)
from assistant.conversation.snapshots import shortened, without_marks
from assistant.conversation.tool_spec import NO_HINT, Hint, ToolSpec
from assistant.conversation.values import Json, JsonObject
from assistant.errors import NO_REASON, PromptError
from assistant.language.sanitize import fold_whitespace
from assistant.prompts.book import PromptBook
from assistant.prompts.locale import DEFAULT_LOCALE, language
from assistant.prompts.sandbox import render_template
from assistant.prompts.utterances import LongCallTold, Narrated, OutcomeTold

_log = logging.getLogger(__name__)
_KEPT_TEMPLATES = 1024

_MOST_FOUND = 4_000
"""So many characters of a result, as JSON, are put into words without a template: a customer reads no more."""


class Narration:
    """A narrator without a model: for the embedded model, and for a failed narrator model.

    Args:
        book: the prompts, with the texts for tools without a narration.
    """

    __slots__ = ("_book", "_compiled")

    def __init__(self, book: PromptBook) -> None:
        self._book = book
        self._compiled = lru_cache(maxsize=_KEPT_TEMPLATES)(self._compile)

    def render(
        self, template: str, *, value: Json, arguments: JsonObject, locale: str = DEFAULT_LOCALE
    ) -> str:
        """Render one tool's template with this locale's formats, as one paragraph and tables.

        Raises ``PromptError`` if template and values do not match.
        """
        compiled = self._compiled(template, locale)
        return fold_whitespace(render_template(compiled, {"value": value, "arguments": arguments}))

    def narrate_outcomes(
        self, outcomes: Sequence[CallStatus], specs: Mapping[str, ToolSpec], locale: str = DEFAULT_LOCALE
    ) -> str:
        """Word all outcomes: first the successful ones, then the failures. A faulty narration raises
        nothing.

        ``specs`` are by tool name; an unknown tool is told without its hint. Without a version in the
        locale's language, a text is in English. Returns "" if there are no outcomes.
        """
        told: list[str] = []
        missed: list[str] = []
        for outcome in outcomes:
            known = isinstance(outcome, CallSucceeded | CallEmpty)
            (told if known else missed).append(self._sentence(outcome, specs.get(outcome.call.tool), locale))
        return self._book.render(Narrated(told=tuple(told), missed=tuple(missed)), locale)

    def _sentence(self, outcome: CallStatus, spec: ToolSpec | None, locale: str) -> str:
        # A hint, narration or reason in another language is left out, because it would not fit into the
        # sentence.
        spoken = self._book.spoken(OutcomeTold.template, locale)
        own = spec.narration_in(locale) if spec is not None else None
        if own is not None and language(own[0]) != language(spoken):
            own = None
        if isinstance(outcome, CallSucceeded | CallEmpty) and spec is not None and own is not None:
            try:
                said = self.render(
                    own[1], value=outcome.value, arguments=outcome.call.arguments, locale=own[0]
                )
            except PromptError as error:
                # A fault in one team's template must not hide the results of the others, nor this result.
                _log.warning("the narration of %s (%s) failed: %s", spec.name, spec.where, error)
            else:
                if said:
                    return said
        hint = spec.own_hint(spoken) if spec is not None else None
        if (long := _long_call_told(outcome, hint)) is not None:
            return self._book.render(long, spoken)
        identified = spec is not None and spec.role == "identifies"
        return self._book.render(
            OutcomeTold(
                outcome=call_status_name(outcome),
                effect=spec.effect if spec is not None else "read",
                hint=hint or NO_HINT,
                say=self._reason(outcome, spoken),
                found=self._found(outcome, identified, spoken),
                identified=identified,
            ),
            spoken,
        )

    def _reason(self, outcome: CallStatus, locale: str) -> str:
        """Returns the clause with the reason, or "" if the clause is in another language."""
        say = _say(outcome)
        if language(locale) == DEFAULT_LOCALE or not say:
            return say
        return say if language(self._book.language_of(say, locale)) == language(locale) else ""

    def _found(self, outcome: CallStatus, identified: bool, locale: str) -> str:
        """Returns the result as text. For a call that identified the customer, returns the customer's name,
        or "" if the name is not known.
        """
        if not isinstance(outcome, CallSucceeded):
            return ""
        if not identified:
            short = shortened(outcome.value, _MOST_FOUND)
            words = self._book.plain(without_marks(short), locale)
            return words if short is outcome.value else f"{words} …"
        name = outcome.value.get("name") if isinstance(outcome.value, Mapping) else None
        return self._book.plain(name, locale) if isinstance(name, str) else ""

    def _compile(self, template: str, locale: str) -> Template:
        try:
            return self._book.sandbox_in(locale).from_string(template)
        except TemplateError as error:
            raise PromptError(f"a narration cannot be read: {error}") from error


def _long_call_told(outcome: CallStatus, hint: Hint | None) -> LongCallTold | None:
    """Returns the text about a long call that is running or that the customer stopped, or None for any other
    call.
    """
    if was_stopped(outcome):
        return LongCallTold.of("stopped", hint)
    if not isinstance(outcome, CallPending) or outcome.long is None:
        return None
    state = outcome.long.state
    return LongCallTold.of("started" if state == "running" else state, hint, outcome.long.progress)


def _say(outcome: CallStatus) -> str:
    match outcome:
        case CallFailed(say=say) | CallDenied(say=say):
            clause = say.strip().rstrip(".")
            return "" if clause == NO_REASON else clause
        case (
            CallSucceeded()
            | CallEmpty()
            | CallTimedOut()
            | CallCancelled()
            | CallAwaitingConfirmation()
            | CallUnknown()
            | CallPending()
        ):
            # The reason of a cancellation is a text for the log and the model.
            return ""
        case _:
            assert_never(outcome)
