"""Decides one message without its context: which calls with which arguments, or what to say."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Final

from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.values import JsonObject
from assistant.models.demo.clauses import deed_of, deeds_of, is_question, paraphrase, split
from assistant.models.demo.decision import (
    About,
    Ask,
    Decision,
    Help,
    Planned,
    Reply,
    Slot,
    Smalltalk,
    Unsure,
    slots_of,
)
from assistant.models.demo.entities import Entities, find_entities, plain
from assistant.models.demo.fill import fill
from assistant.models.demo.understand import Nearest, Piece, read_pieces
from assistant.models.demo.words import stems

_SAME_DAY: Final = re.compile(r"\b(?:that|the same) (?:day|date)\b")
_IT: Final = re.compile(r"\b(?:it|that|this|them|that one|this one)$")
_SENTENCE_END: Final = re.compile(r"[.?!;](?:\s|$)")
_HANGING: Final = re.compile(r"\b(?:do not|don't|never)(?:,.*)?$")
_ASKS_BACK_ON: Final = 0.5
_ALSO_ASKED: Final = 0.15  # a tool this much less similar than the best is still offered


@dataclass(frozen=True, slots=True)
class Message:
    """A parsed message: lower-case text, the values in it, its pieces."""

    text: str
    entities: Entities
    pieces: tuple[Piece, ...]

    def about(self, tool: str) -> "Message | None":
        """Returns the part of the message that asks for this tool, or None if there is none."""
        own = tuple(one for one in self.pieces if one.best.spec and one.best.spec.name == tool)
        entities = Entities()
        for piece in own:
            entities = entities.plus(self.entities.within(piece.start, piece.end))
        return Message(" ".join(piece.text for piece in own), entities, own) if own else None


def read_message(text: str, today: date, nearest: Nearest) -> Message:
    """Read a message. Calls ``nearest`` once for each clause."""
    lower = plain(text)
    entities = find_entities(text, today)
    clauses = split(lower, entities.ranges)
    return Message(lower, entities, read_pieces(clauses, lower, entities, nearest))


def decide_message(message: Message, today: date) -> Decision:
    """Decide one message without its context.

    It plans no action on weak evidence, if the message only mentions an action, or if it negates one. Then
    the customer is asked a question, or told what is possible.
    """
    asked = _asked(message)
    if not asked:
        return Decision(reply=_nothing(message, today))
    spare = _spare(message, asked)
    plans = _once_each(
        [_plan(piece, piece.best.spec, message, spare, today) for piece in asked if piece.best.spec]
    )
    asks = [plan for plan in plans if isinstance(plan, Ask)]
    return Decision(tuple(plan for plan in plans if isinstance(plan, Planned)), asks[0] if asks else None)


def _asked(message: Message) -> list[Piece]:
    asked: list[Piece] = []
    carried = False
    for piece in message.pieces:
        if piece.stance == "retracted":
            asked = [one for one in asked if one.best.spec and one.best.spec.effect == "read"]
        elif piece.stance != "negated" and piece.sure and may_act(piece, message, carried=carried):
            asked.append(piece)
        # "Do not, under any circumstances, cancel it": the negation also applies to the next clause.
        carried = bool(_HANGING.search(piece.text))
    return asked


def may_act(piece: Piece, message: Message, *, carried: bool = False) -> bool:
    """Whether a piece clearly asks for its best tool.

    A tool with a side effect must be ordered explicitly.
    """
    spec = piece.best.spec
    if spec is None or spec.effect == "read":
        return spec is not None
    if carried or piece.doubtful or is_conditional(_sentence(piece, message)):
        return False
    return orders(paraphrase(piece.text), spec) or (
        _takes_contact(piece, spec, message) and hands_over(piece.text)
    )


def _takes_contact(piece: Piece, spec: ToolSpec, message: Message) -> bool:
    kinds, own = {slot.kind for slot in slots_of(spec)}, message.entities.within(piece.start, piece.end)
    return bool(("email" in kinds and own.emails) or ("phone" in kinds and own.phones))


def _sentence(piece: Piece, message: Message) -> str:
    start = max((end.end() for end in _SENTENCE_END.finditer(message.text, 0, piece.start)), default=0)
    end = _SENTENCE_END.search(message.text, piece.end)
    return message.text[start : end.start() if end else None]


def _plan(piece: Piece, spec: ToolSpec, message: Message, spare: Entities, today: date) -> Planned | Ask:
    own = _own(piece, message)
    plan = plan_call(spec, {}, message.text, own, today, piece.text)
    if isinstance(plan, Ask) or not plan.arguments or _lacks_old_day(plan):
        return plan_call(spec, {}, message.text, own.plus(spare), today, piece.text)
    return plan


def _lacks_old_day(plan: Planned) -> bool:
    """Whether the old day may be in another clause: "Tuesday is bad, can I come on Friday instead?"."""
    olds = [slot.name for slot in slots_of(plan.spec) if slot.kind == "day" and slot.role == "old"]
    return bool(olds) and not any(name in plan.arguments for name in olds)


def plan_call(
    spec: ToolSpec, known: JsonObject, text: str, entities: Entities, today: date, clause: str = ""
) -> Planned | Ask:
    """Plan a call with the known values and those of a message, or ask for the first missing one."""
    slots = slots_of(spec)
    arguments = {**known, **fill(slots, text, entities, today, clause)}
    missing = next((slot for slot in slots if slot.required and slot.name not in arguments), None)
    if missing is None and not arguments and spec.effect == "write":
        missing = _nothing_to_write(slots, text)
    return Planned(spec, arguments) if missing is None else Ask(spec, missing, arguments)


def _nothing_to_write(slots: Sequence[Slot], text: str) -> Slot | None:
    """Returns the e-mail address or telephone number to ask for, if the tool stores only these and none was
    given.
    """
    values = [slot for slot in slots if slot.kind in ("email", "phone")]
    if len(values) < len(slots):
        return None
    return next(
        (slot for slot in values if stems(slot.name) & stems(text.replace("-", ""))), next(iter(values), None)
    )


def _own(piece: Piece, message: Message) -> Entities:
    own = message.entities.within(piece.start, piece.end)
    if _SAME_DAY.search(piece.text) and not own.days:
        own = own.plus(Entities(days=message.entities.within(0, piece.start).days[-1:]))
    if _IT.search(piece.text) and not own.references:
        own = own.plus(Entities(references=message.entities.within(0, piece.start).references[-1:]))
    return own


def _spare(message: Message, asked: Sequence[Piece]) -> Entities:
    """Returns the values in clauses that request nothing: "order 12 is late, please cancel it"."""
    spare = Entities()
    for piece in message.pieces:
        if piece not in asked:
            spare = spare.plus(message.entities.within(piece.start, piece.end))
    return spare


def _once_each(plans: Sequence[Planned | Ask]) -> list[Planned | Ask]:
    kept: list[Planned | Ask] = []
    for plan in plans:
        same = next((n for n, one in enumerate(kept) if one.spec == plan.spec and _agree(one, plan)), None)
        if same is None:
            kept.append(plan)
        elif isinstance(plan, Planned):
            kept[same] = Planned(plan.spec, {**kept[same].arguments, **plan.arguments})
    return kept


def _agree(one: Planned | Ask, other: Planned | Ask) -> bool:
    return all(other.arguments.get(name, value) == value for name, value in one.arguments.items())


def _nothing(message: Message, today: date) -> Reply:
    talk = small_talk(message.text)
    if talk is not None:
        return talk
    if any(piece.stance == "retracted" for piece in message.pieces):
        return Smalltalk("kept")
    likely = {
        match.spec.name: _plan(piece, match.spec, message, Entities(), today)
        for piece in message.pieces
        if piece.stance != "negated"
        for match in piece.matches[:2]
        if match.spec is not None
        and piece.best.spec is not None
        and match.score >= max(_ASKS_BACK_ON, piece.best.score - _ALSO_ASKED)
    }
    if likely:
        return Unsure(tuple(likely.values()))
    refused = message.pieces and all(piece.stance == "negated" for piece in message.pieces)
    return Smalltalk("kept") if refused else Help(unmatched=True)


# Words that may come before the verb of an order: "hi, could you please also ...".
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
    """Whether a clause, in lower case and common words, orders the action of this tool.

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
    """Whether the customer gives us an address or a number in this clause: "you can reach me on ...".

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
    """Whether the order in a lower-case sentence depends on a condition: "if you are closed, cancel it".

    >>> is_conditional("if you're closed, cancel it"), is_conditional("cancel it, and if you could, call me")
    (True, False)
    """
    return bool(_CONDITION.search(sentence))


def verbs_of(spec: ToolSpec) -> frozenset[str]:
    """Returns the verbs of orders in a tool's name and examples.

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


# "Tuesday is bad for me", "something came up": no word of such clauses is the verb of an order.
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
    """Returns the actions of the verb that begins a clause without its opening words.

    "cancelling it would be silly" has none.
    """
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
_LONGEST: Final = 9  # words; a longer message contains more than politeness
_HELP: Final = re.compile(
    r"\bwhat (?:can|could|do|else can) you (?:do|help|offer)|\bhow can you help|\bwhat are you (?:able"
    r"|good|for)|\bwhat can i (?:ask|do here)|^(?:\W*(?:help|menu|options)\W*)+$|\b(?:can"
    r"|could) you help(?: me)?\W*$"
)


def small_talk(message: str) -> Smalltalk | Help | None:
    """Recognise a lower-case message that is only polite, or asks for help.

    >>> small_talk("hi there!"), small_talk("what can you do?"), small_talk("where is my order")
    (Smalltalk(about='greeting'), Help(unmatched=False, person=None), None)
    """
    if _HELP.search(message):
        return Help(unmatched=False)
    # A longer message has a concern of its own: "thanks for nothing, I still don't know where ...".
    if len(message.split()) > _LONGEST:
        return None
    return next((Smalltalk(about) for about, pattern in _KINDS if pattern.search(message)), None)
