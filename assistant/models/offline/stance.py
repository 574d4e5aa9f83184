"""How a clause is meant: as a request, as a statement, or as the opposite of a request."""

import re
from typing import Final, Literal, TypeAlias

Stance: TypeAlias = Literal["request", "statement", "negated", "retracted"]
"""``request``: asks or orders. ``statement``: tells how things are, which may be a request between the lines.
``negated``: says what
is not wanted. ``retracted``: takes back whatever was asked before."""

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

# A negation that is aimed at doing something; "I don't know", "hasn't come" and "can't come" are not.
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

# Questions about the world, which no look-up of the customer's own things answers.
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
    """Whether a lower-case clause asks about the world at large.

    >>> is_knowledge("how often should i replace my lenses"), is_knowledge("how much do i owe")
    (True, False)
    """
    return bool(_KNOWLEDGE.search(clause))


def stance_of(clause: str) -> Stance:
    """Judge a lower-case clause. When in doubt it is not a request.

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
