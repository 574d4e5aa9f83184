"""Drafts the waiting hint of an operation, and example sentences of customers who want it."""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from assistant.tools.hints import VERBS, infinitive, read_hints
from assistant.tools.options import Options

_LOOK_UP = {
    "get",
    "fetch",
    "retrieve",
    "read",
    "list",
    "show",
    "view",
    "display",
    "describe",
    "load",
    "return",
}
_SEARCH = {"find", "query"}
_ARTICLES = {"a", "an", "the", "all", "one", "single", "specific", "current", "existing", "new", "my", "your"}
_ENDS = {
    "by",
    "for",
    "with",
    "using",
    "from",
    "in",
    "of",
    "on",
    "to",
    "that",
    "which",
    "and",
    "or",
    "if",
    "via",
}
_DOUBLED = {
    "cancel",
    "submit",
    "refer",
    "transfer",
    "control",
    "travel",
    "label",
    "permit",
    "begin",
    "forget",
}


@dataclass(frozen=True, slots=True)
class Wording:
    """``doing`` is the drafted hint, "" when none came out well; ``examples`` are things customers may say."""

    doing: str = ""
    examples: tuple[str, ...] = ()


def wording(texts: Iterable[str], *, theirs: bool) -> Wording:
    """Draft from the first text that begins with a verb; ``theirs``: it is about the customer's own.

    >>> wording(["Retrieve a single order by its ID"], theirs=True)
    Wording(doing='looking up your order', examples=('show me my order', 'I have a question about my order'))
    >>> wording(["List the guest's reservations."], theirs=True).doing
    'looking up your reservations'
    >>> wording(["Orders", "cancelOrder"], theirs=False).doing, wording(["Orders"], theirs=False).doing
    ('cancelling the order', '')
    """
    for text in texts:
        words = [word.lower() for word in re.findall(r"[A-Z]?[a-z']+|[A-Z]+(?![a-z])", text)]
        verb = _verb(words[0]) if words else None
        thing = _thing(words[1:], theirs=theirs)
        if verb is None or not thing:
            continue
        doing = f"{_gerund(verb)} {'your' if theirs else 'the'} {thing}"
        if not read_hints(Options(waiting_hint=doing))[1] and _comes_back(doing):
            return Wording(doing, _examples(verb, f"{'my' if theirs else 'the'} {thing}"))
    return Wording()


def _verb(word: str) -> str | None:
    """The verb's dictionary form: summaries are written as orders and as descriptions ("Cancels ...")."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"), re.sub("ies$", "y", word))
    return next((form for form in forms if form in VERBS or form in _LOOK_UP | _SEARCH), None)


def _thing(words: list[str], *, theirs: bool) -> str:
    """The first few words after the verb, up to what only developers want to know.

    What belongs to the customer has no other owner: "the guest's reservations" are the reservations.
    """
    kept: list[str] = []
    for word in words:
        if word in _ENDS or len(kept) == 4:
            break
        owner = theirs and word.endswith(("'s", "s'"))
        if kept or not (owner or word in _ARTICLES):
            kept.append(word)
    while kept and kept[-1] in ("id", "ids", "details", "data", "info", "information", "object", "resource"):
        kept.pop()
    return " ".join(kept)


def _gerund(verb: str) -> str:
    if verb in _LOOK_UP:
        return "looking up"
    if verb in _SEARCH:
        return "looking for"
    if verb.endswith("ie"):
        return f"{verb[:-2]}ying"
    if verb.endswith("e") and not verb.endswith(("ee", "oe", "ye")):
        return f"{verb[:-1]}ing"
    short = re.fullmatch(r"[^aeiou]*[aeiou][^aeiouwxy]", verb)
    return f"{verb}{verb[-1]}ing" if short or verb in _DOUBLED else f"{verb}ing"


def _comes_back(doing: str) -> bool:
    """Whether its other form begins with a verb that we know: else customers would hear a word of our making."""
    return infinitive(doing).split()[0] in VERBS


def _examples(verb: str, thing: str) -> tuple[str, ...]:
    if verb in _LOOK_UP | _SEARCH:
        return (f"show me {thing}", f"I have a question about {thing}")
    return (f"{verb} {thing}", f"I want to {verb} {thing}", f"can you {verb} {thing}")
