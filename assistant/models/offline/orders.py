"""Whether a clause orders a deed. Only what does is ever done: everything else is asked back."""

import re
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.models.offline.deeds import deed_of, deeds_of, is_question

# What may stand before the verb of an order: "hi, could you please also ...".
_BEFORE: Final = re.compile(
    r"^(?:(?:ok|okay|so|well|hi|hello|hey|oh|yes|yeah|sure|and|also|then|first|next|now|just|please|pls"
    r"|kindly|actually|but|both|instead|maybe|simply|again|alright|right|too"
    r"|(?:can|could|would|will) (?:you|u|we|i|someone|somebody)|i(?:'d| would)(?: really)? (?:like"
    r"|love)(?: you)?(?: to)?|i (?:want|wanna|need|have|wish|must)(?: you)?(?: to)?"
    r"|i'll need(?: you)?(?: to)?|i am here to|i'm here to|i'm calling to|i'm writing to"
    r"|we(?:'d like| want| need)(?: to)?|let's|let us|help me(?: to)?|go ahead and|go and"
    r"|would you mind|any chance (?:you|i) (?:could|can)|is it possible to"
    r"|be (?:so )?kind (?:enough )?(?:to|and)|be able to|like to|try to|quickly|for me"
    r"|tell me)\b[,:]? *)*"
)
_PASSIVE: Final = re.compile(
    r"\b(?:i'd like|i would like|i want|i need|please have|have|get|to have|to get) (?:my|the|this|that"
    r"|it|order|them|all)\b.*\b\w+ed\b"
)
_GIVES: Final[dict[str, re.Pattern[str]]] = {
    "make": re.compile(
        r"\b(?:i'd like|i would like|i want|i need|can i (?:have|get)|could i (?:have|get)|may i have"
        r"|give me) (?:an?|another|my|to)\b"
        r"|\bi(?:'ll| will) take (?:it|that|the|one|\d)\b"
        r"|\b(?:can|could|may|might) i (?:come|get|drop|pop|stop|see|be seen)\b"
    ),
    "shift": re.compile(
        r"\binstead\b|\b(?:can|could|may) i (?:come|do|have|get|move|make it)\b.*\b(?:instead|rather)\b"
    ),
}
_REFUSES: Final = re.compile(
    r"\b(?:not|never|no|nothing|nobody|cannot|hate|glad|hardly|avoid|refuse|online|backwards|in general"
    r"|generally|usually)\b|n't\b|[\"“”«»]|(?:^|\s)['‘]\w"
)
_UNSUITED: Final = re.compile(
    r"\b(?:does not|doesn't|do not|don't|isn't|is not|won't) (?:work|suit|fit|good|convenient|possible)\b"
)
_CONDITION: Final = re.compile(
    r"(?<!know )(?<!see )(?<!me )(?<!check )(?<!ask )(?<!wonder )(?<!wondering )(?<!out )\b"
    r"(?:if(?! (?:you (?:can|could|would|don't mind|please)|possible|that's|that is|it's (?:ok|possible"
    r"|not too)|not\b|i may|i can|i could))|unless|in case|provided|as long as|supposing|assuming)\b"
)
_HANDS: Final = re.compile(
    r"\b(?:new|now|changed?|chang\w+|moved?|switched|updat\w+|correct\w*|replac\w+|use|reach me|call me"
    r"|write|send|mail me|contact me|set|instead|from now on|future|going forward|should be|it's|it is"
    r"|my (?:\w+ )?(?:e-?mail|mail|address|phone|number|mobile|cell|telephone)(?: address"
    r"| number)? (?:is|:)|add|save|put|note)\b"
)
_AS_BEFORE: Final = re.compile(
    r"\b(?:still|same|right|correct\?|already|from (?=\S+@)|called me|wrote|got (?:an? )?(?:e-?mail"
    r"|mail|call|text))\b"
)


def orders(clause: str, spec: ToolSpec) -> bool:
    """Whether a clause, lower-case and in plain words, orders what this tool does.

    >>> cancel = ToolSpec(name="cancel_order", description="", parameters={}, effect="write")
    >>> orders("could you please cancel order 12", cancel), orders("i'd like my order cancelled", cancel)
    (True, True)
    >>> orders("i was going to cancel order 12", cancel), orders("when can i cancel it", cancel)
    (False, False)
    """
    if _REFUSES.search(_UNSUITED.sub("", clause)) or _CONDITION.search(clause):
        return False
    deeds, ordered = deed_of(spec), clause[_before(clause) :]
    begins_with = ordered.partition(" ")[0].strip(",.:")
    if begins_with in verbs_of(spec):
        return True
    if any(pattern.search(clause) for deed, pattern in _GIVES.items() if deed in deeds):
        return True
    return bool(deeds & (_leading(ordered) | (deeds_of(clause) if _PASSIVE.search(clause) else frozenset())))


def hands_over(clause: str) -> bool:
    """Whether a clause that holds an address or a number gives it to us: "you can reach me on ...".

    >>> hands_over("my new number is 0171 5550134"), hands_over("someone called me from 0171 5550134")
    (True, False)
    """
    return bool(
        _HANDS.search(clause)
        and not _REFUSES.search(clause)
        and not _CONDITION.search(clause)
        and not _AS_BEFORE.search(clause)
        and not is_question(clause)
    )


def is_conditional(sentence: str) -> bool:
    """Whether what a lower-case sentence orders hangs on something: "if you are closed, cancel it".

    >>> is_conditional("if you're closed, cancel it"), is_conditional("cancel it, and if you could, call me")
    (True, False)
    """
    return bool(_CONDITION.search(sentence))


def verbs_of(spec: ToolSpec) -> frozenset[str]:
    """The verbs that a tool's name and its examples give orders with.

    >>> spec = ToolSpec(name="pause_order", description="", parameters={}, examples=("please hold my order",))
    >>> sorted(verbs_of(spec))
    ['hold', 'pause']
    """
    said = (
        spec.name.replace("_", " "),
        *(example.lower() for example in spec.examples if not is_question(example.lower())),
    )
    orders_ = (sentence[_before(sentence) :] for sentence in said if not _STATES.search(sentence))
    first = (sentence.partition(" ")[0].strip(",.:") for sentence in orders_)
    return frozenset(
        word
        for word in first
        if len(word) > 2 and word.isalpha() and word not in _NO_VERBS and not word.endswith("ing")
    )


# "Tuesday is bad for me", "something came up": no word of these is an order.
_STATES: Final = re.compile(r"\b(?:is|are|was|were|came|has|doesn't|isn't|wasn't|i'll)\b")
_NO_VERBS: Final = frozenset(
    [
        "still",
        "already",
        "the",
        "this",
        "that",
        "your",
        "our",
        "their",
        "its",
        "order",
        "orders",
        "appointment",
        "one",
        "not",
        "don't",
        "can't",
        "won't",
        "something",
        "i'd",
        "i've",
        "i'm",
    ]
)


def _leading(ordered: str) -> frozenset[str]:
    """The deed that a clause without its opening words begins with; "cancelling it would be silly" has none."""
    if ordered.partition(" ")[0].endswith("ing"):
        return frozenset()
    return (
        deeds_of(" ".join(ordered.split()[:3]))
        if (ordered and deeds_of(ordered.split()[0]))
        or re.match(r"(?:call|take|get|sign|set|put|pencil|squeeze|fit|bring|make)\b", ordered)
        else frozenset()
    )


def _before(clause: str) -> int:
    match = _BEFORE.match(clause)
    return match.end() if match else 0
