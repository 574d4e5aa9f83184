"""Finds another matter that follows a yes: "yes, and when are you open?" agrees, and asks for opening hours."""

import re
from collections.abc import Iterator
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.words import plain_words
from assistant.turn.consent.question import Question
from assistant.turn.consent.roles import WORD, Role
from assistant.turn.consent.tokens import tokens_of

_END: Final = re.compile(r"[.!;\n]+\s*")
_PAUSE: Final = re.compile(r",\s*|\s+")
_LONGEST_YES: Final = 120
"""Characters: a yes that another matter may follow is a short one."""


def parted(text: str, words: ConsentWords) -> Iterator[tuple[str, str]]:
    """Each way of parting the text into what may be a clear yes, and a matter of its own that follows it.

    That begins a new sentence, or with a word such as "and".
    """
    for end in _END.finditer(text, 0, _LONGEST_YES):
        if text[: end.start()] in words.yes:
            yield text[: end.start()], text[end.end() :]
    for pause in _PAUSE.finditer(text, 0, _LONGEST_YES):
        if words.another_matter.begins(text[pause.end() :]) and text[: pause.start()] in words.yes:
            yield text[: pause.start()], text[pause.end() :]


def is_another_matter(text: str, question: Question, words: ConsentWords, *, after_firm_yes: bool) -> bool:
    """Whether it is about something else that there is to ask for, and says nothing about what was asked.

    It must hold nothing that denies, doubts, corrects, or points back: "yes, and what does that cost?" is in one
    piece. After a firm yes ("go ahead") any question that does not point back may follow.
    """
    if not question.elsewhere:
        return False
    if after_firm_yes and _asks_something_new(text, question, words):
        return True
    spoils = (
        words.no, words.negation, words.retraction, words.hold, words.correction, words.second_thoughts,
        words.points_back, words.except_, words.contrast,
    )  # fmt: skip
    if any(text in phrases for phrases in spoils):
        return False
    topics = {word for phrase in words.other_topics.found_in(text) for word in WORD.findall(phrase)}
    topics.update(word for word in WORD.findall(plain_words(text)) if word in question.elsewhere)
    return any(not question.named(word) for word in topics)


def _asks_something_new(text: str, question: Question, words: ConsentWords) -> bool:
    """Whether it is one question, and neither a condition nor about what was agreed to."""
    asked = words.another_matter.without(text) if words.another_matter.begins(text) else text
    if not text.rstrip().endswith("?") and not words.question_starts.begins(asked.lstrip()):
        return False
    spoils = (
        words.points_back, words.hold, words.correction, words.contrast, words.except_, words.no, words.retraction,
    )  # fmt: skip
    if words.moments.begins(asked.lstrip()):
        # "When do I get my money back?" takes it as done.
        asked = words.returns.without(asked)
    return not any(phrases.found_in(asked) for phrases in spoils) and not any(
        token.role is Role.ACT for token in tokens_of(asked, question, words)
    )
