"""What a customer says beside a clear yes: "yes please, and when are you open?"."""

import re
from collections.abc import Iterator

from assistant.prompts.words import ConsentWords
from assistant.turn.confirm.question import Question, words_of

_END = re.compile(r"[.!;\n]+\s*")
_PAUSE = re.compile(r",\s*|\s+")


def beside(text: str, question: Question, words: ConsentWords) -> Iterator[tuple[str, str]]:
    """Each way of parting the text into what may be the yes, and a matter of its own that follows it.

    That begins a new sentence, or with a word such as "and". It names something else that there is to ask for,
    and holds nothing that denies, doubts, corrects, or points back to what was asked: "yes, but can I keep my
    discount?" is in one piece, and so is "yes, and what does that cost?".
    """
    if not question.elsewhere:
        return
    for before, after in _parted(text, words):
        # "Good. When are you open?" says yes to nothing.
        if before in words.clear and _is_apart(after, question, words):
            yield before, after


def _parted(text: str, words: ConsentWords) -> Iterator[tuple[str, str]]:
    for end in _END.finditer(text):
        yield text[: end.start()], text[end.end() :]
    for pause in _PAUSE.finditer(text):
        if words.also.begins(text[pause.end() :]):
            yield text[: pause.start()], text[pause.end() :]


def _is_apart(text: str, question: Question, words: ConsentWords) -> bool:
    if any(text in spoils for spoils in (words.no, words.hold, words.correction, words.back)):
        return False
    topics = {word for phrase in words.elsewhere.found_in(text) for word in words_of(phrase)}
    topics.update(word for word in words_of(text) if word in question.elsewhere)
    return any(not question.names(word) for word in topics)
