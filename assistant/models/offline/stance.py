"""How a clause is meant: as a request, as the opposite of one, or only as talk about it."""

import re
from typing import Final, Literal, TypeAlias

Stance: TypeAlias = Literal["request", "statement", "musing", "negated", "retracted"]
"""``request``: asks or orders. ``statement``: tells how things are, which may be a request between the lines.
``musing``: asks about a deed, thinks it over or reports it; nothing may be done on it. ``negated``: says what
is not wanted. ``retracted``: takes back whatever was asked before."""

_RETRACTED: Final = re.compile(
    r"^(?:oh |ah |wait |no |hm+ |sorry |actually |on second thoughts? |ok |okay |well )*"
    r"(?:never ?mind|nevermind|scratch that|forget (?:it|that|about it)|don't|do not|don't do (?:it|that|anything)"
    r"|do nothing|leave it|just kidding|kidding|only joking|keep it|stop"
    r"|(?:i )?changed my mind|hold on|not (?:yet|now|today|anymore))(?: please| then| actually)?$"
)

# A negation that is aimed at doing something; "I don't know", "hasn't come" and "can't come" are not.
_NEGATED: Final = re.compile(
    r"(?:^|\b(?:please|so|and|just|actually|but|kindly|ever|you) )(?:do not|don't|dont|never)\b"
    r"|\b(?:i|we)(?: really| certainly| still| do| also)? ?(?:do not|don't|dont|didn't|did not|wouldn't|never)"
    r"(?: really| actually| even)? (?:want|need|wish|plan|intend|mean|ask|like|ask you)(?: you)?(?: for)?"
    r" (?:to|a|an|any|anything|anyone|you|new|another)\b"
    r"|\bno need\b|\bneed ?n[o']t\b|\bneed not\b|\bnot necessary\b|\bunnecessary\b|\bno reason to\b"
    r"|\bdon't (?:have|need) to\b|\bno longer (?:want|need|wish) (?:you )?to\b|\bmust ?n[o']t\b"
    r"|\bnever ?mind\b|\bforget (?:about )?\b|\bskip\b|\bignore\b"
    r"|\b(?:leave|keep) (?:my|the|that|this|it|them|everything|all|both|our|order|things)\b"
    r"|\brather (?:not|than)\b|\binstead of\b|\bwithout\b|\bnothing (?:to|needs)\b|\bno (?:changes?|cancell?ations?)\b"
    r"|^not (?!able|sure|going)|\b(?:is|am|are|was|'m|'s|'re) ?(?:not|n't) (?:asking|trying|here|looking|about|calling|going to ask|talking)\b"
    r"|\bisn't about\b|\bstop (?:trying|cancell?ing|book)"
    r"|\b(?:shouldn't|should not|won't|will not|mustn't) (?:be )?(?:cancel|book|chang|mov|reschedul|updat|delet)"
    r"|\b(?:better|best) not\b"
)

# Talk about a deed: conditions, doubts, how-to's, what happened, other people's words.
_MUSING: Final = re.compile(
    r"\b(?:how (?:do|can|could|would|does|should|to|long do|much (?:does|would|is) it (?:cost )?to)|what (?:happens|would happen|if|are the)"
    r"|what's the (?:fee|penalty|process|policy|procedure|deadline)|should (?:i|we)|do (?:i|you) (?:have to|charge|allow|need to)"
    r"|is it (?:possible|ok|okay|free|too late|still possible|better|allowed)|(?:would|will) (?:it|there|i be|i have|you charge)"
    r"|might|may (?:have|need|want) to|maybe|perhaps|possibly|thinking (?:about|of)|considering|think i|tempted|wonder(?:ing)?|not sure|unsure|if i|if we|in case|unless|suppose|what about if"
    r"|until when can|can i still|am i able|are we able|who (?:cancel|book|chang|mov)\w*|why (?:did|was|were|has|have|is|are|do|does)|did (?:you|i|we|someone|somebody|my|the)"
    r"|(?:has|have|was|were|had|is|are) (?:my|the|it|that|this|you|we|i|order|anyone|someone|somebody)(?: \w+)* (?:been |already |really |just )*\w+(?:ed|en|nged)\b"
    r"|fee|policy|policies|allowed to|deadline)\b"
)
_REPORTED: Final = re.compile(
    r"\b(?:i|we|you|he|she|they|someone|somebody|wife|husband|mother|sister|brother|friend|colleague|neighbou?r|who|it|that|which|got|was|were|been|already|just|have|had|'ve|has)"
    r"(?: have| had| already| just|'ve| has| accidentally| almost| nearly)* (?P<deed>(?!need|want|reach|act)\w+ed)\b"
)
_WANTED: Final = re.compile(
    r"\b(?:want|like|need|please|get|have (?:you|it|my|the)|would|could|can|must|should|to be)\b.*"
)
_ASKING: Final = re.compile(
    r"^(?:(?:please|ok|okay|so|well|hi|hello|hey|oh|just|only|and|yes|also|actually|first|now|kindly|pls|then|but|instead) )*"
    r"(?:can|could|would|will|do|does|is|are|am|has|have|did|may|what|what's|whats|when|when's|where|where's|wheres|which|who|who's|how|how's|hows|why|whether|any"
    r"|i'd|i would|i want|i wanna|i need|i'd like|i wish|i have to|i must|we need|we'd|we want|let|tell|show|give|check|see|find|look|list|get|send|put|take|make|set|book|reserve|schedule"
    r"|arrange|cancel|delete|remove|drop|scrap|move|shift|push|change|update|correct|replace|reschedule|postpone|track|confirm|add|call|remind|explain|help|pay|use|switch|bring)\b"
)


def stance_of(clause: str) -> Stance:
    """Judge a lower-case clause. When in doubt it is not a request.

    >>> [stance_of(text) for text in ("cancel my order", "i've got a new number", "should i cancel it")]
    ['request', 'statement', 'musing']
    >>> [stance_of(text) for text in ("don't cancel anything", "no need to reschedule", "actually, don't")]
    ['negated', 'negated', 'retracted']
    >>> [stance_of(text) for text in ("i can't make it on tuesday", "i don't need order 10533 any more")]
    ['statement', 'statement']
    >>> [stance_of(text) for text in ("i cancelled my order yesterday", "i'd like my order cancelled")]
    ['musing', 'request']
    """
    words = re.sub(r"[,;:]", "", clause)
    if _RETRACTED.search(words):
        return "retracted"
    if _NEGATED.search(words):
        return "negated"
    if _MUSING.search(words) or (_REPORTED.search(words) and not _WANTED.search(words)):
        return "musing"
    return "request" if _ASKING.search(words) else "statement"
