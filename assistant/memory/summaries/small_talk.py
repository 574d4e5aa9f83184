"""Tells a sentence that says something from one that is only polite; English and German."""

from typing import Final

from assistant.text.function_words import carries_meaning
from assistant.text.words import words

_ENGLISH: Final = """
    thank thanks hello hi hey ok okay yes yeah yep sure fine great good perfect nice lovely wonderful super cool
    alright right bye goodbye welcome sorry pardon morning afternoon evening day moment wait hold minute second
    really much lot again help helps helped helping let see know got understand understood question hmm oh ah well
"""
_GERMAN: Final = """
    danke dank hallo moin tag morgen abend guten gut ja jo gern gerne super prima toll klar schön wunderbar okay
    bis bald tschüss wiedersehen entschuldigung verzeihung moment warten hilfe geholfen verstanden verstehe frage
    sehr vielen lieben herzlichen grüße weiter
"""
_POLITE: Final = frozenset((_ENGLISH + _GERMAN).split())
_ENOUGH: Final = 2


def says_something(text: str, locale: str = "en") -> bool:
    """Whether enough is left of the sentence without what is only polite.

    >>> [says_something(said) for said in ("Thank you very much!", "Oh, I see.", "Please ring twice.")]
    [False, False, True]
    """
    return sum(word not in _POLITE and carries_meaning(word, locale) for word in words(text)) >= _ENOUGH
