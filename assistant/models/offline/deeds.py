"""What kind of deed a clause or a tool is about: ending, shifting, making or altering something."""

import re
from typing import Final, Literal, TypeAlias

from assistant.conversation.tool_spec import ToolSpec

Deed: TypeAlias = Literal["end", "shift", "make", "alter"]

_DEEDS: Final[dict[Deed, re.Pattern[str]]] = {
    "end": re.compile(
        r"\b(?:cancel\w*|delet\w+|remov\w+|withdraw\w*|revok\w+|scrap\w*|void\w*|terminat\w+"
        r"|unsubscrib\w+|drop(?! (?:by|in|off|round|around)\b)|abort"
        r"|call(?:ed|ing)? off|take (?:me|it|this|that) off|(?:get|be) rid of|end (?:my|the))\b"
    ),
    "shift": re.compile(
        r"\b(?:re-?schedul\w+|mov(?:e|ed|ing)|push(?:ed|ing)?|shift\w*|postpon\w+|delay (?:my|the)"
        r"|bring forward|swap|switch"
        r"|instead|(?:another|different|later|earlier|other) (?:day|time|date|slot)|change (?:my"
        r"|the) (?:appointment|booking|visit|date|time))\b"
    ),
    "make": re.compile(
        r"\b(?:book|reserv\w+|schedul\w+|arrang\w+|creat\w+|mak(?:e|ing) (?:an?|me|the|another)"
        r"|sign (?:me )?up|set (?:me )?up|put me"
        r"|(?:have|get|like|need|want|fancy) (?:an?|another|my)|pencil|squeeze|fit me|get in|come in"
        r"|come by|see me|order (?:an?|me|another|some|new))\b"
    ),
    "alter": re.compile(
        r"\b(?:chang\w+|updat\w+|correct\w*|edit\w*|replac\w+|modif\w+|set (?:my|the)|use|switch\w*|new"
        r"|reach me|call me|write (?:to )?me"
        r"|send|contact me|moved|from now on|in (?:the )?future)\b"
    ),
}
_QUESTION: Final = re.compile(
    r"^(?:(?:and|so|well|oh|ok|okay|hi|hello|hey|also|sorry|please|then) )*(?:what|what's|whats|when"
    r"|when's|where|where's|which|who|who's|how|how's|why"
    r"|is|isn't|are|aren't|am|was|were|do|does|did|didn't|has|hasn't|have you|have i|had|will"
    r"|any(?:thing|body|one)?)\b"
)


def deeds_of(words: str) -> frozenset[Deed]:
    """The deeds that lower-case words speak of.

    >>> sorted(deeds_of("push my appointment to friday")), sorted(deeds_of("where is my order"))
    (['shift'], [])
    """
    return frozenset(deed for deed, pattern in _DEEDS.items() if pattern.search(words))


def deed_of(spec: ToolSpec) -> frozenset[Deed]:
    """The deeds a tool is for, by its name; none for a look-up.

    >>> sorted(deed_of(ToolSpec(name="cancel_order", description="", parameters={}, effect="write")))
    ['end']
    """
    return deeds_of(spec.name.replace("_", " ").lower()) if spec.effect == "write" else frozenset()


def is_question(clause: str) -> bool:
    """Whether a lower-case clause asks for knowledge, not for a deed ("can I", "could you" ask for deeds).

    >>> is_question("when are you open"), is_question("can i come on friday")
    (True, False)
    """
    return bool(_QUESTION.search(clause))
