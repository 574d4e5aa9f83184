"""Drafts a waiting hint for a tool that has none, from its name and what its server says of it."""

import re
from collections.abc import Iterator, Sequence
from typing import cast

from assistant.mcp.definition import Definition
from assistant.tooling.hints import VERBS, doubts_in, read_hints
from assistant.tooling.options import Options

_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
_SENTENCE = re.compile(r"[^.\n;:(]+")
_LONGEST = 8
_BARE = frozenset(
    ("a", "all", "an", "and", "any", "by", "every", "for", "from", "in", "my", "of", "the", "to", "your")
)
"""What stands before a noun already, or cannot have an article before it."""

_PARTICLES = frozenset(("back", "for", "in", "off", "on", "out", "up"))


def drafted_hint(definition: Definition) -> str:
    """A gerund phrase for somebody to improve; "" where nothing comes of it that a customer may hear.

    >>> drafted_hint(Definition(name="get_order_status"))
    'getting the order status'
    >>> drafted_hint(Definition(name="inventory", description="Looks up the stock of an article. Slow."))
    'looking up the stock of an article'
    >>> drafted_hint(Definition(name="crm", description="Stuff"))
    ''
    """
    drafts = (_from_name(definition.name), _from_description(definition.description))
    return next((draft for draft in drafts if draft and _may_be_said(draft)), "")


def _from_name(name: str) -> str:
    words = [word.lower() for word in _WORD.findall(name)]
    start = next((at for at, word in enumerate(words) if word in VERBS), None)
    return "" if start is None else _phrase(words[start], words[start + 1 :])


def _from_description(description: str) -> str:
    first = _SENTENCE.match(description)
    words = [] if first is None else first[0].split()
    if not words or not (verb := _verb(words[0].lower())):
        return ""
    return " ".join([_gerund(verb), *_lowered(words[1:_LONGEST])])


def _phrase(verb: str, rest: Sequence[str]) -> str:
    particles = [word for word in rest[:1] if word in _PARTICLES]
    noun = rest[len(particles) :]
    article = ["the"] if noun and noun[0] not in _BARE else []
    return " ".join([_gerund(verb), *particles, *article, *noun])


def _verb(word: str) -> str | None:
    """The dictionary form of "looks", "searches" or "look"."""
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return next((form for form in forms if form in VERBS), None)


def _lowered(words: Sequence[str]) -> Iterator[str]:
    return (word.lower() if word.istitle() else word for word in words)


def _gerund(verb: str) -> str:
    # Fifty megabytes: for whoever drafts, not for whoever serves.
    import lemminflect  # pyright: ignore[reportMissingTypeStubs]

    forms = cast("tuple[str, ...]", lemminflect.getInflection(verb, tag="VBG"))  # pyright: ignore[reportUnknownMemberType]
    return forms[0]


def _may_be_said(draft: str) -> bool:
    hints, problems = read_hints(Options(waiting_hint=draft))
    # A stranger's words: what would be a warning in a team's own hint is not even proposed.
    return not problems and not doubts_in(hints)
