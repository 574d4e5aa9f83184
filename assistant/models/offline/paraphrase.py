"""What a clause comes to, in the words that tools are described with."""

import re
from typing import Final

_REWRITTEN: Final = (
    # "I don't need my Tuesday slot any more" orders what no verb in it says.
    (
        re.compile(
            r"\b(?:i|we)(?:'ll)?(?: do| will)?(?: not|n't| no longer| won't| don't)(?: actually| really)? "
            r"(?:need|want|require|be needing) (?=(?:my|the|that|this|those|these|our|it\b|order|them\b))"
        ),
        "cancel ",
    ),
    (
        re.compile(
            r"\b(?:i|we)(?: can't| cannot| can not|'m not able to|'re not able to| won't be able to"
            r"| am unable to"
            r"|'m unable to|'m not going to be able to| won't| will not) (?:make it|make|come|attend"
            r"|keep)(?: in| to)?\b"
        ),
        "my appointment must be cancelled or moved ",
    ),
    (
        re.compile(r"\b(?:call off|scrap|get rid of|do away with|drop(?! (?:by|in|off|round|around)\b))\b"),
        "cancel",
    ),
    (
        re.compile(
            r"\b(?:anymore|any more|any longer|after all|please|pls|kindly|just|also|too|actually"
            r"|really|oh)\b"
        ),
        "",
    ),
    (re.compile(r"^(?:and|but|so|then|that|well|hi|hello|hey|ok|okay|only|yes|first|now)\b,?"), ""),
)
_INSTEAD: Final = re.compile(r"\binstead\b")


def paraphrase(clause: str) -> str:
    """Put a clause in plainer words, for its meaning to be measured.

    >>> paraphrase("i won't need my tuesday slot anymore")
    'cancel my tuesday slot'
    >>> paraphrase("could i come on thursday instead")
    'reschedule could i come on thursday instead'
    """
    for pattern, words in _REWRITTEN:
        clause = pattern.sub(words, clause).strip()
    if _INSTEAD.search(clause) and "reschedule" not in clause:
        clause = f"reschedule {clause}"
    return re.sub(r"\s+", " ", clause).strip(" ,")
