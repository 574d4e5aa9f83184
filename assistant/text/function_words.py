"""Words that say nothing by themselves. Negations and numbers are not among them: they turn a sentence round."""

from typing import Final


def _each(text: str) -> frozenset[str]:
    return frozenset(text.split())


_ENGLISH: Final = _each("""
    a about after all also am an and any anything are as at back be because been before being both but by
    can could did do does doing down else everything for from further had has have having he her here hers
    him his how i if in into is it its itself just like may me might mine must my myself of off on once one
    ones or other our ours out over own please quite shall she should so some something still such than that
    the their theirs them then there these they thing things this those through to together too under until
    up us very was we well were what when where whether which while who will with would you your yours
    yourself
""")
_GERMAN: Final = _each("""
    ab aber alle allem allen aller alles als also am an auch auf aus bei beide beiden beides beim bin bis
    bitte da dabei dafür damit dann das dass davon dazu dem den denn der des die dies diese diesem diesen
    dieser dieses doch durch ein eine einem einen einer eines er es etwas für gerade habe haben hat hatte
    heraus hier hinaus ich ihm ihn ihnen ihr ihre ihrem ihren ihrer ihres im in ins ist ja jetzt kann können
    man mal mein meine mich mir mit nach noch nun nur ob oder schon sein seine selbst sich sie sind so soll
    sollen um und uns unser unsere unter vom von vor war waren was wenn werde werden wie wieder will wir
    wird worden wurde wurden zu zum zur zurück zusammen über
""")
_DENIALS: Final = _each("""
    no not never none nothing nobody neither nor cannot without kein keine keinen keinem keiner keines nicht nichts
    nie niemals niemand weder ohne
""")
_TAILS: Final = ("'ll", "'ve", "'re", "'s", "'d", "'m")


def carries_meaning(word: str, locale: str = "en") -> bool:
    """Whether a lower-case word says something by itself; German for "de", English for every other locale.

    >>> [word for word in ("i'll", "check", "your", "billing", "don't") if carries_meaning(word)]
    ['check', 'billing', "don't"]
    """
    return _whole(word) not in (_GERMAN if locale.partition("-")[0] == "de" else _ENGLISH)


def denies(word: str) -> bool:
    """Whether a lower-case word turns a sentence round.

    >>> [word for word in ("no", "couldn't", "know", "keine") if denies(word)]
    ['no', "couldn't", 'keine']
    """
    return word in _DENIALS or word.endswith("n't")


def _whole(word: str) -> str:
    """The word without what is drawn together with it: "i'll" is "i"."""
    for tail in _TAILS:
        if word.endswith(tail):
            return word.removesuffix(tail)
    return word
