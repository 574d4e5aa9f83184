"""Reads a customer's answer to a read-back. It is a yes only if every word in it is accounted for.

The answer is cut into tokens, and each token has a role: it agrees, denies, doubts, chooses, names a part or
a value of the question, or changes nothing. The tokens form clauses. :mod:`agreement` says which kinds of
clauses a yes may have. An answer that takes several calls one by one is read call by call.

A yes may be followed by another matter ("yes, and when are you open?").
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from assistant.prompts.consent_words import ConsentWords
from assistant.prompts.words import plain_words
from assistant.turn.consent.agreement import agreement_in, agrees_firmly
from assistant.turn.consent.question import Question
from assistant.turn.consent.readings import Reading, Unclear
from assistant.turn.consent.refusal import other_than_yes
from assistant.turn.consent.roles import DENYING, WORD, Role, Stretch
from assistant.turn.consent.tokens import tokens_of
from assistant.turn.consent.topics import agreed_by_topic
from assistant.turn.consent.whole_answer import read_whole_answer

_END: Final = re.compile(r"[.!;\n]+\s*")
_PAUSE: Final = re.compile(r",\s*|\s+")
_LONGEST_YES: Final = 120
"""The most characters of a yes that may be followed by another matter."""


_RULES: Final = 11
"""The number of the version of the rules in this package. The word lists have a hash of their own."""

_LONGEST_ANSWER: Final = 600
"""The most characters of an answer. Reading a longer text word by word would delay other conversations."""


def rules_version(words: ConsentWords) -> str:
    """The version of the rules and of the words with which an answer is read, such as "2-0f3a9c51d2be"."""
    return f"{_RULES}-{words.content_hash}"


def read_answer(text: str, question: Question, words: ConsentWords) -> Reading:
    """Read an answer in words. No side effects. A long or unclear answer is left to the decision model."""
    if len(text) > _LONGEST_ANSWER:
        return Unclear()
    if words.grammar != "words":
        return read_whole_answer(text, words)
    answer = Stretch(tokens_of(text, question, words))
    agreed = agreement_in(answer, question, words) or agreed_by_topic(answer, question, words)
    if agreed is not None:
        return agreed
    for before, after in _parted(text, words):
        yes = Stretch(tokens_of(before, question, words))
        if before not in words.yes and not (after.endswith("?") and agrees_firmly(yes, words)):
            continue
        if _is_another_matter(after, question, words, after_firm_yes=agrees_firmly(yes, words)):
            agreed = agreement_in(yes, question, words)
            if agreed is not None:
                return replace(agreed, also=after)
    return other_than_yes(answer, question, words)


def takes_back(text: str, words: ConsentWords, question: Question | None = None) -> bool:
    """Whether a newer message takes back a yes.

    It does if it refuses, postpones, corrects or limits, or names another value than the question. "Thank
    you" and "what do I owe?" do not.
    """
    message = Stretch(tokens_of(text, question or Question((), (), ()), words))
    return message.has(
        *DENYING,
        Role.HOLDS,
        Role.CORRECTS,
        Role.RECONSIDERS,
        Role.OTHERS,
        Role.ONLY,
        Role.OTHER_VALUE,
        Role.OLD_VALUE,
    )


def is_retraction(text: str, words: ConsentWords) -> bool:
    """Whether a message only says that something is not wanted after all: "forget it", "never mind"."""
    plain = plain_words(text)
    rest = words.retraction.without(plain)
    fillers = (words.polite, words.sounds, words.no, words.second_thoughts, words.contrast, words.approval)
    for phrases in fillers:
        rest = phrases.without(rest)
    return plain in words.retraction and not re.search(r"\w|\?", rest)


def _parted(text: str, words: ConsentWords) -> Iterator[tuple[str, str]]:
    """Each way to divide the text into a possible yes and a separate matter after it.

    The separate matter begins a new sentence, or begins with a word such as "and".
    """
    for end in _END.finditer(text, 0, _LONGEST_YES):
        yield text[: end.start()], text[end.end() :]
    for pause in _PAUSE.finditer(text, 0, _LONGEST_YES):
        if words.another_matter.begins(text[pause.end() :]) and text[: pause.start()] in words.yes:
            yield text[: pause.start()], text[pause.end() :]


def _is_another_matter(text: str, question: Question, words: ConsentWords, *, after_firm_yes: bool) -> bool:
    """Whether a text is about something else that tools can do, and not about the question.

    It must contain nothing that denies, doubts, corrects, or refers back: "yes, and what does that cost?" is
    one matter. After a firm yes ("go ahead"), any question that does not refer back may follow.
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
    if _END.search(text.rstrip(" .!?")) is not None:
        return False  # "Yes! At last an answer. So where are my lenses?"
    if not (after_firm_yes or text.endswith("?") or words.another_matter.begins(text)):
        return False  # "Yes. My lenses arrived broken."
    topics = {word for phrase in words.other_topics.found_in(text) for word in WORD.findall(phrase)}
    topics.update(word for word in WORD.findall(plain_words(text)) if word in question.elsewhere)
    return any(not question.named(word) for word in topics)


def _asks_something_new(text: str, question: Question, words: ConsentWords) -> bool:
    """Whether a text is one question that is no condition and not about the question that was answered."""
    asked = words.another_matter.without(text) if words.another_matter.begins(text) else text
    asked = words.sounds.without(asked) if words.sounds.begins(asked.lstrip()) else asked
    if not text.rstrip().endswith("?") and not words.question_starts.begins(asked.lstrip()):
        return False
    spoils = (
        words.points_back, words.hold, words.correction, words.contrast, words.except_, words.no, words.retraction,
    )  # fmt: skip
    if words.moments.begins(asked.lstrip()):
        # "When do I get my money back?" assumes that it is done.
        asked = words.returns.without(asked)
    return not any(phrases.found_in(asked) for phrases in spoils) and not any(
        token.role is Role.ACT for token in tokens_of(asked, question, words)
    )
