"""Greetings, thanks and goodbyes, and the question what there is to ask for."""

import re
from typing import Final

from assistant.models.offline.decision import About, Help, Smalltalk

_KINDS: Final[tuple[tuple[About, re.Pattern[str]], ...]] = (
    (
        "goodbye",
        re.compile(
            r"\b(?:bye|goodbye|see (?:you|ya)|farewell|cheerio|so long|have a (?:nice|good|great"
            r"|lovely)|good night|that(?:'s| is| was| will be) (?:all|it|everything)|nothing else"
            r"|take care)\b"
        ),
    ),
    (
        "thanks",
        re.compile(
            r"\b(?:thank|thanks|thankyou|thx|ty|cheers|appreciate|much obliged|great help|very helpful)\b"
        ),
    ),
    (
        "greeting",
        re.compile(
            r"^(?:\W*\b(?:hi|hello|hey|heya|hiya|howdy|yo|greetings|good (?:morning|afternoon|evening"
            r"|day)|morning|evening|moin|there|again|everyone|how are you|how's it going|what's up"
            r"|how do you do|team|folks|doing|today)\b\W*)+$"
        ),
    ),
    (
        "listening",
        re.compile(
            r"^(?:\W*\b(?:yes|yeah|yep|yup|ok|okay|sure|fine|right|alright|all right|good|great|perfect|cool|nice"
            r"|super|hm+|aha|oh|ah|so|well|i see|got it|sounds good|understood|please|that's (?:good|great|fine"
            r"|nice))\b\W*)+$"
        ),
    ),
)
_LONGEST: Final = 9  # words of politeness
_HELP: Final = re.compile(
    r"\bwhat (?:can|could|do|else can) you (?:do|help|offer)|\bhow can you help|\bwhat are you (?:able"
    r"|good|for)|\bwhat can i (?:ask|do here)|^(?:\W*(?:help|menu|options)\W*)+$|\b(?:can"
    r"|could) you help(?: me)?\W*$"
)


def small_talk(message: str) -> Smalltalk | Help | None:
    """Recognise a lower-case message that is nothing but politeness, or asks for help as such.

    >>> small_talk("hi there!"), small_talk("what can you do?"), small_talk("where is my order")
    (Smalltalk(about='greeting'), Help(unmatched=False, person=None), None)
    """
    if _HELP.search(message):
        return Help(unmatched=False)
    # Who says more than thanks wants an answer to that: "thanks for nothing, I still don't know where ...".
    if len(message.split()) > _LONGEST:
        return None
    return next((Smalltalk(about) for about, pattern in _KINDS if pattern.search(message)), None)
