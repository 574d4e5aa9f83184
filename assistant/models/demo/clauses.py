"""Cuts a message into clauses (requests, statements, negations), and finds the actions that they mention."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeAlias

from assistant.conversation.tool_spec import ToolSpec

_ABBREVIATION: Final = re.compile(
    r"\b(?:dr|mr|mrs|ms|no|nr|st|vs|e\.g|i\.e|a\.m|p\.m|a|p|jan|feb|mar|apr|aug|sept?|oct|nov|dec)$"
)

_BEGINS_REQUEST: Final = (
    r"(?:please|pls|just|only|kindly|maybe|perhaps|actually|instead|otherwise|oh|ah|well|so|yes|no|not"
    r"|if|whether|what|what's|when|when's|where|where's|which|who|who's"
    r"|how|how's|why|can|could|would|will|shall|should|do|does|did|don't|is|are|am|was|were|has|have"
    r"|had|any|may"
    r"|i|i'm|i'd|i've|i'll|we|we'd|we're|my|you|your|it|it's|there|there's|that|that's|he|she|they|let"
    r"|let's|tell|show|give|check|see|find|look|list|get|send|put|take|make|set"
    r"|book|reserve|schedule|arrange|cancel|delete|remove|drop|scrap|move|shift|push|change|update"
    r"|correct|replace"
    r"|reschedule|postpone|track|confirm|add|call|keep|leave|forget|never|remind|explain|help|pay"
    # "cancel my eye test and order 10455": the second part is a thing, not a verb, because only a number
    # follows.
    r"|stop|order(?! (?:no\.? ?|number )?#?\d{3,}(?: please| too| as well)?(?: and| or|[^\w ]|$)))\b"
)

_STRONG: Final = re.compile(
    r"(?P<mark>[.?!;\n]+)(?=\s|$)"
    r"|\s[-–—]+\s"
    r"|,?\s+(?:but|however|while you're at it|in addition|additionally|besides)\b,?"
    r"|,?\s*(?:\b(?:and|or|oh|then|also|plus|as well as|first|next|finally)\b,?\s*)+(?="
    + _BEGINS_REQUEST
    + r")"
    r"|,\s*(?=" + _BEGINS_REQUEST + r")"
)
_WEAK: Final = re.compile(
    r",\s*(?:and|or|plus|as well as)\b|,|\s(?:and|plus|as well as|&)\s|\bboth\b(?=.*\band\b)"
)

# "... and my invoices": a thing without a verb.
_NOUNS: Final = re.compile(
    r"(?:my|your|the|our|any|all)(?: (?!is\b|are\b|was\b|has\b|changed\b|'s)[a-z-]+){1,3}(?: [\d +()./-]{4,})?$"
)


@dataclass(frozen=True, slots=True)
class Clause:
    """A piece of a message, ``text[start:end]``.

    ``joined`` is its connection to the piece before it. ``strong``: it may be a separate request. ``weak``:
    it only continues a list ("appointments and billing").
    """

    text: str
    start: int
    end: int
    joined: str


def split(text: str, whole: Sequence[tuple[int, int]] = ()) -> tuple[Clause, ...]:
    """Cut a lower-case message where a request may begin. Ranges in ``whole`` are not cut.

    >>> [clause.text for clause in split("check my appointments and billing. also, are you open monday?")]
    ['check my appointments', 'billing', 'are you open monday']
    >>> [clause.text for clause in split("don't cancel anything, just tell me when i come next")]
    ["don't cancel anything", 'just tell me when i come next']
    """
    clauses: list[Clause] = []
    start, joined = 0, "strong"
    for cut_start, cut_end, kind in (*_cuts(text, whole), (len(text), len(text), "strong")):
        if clause := _trimmed(text, start, cut_start, joined):
            clauses.append(replace(clause, joined="weak") if _NOUNS.match(clause.text) else clause)
            joined = kind
        elif kind == "strong":
            joined = kind
        start = cut_end
    return tuple(clauses)


def borrow_head(head: str, tail: str) -> str:
    """Complete the second part of a list with the verb of the first part.

    >>> borrow_head("check my appointments", "billing")
    'check my billing'
    >>> borrow_head("show me the hours", "my invoices")
    'show me my invoices'
    >>> borrow_head("please cancel order 12", "my appointment")
    'please cancel my appointment'
    """
    begun = re.match(r"(.*?\b)(my|the|your|our|any|all|both|if|about)\b", head)
    if begun is None:
        verb = next((n for n, word in enumerate(head.split(), start=1) if deeds_of(word)), 0)
        return " ".join((*head.split()[:verb], tail))
    own = re.match(r"(?:my|the|your|our|any|all)\b", tail)
    return f"{begun[1]}{tail}" if own else f"{begun[1]}{begun[2]} {tail}"


def _cuts(text: str, whole: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, str]]:
    strong = [
        (match.start(), match.end(), "strong")
        for match in _STRONG.finditer(text)
        if not (match["mark"] == "." and _ABBREVIATION.search(text[: match.start()]))
    ]
    weak = [
        (match.start(), match.end(), "weak")
        for match in _WEAK.finditer(text)
        if not any(match.start() < end and start < match.end() for start, end, _ in strong)
    ]
    for start, end, kind in sorted(strong + weak):
        if not any(start < last and first < end for first, last in whole):
            yield start, end, kind


def _trimmed(text: str, start: int, end: int, joined: str) -> Clause | None:
    piece = text[start:end]
    stripped = piece.strip(" \t\r\n,;:.?!-–—")
    if not re.search(r"\w", stripped):
        return None
    first = start + piece.index(stripped)
    return Clause(stripped, first, first + len(stripped), joined)


Stance: TypeAlias = Literal["request", "statement", "negated", "retracted"]
"""``request``: asks or orders. ``statement``: describes a situation, which may be an indirect request.
``negated``: says what the customer does not want. ``retracted``: takes back all earlier requests."""

_RETRACTED: Final = re.compile(
    r"^(?:oh |ah |wait |no |hm+ |sorry |actually |on second thoughts? |ok |okay |well )*"
    r"(?:never ?mind|nevermind|scratch that|forget (?:it|that|about it)|don't|do not|don't do (?:it"
    r"|that|anything)"
    r"|do nothing|leave it|just kidding|kidding|only joking|keep it|stop"
    r"|(?:no|absolutely|certainly|of course|definitely|hell) (?:way|not|no)|not at all"
    r"|(?:neither|none)(?: of (?:them|these|those|it|the two|both))?(?: sorry| thanks| thank you)?"
    r"|no|nope|nah|no thanks|no thank you|(?:i )?changed my mind|not (?:yet|now|today"
    r"|anymore))(?: please| then| actually)?$"
)

# A negation of an action. "I don't know", "hasn't come" and "can't come" are none.
_NEGATED: Final = re.compile(
    r"(?:^|\b(?:please|so|and|just|actually|but|kindly|ever|you) )(?:do not|don't|dont|never)\b"
    r"|\b(?:i|we)(?: really| certainly| still| do| also)? ?(?:do not|don't|dont|didn't|did not|wouldn't"
    r"|never)"
    r"(?: really| actually| even)? (?:want|need|wish|plan|intend|mean|ask|like|ask you)(?: you)?(?: for)?"
    r" (?:to|a|an|any|anything|anyone|you|new|another)\b"
    r"|\bno need\b|\bneed ?n[o']t\b|\bneed not\b|\bnot necessary\b|\bunnecessary\b|\bno reason to\b"
    r"|\b(?:i|we) (?:never|didn't|did not|haven't|have not) (?:said|say|ask|asked|want|wanted|tell|told"
    r"|mean|meant|request|requested)\b"
    r"|\b(?:don't|do not|didn't|never) (?:want|need|wish) .*\bto (?:be|get)\b"
    r"|\bunder no circumstances\b|\bon no account\b|\bby no means\b"
    r"|\bdon't (?:have|need) to\b|\bno longer (?:want|need|wish) (?:you )?to\b|\bmust ?n[o']t\b"
    r"|\bnever ?mind\b|\bforget (?:about )?\b|\bskip\b|\bignore\b"
    r"|\b(?:leave|keep) (?:my|the|that|this|it|them|everything|all|both|our|order|things)\b"
    r"|\brather (?:not|than)\b|\binstead of\b|\bwithout\b|\bnothing (?:to|needs)\b|\bno (?:changes?"
    r"|cancell?ations?)\b"
    r"|^not (?!able|sure|going)|\b(?:is|am|are|was|'m|'s|'re) ?(?:not|n't) (?:asking|trying|here"
    r"|looking|about|calling|going to ask|talking)\b"
    r"|\bisn't about\b|\bstop (?:trying|cancell?ing|book)"
    r"|\b(?:shouldn't|should not|won't|will not|mustn't) (?:be )?(?:cancel|book|chang|mov|reschedul"
    r"|updat|delet)"
    r"|\b(?:better|best) not\b"
)

# Questions of general knowledge, which no lookup of the customer's data answers.
_KNOWLEDGE: Final = re.compile(
    r"\bhow (?:often|long) (?:should|does|do|can|is|will)\b|\bhow (?:do|should|can|would) (?:i|you|one"
    r"|we) (?:clean|wash|wear|store|use|fix|repair|choose|know)"
    r"|\b(?:are|is|do|does|will|can) .*\b(?:good|bad|safe|healthy|comfortable|dangerous|harmful"
    r"|worth it|better|hurt|cause|give (?:people|you|one))\b(?!.*\b(?:day|time|for me)\b)"
    r"|\bwhich .*\b(?:is|are) (?:good|best|better|healthy)\b|\brecommend|\bdifference between\b"
    r"|\bmade of\b|\bdo you (?:have|sell|stock|carry) (?!any (?:free|open|slot|time|avail)|(?:anything"
    r"|something|any|a) (?:free|open|slot|avail)|an? (?:slot|opening|appointment|time)|time|room|free"
    r"|avail|my|order|openings?|slots?|appointments?)"
)

_ASKING: Final = re.compile(
    r"^(?:(?:please|ok|okay|so|well|hi|hello|hey|oh|just|only|and|yes|also|actually|first|now|kindly"
    r"|pls|then|but|instead) )*"
    r"(?:can|could|would|will|do|does|is|are|am|has|have|did|may|what|what's|whats|when|when's|where"
    r"|where's|wheres|which|who|who's|how|how's|hows|why|whether|any"
    r"|i'd|i would|i want|i wanna|i need|i'd like|i wish|i have to|i must|we need|we'd|we want|let|tell"
    r"|show|give|check|see|find|look|list|get|send|put|take|make|set|book|reserve|schedule"
    r"|arrange|cancel|delete|remove|drop|scrap|move|shift|push|change|update|correct|replace|reschedule"
    r"|postpone|track|confirm|add|call|remind|explain|help|pay|use|switch|bring)\b"
)


def is_knowledge(clause: str) -> bool:
    """Whether a lower-case clause asks about general knowledge.

    >>> is_knowledge("how often should i replace my lenses"), is_knowledge("how much do i owe")
    (True, False)
    """
    return bool(_KNOWLEDGE.search(clause))


def stance_of(clause: str) -> Stance:
    """Classify a lower-case clause. An ambiguous clause is no request.

    >>> [stance_of(text) for text in ("cancel my order", "i've got a new number")]
    ['request', 'statement']
    >>> [stance_of(text) for text in ("don't cancel anything", "no need to reschedule", "actually, don't")]
    ['negated', 'negated', 'retracted']
    >>> [stance_of(text) for text in ("i can't make it on tuesday", "i don't need order 10533 any more")]
    ['statement', 'statement']
    """
    words = re.sub(r"[,;:]", "", clause)
    if _RETRACTED.search(words):
        return "retracted"
    if _NEGATED.search(words):
        return "negated"
    return "request" if _ASKING.search(words) else "statement"


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
    """Returns the actions that lower-case words mention.

    >>> sorted(deeds_of("push my appointment to friday")), sorted(deeds_of("where is my order"))
    (['shift'], [])
    """
    return frozenset(deed for deed, pattern in _DEEDS.items() if pattern.search(words))


def deed_of(spec: ToolSpec) -> frozenset[Deed]:
    """Returns the actions of a tool, from its name; none for a tool that only reads.

    >>> sorted(deed_of(ToolSpec(name="cancel_order", description="", parameters={}, effect="write")))
    ['end']
    """
    return deeds_of(spec.name.replace("_", " ").lower()) if spec.effect == "write" else frozenset()


def is_question(clause: str) -> bool:
    """Whether a lower-case clause asks for information. "can I" and "could you" ask for an action instead.

    >>> is_question("when are you open"), is_question("can i come on friday")
    (True, False)
    """
    return bool(_QUESTION.search(clause))


_REWRITTEN: Final = (
    # "I don't need my Tuesday slot any more" is an order, but contains no verb for cancelling.
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
    """Rephrase a clause in common words, before its meaning is compared.

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
