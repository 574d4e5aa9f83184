"""What an answer means for a tool: its value, nothing, or why there is none."""

from codecs import BOM_UTF8
from collections.abc import Mapping
from dataclasses import dataclass, field
from http import HTTPStatus

import orjson

from assistant.conversation.values import Json
from assistant.prompts.language import language
from assistant.tooling.http.answer import Answer
from assistant.tooling.http.pick import Pick
from assistant.tooling.http.refusals import refused, unreadable, unseen
from assistant.tooling.http.service import Service
from assistant.tooling.options import by_locale


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """How a tool reads answers.

    ``empty_on`` are the statuses that mean "there is nothing". ``errors`` has clauses for customers, in one
    language or several, by status. ``without_content`` is what an answer of success without content comes to.
    ``of_change`` says that the answers are to a side effect.
    """

    pick: Pick = field(default_factory=Pick)
    empty_on: tuple[int, ...] = ()
    errors: Mapping[int, str | Mapping[str, str]] = field(default_factory=dict[int, str | Mapping[str, str]])
    without_content: Json = None
    of_change: bool = False

    def value(self, answer: Answer, service: Service, locale: str) -> Json:
        """The tool's value. Raises ``ToolError`` when the answer is an error or cannot be read."""
        if answer.status in self.empty_on:
            return None
        if answer.status >= HTTPStatus.MULTIPLE_CHOICES:
            own_words = _words_in(locale, self.errors.get(answer.status))
            raise refused(service, answer, own_words, of_change=self.of_change)
        if not answer.body.strip():
            return self.without_content
        try:
            return self.pick.out_of(_content(answer))
        except (ValueError, LookupError) as error:
            raise (unseen if self.of_change else unreadable)(service, str(error.args[0])) from None


def _content(answer: Answer) -> Json:
    if answer.kind in ("text/plain", "text/csv"):
        try:
            return answer.body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise ValueError("is called text and is no utf-8") from error
    if answer.kind == "application/json" or answer.kind.endswith("+json"):
        try:
            return orjson.loads(answer.body.removeprefix(BOM_UTF8))
        except orjson.JSONDecodeError as error:
            raise ValueError("is called JSON and is none") from error
    raise ValueError(f"is {answer.kind}, which is neither JSON nor plain text")


def _words_in(locale: str, written: str | Mapping[str, str] | None) -> str | None:
    """The clause in this language, else in English, else none."""
    if written is None:
        return None
    words = by_locale(written)
    return words.get(locale) or words.get(language(locale)) or words.get("en")
