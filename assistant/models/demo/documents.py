"""Answers of the embedded model from documents and customers' files. It quotes the best sentences."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import date
from typing import Final, cast

from assistant.conversation.outcomes import CallSucceeded, Outcome
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import Json
from assistant.models.demo.clauses import split
from assistant.models.demo.decide import Message, decide_message
from assistant.models.demo.decision import Decision, Exchange, Help, Planned, Unsure
from assistant.models.demo.entities import find_entities, plain
from assistant.models.demo.nearness import prose
from assistant.models.minilm import Embed

NEAR: Final = 0.46
"""From this cosine on, a document is considered relevant to a question."""

_A_PART: Final = 0.5  # the limit for one part of a message with other requests
_NEARER: Final = 0.02  # a document may be this much less similar than a lookup
_BEFORE_ASKING: Final = 0.1  # and this much less than the tools of a question which one is meant


@dataclass(frozen=True, slots=True)
class Near:
    """How near the documents are to texts. ``search`` is the tool that searches the documents, or None if
    there is none. ``scores`` are the documents' similarities to texts.
    """

    search: ToolSpec | None = None
    scores: Mapping[str, float] = field(default_factory=dict[str, float])


def texts_of(said: str, today: date) -> list[str]:
    """Returns the texts of a message to score: the whole message, and its parts if there are several.

    >>> texts_of("Where is my order, and can I send it back?", date(2026, 11, 23))
    ['where is my order, and can i send it back?', 'where is my order', 'can i send it back']
    """
    text = plain(said)
    clauses = split(text, find_entities(said, today).ranges)
    return [text, *(clause.text for clause in clauses if len(clauses) > 1)]


def from_documents(decision: Decision, message: Message, said: str, near: Near, today: date) -> Decision:
    """Returns the same decision, or one that searches the documents for the whole message ``said`` or a part
    of it.

    A side effect, or a question for a missing value, is never replaced by a search.
    """
    if near.search is None:
        return decision
    score = near.scores.get(message.text, 0.0)
    if score >= _enough(decision, message, today):
        return Decision((Planned(near.search, {"question": said.strip()}),), open=decision.open)
    if not decision.calls:
        return decision
    parts = _left_over(message, said, near.scores)
    return replace(
        decision, calls=(*decision.calls, *(Planned(near.search, {"question": it}) for it in parts[:1]))
    )


def _enough(decision: Decision, message: Message, today: date) -> float:
    """Returns the score that a document needs to replace this decision. If the decision must stay, no
    document can reach the score.
    """
    never, nearest = 2.0, max((piece.best.score for piece in message.pieces if piece.best.spec), default=0.0)
    if decision.calls:
        # Calls that depend on the context (an answer, or "and on Friday?") are not replaced.
        alone = decide_message(message, today)
        looks_up = all(plan.spec.effect == "read" and plan.spec.role == "tool" for plan in decision.calls)
        if alone != decision or not looks_up or message.entities.references:
            return never
        return max(NEAR, nearest - _NEARER)
    match decision.reply:
        case Help(unmatched=True):
            return NEAR
        case Unsure():
            return max(NEAR, nearest - _BEFORE_ASKING)
        case _:
            return never


def _left_over(message: Message, said: str, scores: Mapping[str, float]) -> Sequence[str]:
    """Returns the parts of a message that match no tool, and that a document is similar to."""
    return [
        said[piece.start : piece.end].strip()
        for piece in message.pieces
        if piece.stance not in ("negated", "retracted")
        and not piece.sure
        and scores.get(piece.text, 0.0) >= _A_PART
    ]


_LEADS_ON: Final = re.compile(
    r"^(?:ok(?:ay)?|so|oh|well|hm+)?,?\s*(?:and|or|but|what about|how about|what if)\b"
)
_OF_THEIR_OWN: Final = re.compile(
    r"\b(?:my|mine|i|i'm|i've|me|you|your|when|where|what time|how much (?:do|is))\b", re.IGNORECASE
)
_LONGEST: Final = 9  # words; a longer message is an independent question


def after_documents(
    decision: Decision,
    before: Decision,
    exchanges: Sequence[Exchange],
    message: Message,
    search: ToolSpec | None,
) -> Decision:
    """Returns the same decision, or one that searches for the earlier question together with the current one.

    This applies only directly after a search, and only if the message means nothing else, or only a lookup
    that it does not ask for explicitly.
    """
    searched = [plan for plan in before.calls if plan.spec.role == "searches"]
    if search is None or not searched or not _leads_on(exchanges[-1].said):
        return decision
    if not _gives_way(decision, message):
        return decision
    topic = next((one.said for one in reversed(exchanges[:-1]) if not _leads_on(one.said)), "")
    question = f"{topic.strip()} {exchanges[-1].said.strip()}".strip()
    return Decision((Planned(search, {"question": question}),), open=decision.open)


def _leads_on(said: str) -> bool:
    return _LEADS_ON.match(plain(said).strip()) is not None and len(said.split()) <= _LONGEST


def _gives_way(decision: Decision, message: Message) -> bool:
    if any(piece.stance in ("negated", "retracted") for piece in message.pieces):
        return False
    if not decision.calls:
        return isinstance(decision.reply, Unsure) or (
            isinstance(decision.reply, Help) and decision.reply.unmatched
        )
    entities = message.entities
    if entities.days or entities.references or entities.places or _OF_THEIR_OWN.search(message.text):
        return False
    return all(
        plan.spec.role == "searches" or (plan.spec.effect == "read" and plan.spec.role == "tool")
        for plan in decision.calls
    )


_STILL_SHOWN: Final = 3
"""For this number of messages, a question may be about a file without mentioning it."""

_SAYS_SO: Final = re.compile(
    r"\b(?:file|document|pdf|attachment|letter|scan|uploaded"
    r"|i (?:have |had |just )?(?:sent|attached|showed|shown))\b"
)
_ASKS: Final = re.compile(
    r"\?\s*$|^\W*(?:and |so |then )?(?:what|who|when|where|which|how|why|is|does|did)\b"
)


def from_files(decision: Decision, exchanges: Sequence[Exchange], search: ToolSpec | None) -> Decision:
    """Returns the same decision, or one that searches the customer's file for the last message's question.

    A question is about the file if it comes with the file or mentions a file that was shown, even if a lookup
    is similar. One of the next messages is about the file if its meaning is unclear, a later one if no tool
    fits. A file without text requests nothing. A side effect, or a question for a missing value, is never
    replaced.
    """
    said = exchanges[-1].said.strip()
    if not said and isinstance(decision.reply, Help):
        # A message without text requests nothing, so it is no unmatched request.
        return replace(decision, reply=replace(decision.reply, unmatched=False))
    if search is None or not said or not any(one.files for one in exchanges):
        return decision
    lower = plain(said)
    looks_up = all(plan.spec.effect == "read" and plan.spec.role == "tool" for plan in decision.calls)
    just_shown = any(one.files for one in exchanges[-_STILL_SHOWN:])
    unclear = not decision.calls and isinstance(decision.reply, Unsure | Help) and just_shown
    unmatched = (
        isinstance(decision.reply, Help) and decision.reply.unmatched and _ASKS.search(lower) is not None
    )
    about_it = bool(exchanges[-1].files) or _SAYS_SO.search(lower) is not None
    asked_of_it = about_it and bool(decision.calls) and decision.reply is None and looks_up
    if not unclear and not unmatched and not asked_of_it:
        return decision
    return Decision((Planned(search, {"question": said}),), open=decision.open)


_MOST: Final = 2  # sentences
_NEARLY: Final = 0.2
_WORTH_A_LOOK: Final = 3  # passages

_NUMBER: Final = r"(?:\d+|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|fourteen|thirty)"
_WANTED: Final = (
    (
        re.compile(r"\bhow (?:long|soon|many (?:days|weeks|months|years))\b", re.IGNORECASE),
        re.compile(rf"\b{_NUMBER}(?: \w+)? (?:minute|hour|day|week|month|year)s?\b", re.IGNORECASE),
    ),
    (
        re.compile(r"\bhow much\b|\bcosts?\b|\bprice\b", re.IGNORECASE),
        re.compile(r"[$€£] ?\d|\d ?(?:euros?|dollars?|pounds?)\b|\bfree\b|\bhalf\b", re.IGNORECASE),
    ),
)
"""Pairs of patterns: a question, and the sentences that answer it."""

_TELLS: Final = 0.15
"""This is added to the score of a sentence that answers the question by its form."""


def quoted(outcomes: Sequence[Outcome], specs: Mapping[str, ToolSpec], embed: Embed) -> tuple[Outcome, ...]:
    """Returns the outcomes, with each search reduced to one passage, and to the sentences most similar to the
    question.

    Blocks.
    """
    return tuple(_quoted(outcome, specs.get(outcome.call.tool), embed) for outcome in outcomes)


def _quoted(outcome: Outcome, spec: ToolSpec | None, embed: Embed) -> Outcome:
    if spec is None or spec.role != "searches" or not isinstance(outcome, CallSucceeded):
        return outcome
    question = str(outcome.call.arguments.get("question", ""))
    found = _passages(outcome.value)
    said = [(passage, text) for passage in found for text in [prose(str(passage.get("text", "")))] if text]
    if not said:
        return outcome
    scored = [(passage, text, _scores(question, passage, text, embed)) for passage, text in said]
    passage, text, scores = max(scored, key=lambda one: max(one[2]))
    return replace(outcome, value=[{**passage, "text": _nearest(text, scores)}])


def _passages(value: Json) -> list[Mapping[str, Json]]:
    """Returns the passages of a search, or none if the result has another form, as a cassette's may have."""
    if not isinstance(value, list | tuple):
        return []
    found = [cast("Mapping[str, Json]", one) for one in value if isinstance(one, Mapping)]
    return found[:_WORTH_A_LOOK]


def _scores(question: str, passage: Mapping[str, Json], text: Sequence[str], embed: Embed) -> list[float]:
    """Returns the scores of a passage's sentences.

    Each is compared together with its heading, which it depends on.
    """
    vectors = embed([question, *(f"{passage.get('place', '')}. {sentence}" for sentence in text)])
    nearness = [float(score) for score in vectors[1:] @ vectors[0]]
    return [
        score + _TELLS * _tells(question, sentence) for score, sentence in zip(nearness, text, strict=True)
    ]


def _tells(question: str, sentence: str) -> bool:
    """Whether the sentence has the form of an answer to the question.

    >>> _tells("How long is it?", "It takes two working days."), _tells("How long is it?", "It is red.")
    (True, False)
    """
    return any(
        asked.search(question) is not None and told.search(sentence) is not None for asked, told in _WANTED
    )


def _nearest(text: Sequence[str], scores: Sequence[float]) -> str:
    """Returns the most similar sentence, with up to ``_MOST`` - 1 neighbours if they are nearly as similar."""
    first = last = max(range(len(text)), key=lambda at: scores[at])
    enough = scores[first] - _NEARLY
    while last - first + 1 < _MOST:
        beside = [at for at in (first - 1, last + 1) if 0 <= at < len(text) and scores[at] >= enough]
        if not beside:
            break
        chosen = max(beside, key=lambda at: scores[at])
        first, last = min(first, chosen), max(last, chosen)
    return " ".join(text[first : last + 1])
