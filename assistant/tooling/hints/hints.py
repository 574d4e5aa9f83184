"""A waiting hint's two forms: from what is being done to what will be done."""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import cast

from assistant.tooling.hints.verbs import VERBS

_NOT_GERUNDS = {
    *("anything", "bring", "ceiling", "cling", "darling", "during", "evening", "everything", "fling", "king"),
    *(
        "morning",
        "nothing",
        "ring",
        "sing",
        "sling",
        "something",
        "spring",
        "sting",
        "string",
        "swing",
        "thing",
    ),
    "wing",
}
_PARTICLES = {"at", "back", "down", "for", "in", "into", "off", "on", "out", "over", "through", "up"}
_DETERMINERS = {
    *(
        "a",
        "all",
        "an",
        "any",
        "each",
        "every",
        "her",
        "his",
        "it",
        "its",
        "my",
        "our",
        "that",
        "the",
        "their",
    ),
    *("them", "these", "this", "those", "your"),
}
_ADVERBS = {"also", "first", "just", "next", "now", "soon", "still", "then"}
_CONJUNCTIONS = {"and", "or"}
_BEFORE_THE_VERB = re.compile(r"\A(?:i['’]ll|i will|i shall|will|let me|to)\s+", re.IGNORECASE)
_PREFIXES = ("re", "un", "over", "under", "up", "down", "pre", "mis", "out", "dis")
_LONGEST = 80


@lru_cache(maxsize=1024)
def infinitive(hint: str) -> str:
    """Turn a gerund phrase into what follows "I'll".

    >>> infinitive("looking up your appointments")
    'look up your appointments'
    >>> infinitive("finding and booking a slot")
    'find and book a slot'
    >>> infinitive("checking shipping and handling")
    'check shipping and handling'
    """
    words = hint.split(" ")
    verbs = set(_verb_positions(words))
    return " ".join(_base(word) if at in verbs else word for at, word in enumerate(words))


def hint_problem(hint: str) -> str | None:
    """Say what keeps a hint from being an English gerund phrase, with the cure. None: it is one.

    >>> hint_problem("Please wait.")
    "should be a gerund phrase such as 'looking up your invoices'"
    """
    cured = " ".join(hint.split()).rstrip(".,;:!?… ")
    cured = cured[:1].lower() + cured[1:]
    if not _is_gerund(_opening(cured)):
        return "should be a gerund phrase such as 'looking up your invoices'"
    if cured != hint:
        return f"should be {cured!r}: it stands in the middle of a sentence"
    if len(hint) > _LONGEST:
        return f"should be at most {_LONGEST} characters long, to be said in one breath"
    return None


def will_problem(will: str) -> str | None:
    """Say what keeps a clause from following "I'll", with the cure. None: it can.

    >>> print(will_problem("looking it up"))
    should be 'look it up': "I'll" stands before it already
    """
    cured = _BEFORE_THE_VERB.sub("", will)
    if _is_gerund(_opening(cured)):
        cured = infinitive(cured)
    return None if cured == will else f'should be {cured!r}: "I\'ll" stands before it already'


def _opening(phrase: str) -> str:
    """The first word that may be the verb."""
    return next((word for word in phrase.split(" ") if not _is_adverb(word)), "").rstrip(",")


def _verb_positions(words: list[str]) -> Iterator[int]:
    """Where the verbs stand that are promised, as against gerunds that are nouns ("shipping costs")."""
    due, follows = True, False
    for at, word in enumerate(words):
        plain = word.rstrip(",")
        if due and _is_adverb(plain):
            continue
        if due and _is_gerund(plain):
            yield at
            due, follows = word.endswith(","), True
        elif plain in _CONJUNCTIONS:
            due, follows = follows or _takes_object(words[at + 1 :]), False
        else:
            follows = follows and plain in _PARTICLES
            due = follows and word.endswith(",")


def _takes_object(words: list[str]) -> bool:
    """Whether the next gerund has an object: "and checking its status", not "and handling fees"."""
    rest = [word for word in words if not _is_adverb(word)]
    following = [word for word in rest[1:] if word not in _PARTICLES]
    return bool(following) and _is_gerund(rest[0]) and following[0] in _DETERMINERS


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and len(word) > 3)


def _is_gerund(word: str) -> bool:
    return re.fullmatch(r"[a-z-]*[a-z]{2}ing", word) is not None and word not in _NOT_GERUNDS


def _base(word: str) -> str:
    """One gerund's dictionary form; a comma and what stands before a hyphen stay.

    >>> _base("re-sending"), _base("mimicking"), _base("tying"), _base("finding,")
    ('re-send', 'mimic', 'tie', 'find,')
    """
    gerund = word.rstrip(",")
    before, hyphen, verb = gerund.rpartition("-")
    found = _known(verb) or _behind_prefix(verb) or _from_dictionary(verb)
    return before + hyphen + found + word[len(gerund) :]


def _known(gerund: str) -> str | None:
    stem = gerund.removesuffix("ing")
    forms = [stem, stem + "e"]
    if stem[-1:] == stem[-2:-1] or stem.endswith("ck"):
        forms.append(stem[:-1])
    if stem.endswith("y"):
        forms.append(stem[:-1] + "ie")
    return next((form for form in forms if form in VERBS), None)


def _behind_prefix(gerund: str) -> str | None:
    for prefix in _PREFIXES:
        if gerund.startswith(prefix) and (verb := _known(gerund.removeprefix(prefix))):
            return prefix + verb
    return None


def _from_dictionary(gerund: str) -> str:
    # Fifty megabytes and most of a second: only for a verb that nobody has thought of.
    import lemminflect  # pyright: ignore[reportMissingTypeStubs]

    lemmas = cast("tuple[str, ...]", lemminflect.getLemma(gerund, upos="VERB"))  # pyright: ignore[reportUnknownMemberType]
    return lemmas[0] if lemmas and lemmas[0] != gerund else gerund.removesuffix("ing")
