"""Waiting hints: what the customer is told while a tool runs.

A hint has two forms, "looking up your orders" and "look up your orders". This module derives one from the
other, checks the hints that a tool declares for each locale, and reports mistakes and doubts.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import cast

from assistant.conversation.tool_spec import Hint
from assistant.language.numbers import word_list
from assistant.prompts.locale import language
from assistant.prompts.words import HintForms, Never, read_words
from assistant.shipped import shipped
from assistant.tools.options import Options, is_locale

_LISTED = """
accept access activate add adjust advise agree allow analyse analyze answer apply approve archive arrange
ask assess assign attach authorise authorize award back be begin bill block book break bring browse build
bundle buy calculate call cancel capture change charge check choose claim clarify clean clear close
collect compare compile complete compute configure confirm connect consult contact control convert copy
correct count create credit cycle deactivate decide deduct delay delete deliver detect determine diagnose
dial dig disable discuss dispatch do download draft draw drop edit email enable end enquire ensure enter
escalate estimate evaluate examine exchange expand expedite explore export extend extract fetch figure
file fill filter finalise finalize find finish fire fix flag follow forget forward free gather generate
get give go grab grant guarantee handle have help hire hold identify import improve include increase
inform initiate inquire inspect install investigate invite invoice issue jog join keep label learn leave
let lie link list listen load locate lock log look mail make map mark match measure merge message mimic
modify monitor move navigate note notify obtain open optimise optimize order organise organize oversee
page park pass pause pay perform permit pick place plan play plug post prepare press prevent print
process produce prove provide publish pull purchase push put query queue raise reach read receive
recommend record recover redeem reduce refer refresh refund register reject release remind remove renew
repair repeat replace reply report request require reschedule reserve reset resolve restart restore
retrieve return reverse review route run save scan schedule search see select sell send serve set settle
share shift ship show sign simplify solve sort speak start stop store submit subscribe sum suspend swap
switch sync tag take talk tell test tie trace track transfer translate travel try turn unlock update
upgrade upload use validate verify view visit wait walk watch weigh withdraw work wrap write zip
"""

VERBS = frozenset(_LISTED.split())
"""Verbs in their base form. Of two verbs with the same gerund ("routing": rout, route), only the usual
one."""


_NOT_GERUNDS = frozenset(
    word_list(
        "anything bring ceiling cling darling during evening everything fling king morning nothing ring sing "
        "sling something spring sting string swing thing wing"
    )
)
_PARTICLES = {"at", "back", "down", "for", "in", "into", "off", "on", "out", "over", "through", "up"}
_DETERMINERS = frozenset(
    word_list("a all an any each every her his it its my our that the their them these this those your")
)
_ADVERBS = {"also", "first", "just", "next", "now", "soon", "still", "then"}
_CONJUNCTIONS = {"and", "or"}
_BEFORE_THE_VERB = re.compile(r"\A(?:i['’]ll|i will|i shall|will|let me|to)\s+", re.IGNORECASE)
_PREFIXES = ("re", "un", "over", "under", "up", "down", "pre", "mis", "out", "dis")
_LONGEST_HINT = 80


@lru_cache(maxsize=1024)
def infinitive(hint: str) -> str:
    """Turn a gerund phrase into the phrase after "I'll".

    >>> infinitive("looking up your appointments")
    'look up your appointments'
    >>> infinitive("finding and booking a slot")
    'find and book a slot'
    >>> infinitive("checking shipping and handling")
    'check shipping and handling'
    """
    words = hint.split(" ")
    verbs = set(_verb_positions(words))
    return " ".join(_base(word) if at in verbs else word for at, word in enumerate(words))


def hint_problem(hint: str) -> str | None:
    """Returns the reason why a hint is not an English gerund phrase, with what would be right.

    Returns None if it is one.

    >>> hint_problem("Please wait.")
    "should be a gerund phrase such as 'looking up your invoices'"
    """
    cured = " ".join(hint.split()).rstrip(".,;:!?… ")
    cured = cured[:1].lower() + cured[1:]
    if not _is_gerund(_opening(cured)):
        return "should be a gerund phrase such as 'looking up your invoices'"
    if cured != hint:
        return f"should be {cured!r}: it is used in the middle of a sentence"
    if len(hint) > _LONGEST_HINT:
        return f"should be at most {_LONGEST_HINT} characters long, to be said in one breath"
    return None


def will_problem(will: str) -> str | None:
    """Returns the reason why a phrase cannot follow "I'll", with what would be right. Returns None if it can.

    >>> print(will_problem("looking it up"))
    should be 'look it up': "I'll" already precedes it
    """
    cured = _BEFORE_THE_VERB.sub("", will)
    if _is_gerund(_opening(cured)):
        cured = infinitive(cured)
    return None if cured == will else f'should be {cured!r}: "I\'ll" already precedes it'


def _opening(phrase: str) -> str:
    """Returns the first word that may be the verb."""
    return next((word for word in phrase.split(" ") if not _is_adverb(word)), "").rstrip(",")


def _verb_positions(words: list[str]) -> Iterator[int]:
    """Yields the positions of the verbs, without gerunds that are nouns ("shipping costs")."""
    due, follows = True, False
    for at, word in enumerate(words):
        plain = word.rstrip(",")
        if due and _is_adverb(plain):
            continue
        if due and _is_gerund(plain):
            yield at
            due, follows = word.endswith(","), True
        elif plain in _CONJUNCTIONS:
            due, follows = follows or _takes_object(words[at + 1 :]), False
        else:
            follows = follows and plain in _PARTICLES
            due = follows and word.endswith(",")


def _takes_object(words: list[str]) -> bool:
    """Whether the next gerund has an object: "and checking its status", but not "and handling fees"."""
    rest = [word for word in words if not _is_adverb(word)]
    following = [word for word in rest[1:] if word not in _PARTICLES]
    return bool(following) and _is_gerund(rest[0]) and following[0] in _DETERMINERS


def _is_adverb(word: str) -> bool:
    return word in _ADVERBS or (word.endswith("ly") and len(word) > 3)


def _is_gerund(word: str) -> bool:
    return re.fullmatch(r"[a-z-]*[a-z]{2}ing", word) is not None and word not in _NOT_GERUNDS


def _base(word: str) -> str:
    """Returns the base form of one gerund. A comma stays, and so does a prefix before a hyphen.

    >>> _base("re-sending"), _base("mimicking"), _base("tying"), _base("finding,")
    ('re-send', 'mimic', 'tie', 'find,')
    """
    gerund = word.rstrip(",")
    before, hyphen, verb = gerund.rpartition("-")
    found = _known(verb) or _behind_prefix(verb) or _from_dictionary(verb)
    return before + hyphen + found + word[len(gerund) :]


def _known(gerund: str) -> str | None:
    stem = gerund.removesuffix("ing")
    forms = [stem, stem + "e"]
    if stem[-1:] == stem[-2:-1] or stem.endswith("ck"):
        forms.append(stem[:-1])
    if stem.endswith("y"):
        forms.append(stem[:-1] + "ie")
    return next((form for form in forms if form in VERBS), None)


def _behind_prefix(gerund: str) -> str | None:
    for prefix in _PREFIXES:
        if gerund.startswith(prefix) and (verb := _known(gerund.removeprefix(prefix))):
            return prefix + verb
    return None


def _from_dictionary(gerund: str) -> str:
    # It takes fifty megabytes and nearly a second, so it is imported only for verbs that are not listed.
    import lemminflect  # pyright: ignore[reportMissingTypeStubs]

    lemmas = cast("tuple[str, ...]", lemminflect.getLemma(gerund, upos="VERB"))  # pyright: ignore[reportUnknownMemberType]
    return lemmas[0] if lemmas and lemmas[0] != gerund else gerund.removesuffix("ing")


_MOST_WORDS = 8

_UNSAYABLE: Sequence[tuple[re.Pattern[str], str]] = (
    (
        re.compile(r"[{}<>\[\]]|%[a-z(]"),
        "should have no placeholder: a hint is the same for every call; say 'your order', not which",
    ),
    (
        re.compile(r"[_\\=|*`^~]|\w\("),
        "should be in the customer's words, not in those of the code",
    ),
)
"""Patterns of characters that cannot be spoken, or that a customer cannot read."""

_DOUBTFUL: Sequence[tuple[re.Pattern[str], str]] = (
    (re.compile(r"\d"), "it has a number or id in it, and a hint is the same for every call"),
    (re.compile(r"[a-z][A-Z]|\w\.\w|[/@#$%]"), "it looks like code; use the customer's words"),
)


@dataclass(frozen=True, slots=True)
class Doubt:
    """A hint that makes a correct sentence, but maybe not the intended one.

    ``form`` is "doing" or "will"; ``why`` says what may be wrong.
    """

    locale: str
    form: str
    phrase: str
    why: str


def unsayable(phrase: str) -> str | None:
    """Returns what would be right, for a phrase that makes no sentence in either form, or None if it makes
    one.

    >>> unsayable("cancelling order {number}")
    "should have no placeholder: a hint is the same for every call; say 'your order', not which"
    >>> unsayable("looking up your stay")
    """
    return next((cure for shape, cure in _UNSAYABLE if shape.search(phrase)), None)


def doubts(hints: Mapping[str, Hint], never: Mapping[str, Sequence[Never]]) -> Iterator[Doubt]:
    """Yields the doubtful hints of a tool, at most one for each locale.

    ``never`` has, for each locale, the words that hints seldom contain on purpose, from its file.
    """
    for locale, hint in hints.items():
        forms = (("doing", hint.doing), ("will", hint.will))
        found = ((form, phrase, _doubt(phrase, never.get(locale, ()))) for form, phrase in forms)
        yield from [Doubt(locale, form, phrase, why) for form, phrase, why in found if why][:1]


def _doubt(phrase: str, never: Sequence[Never]) -> str | None:
    for shape, why in _DOUBTFUL:
        if shape.search(phrase):
            return why
    for rule in never:
        if word := rule.found(phrase):
            return f"{word!r} is doubtful: {rule.because}"
    if len(phrase.split()) > _MOST_WORDS:
        return f"it has more than {_MOST_WORDS} words, and the sentence can name other tools too"
    return None


_LONGEST = 80
_EXAMPLE = "{'de': ('Ihre Termine heraussuchen', 'suche Ihre Termine heraus')}"
_FORMS = f"should map a locale to its two forms, such as {_EXAMPLE}"


def read_hints(options: Options) -> tuple[dict[str, Hint], list[str]]:
    """Returns each locale's hint in its two forms, and the mistakes. "" declares a tool without a hint."""
    hints: dict[str, Hint] = {}
    problems = list(_english(options, hints))
    if isinstance(options.hints, Mapping):
        for locale, forms in cast("Mapping[object, object]", options.hints).items():
            problems += _translated(locale, forms, hints)
    else:
        problems.append(f"hints {options.hints!r} {_FORMS}")
    return hints, problems


def doubts_in(hints: Mapping[str, Hint]) -> list[Doubt]:
    """Returns the doubtful hints of a tool.

    They make correct sentences, and customers will get them unchanged.
    """
    return list(doubts(hints, {locale: _forms_of(language(locale)).never for locale in hints}))


def _english(options: Options, hints: dict[str, Hint]) -> Iterator[str]:
    doing, will = options.waiting_hint, options.will
    if doing is None:
        yield "has no waiting_hint; say what it does, as 'looking up your invoices', or '' for nothing"
        return
    if not isinstance(doing, str):
        yield f"waiting_hint {doing!r} should be a text in English; other languages go into hints={{...}}"
        return
    if will is not None and not (isinstance(will, str) and _is_clause(will)):
        yield f"will {will!r} should be a plain clause that follows 'I'll', such as 'look up your invoices'"
        return
    problem = (hint_problem(doing) or unsayable(doing)) if doing else None
    if problem:
        yield f"waiting_hint {doing!r} {problem}"
    elif will is not None and (problem := will_problem(will) or unsayable(will)):
        yield f"will {will!r} {problem}"
    elif doing:
        hints["en"] = Hint(doing=doing, will=will or infinitive(doing))


def _translated(locale: object, forms: object, hints: dict[str, Hint]) -> Iterator[str]:
    hint = _two_forms(forms)
    if not is_locale(locale) or hint is None:
        yield f"hints {{{locale!r}: {forms!r}}} {_FORMS}"
        return
    if locale == "en":
        yield "hints has 'en'; write it as waiting_hint=, and will= where English does not derive it"
        return
    problems = [*_form_problems(locale, "doing", hint.doing), *_form_problems(locale, "will", hint.will)]
    if not problems:
        hints[locale] = hint
    yield from problems


def _two_forms(forms: object) -> Hint | None:
    if isinstance(forms, Hint):
        return forms
    if not isinstance(forms, tuple | list):
        return None
    match cast("tuple[object, ...]", forms):
        case [str(doing), str(will)]:
            return Hint(doing=doing, will=will)
        case _:
            return None


def _form_problems(locale: str, form: str, phrase: str) -> Iterator[str]:
    where = f"hints[{locale!r}]: {form} {phrase!r}"
    if not _is_clause(phrase):
        yield f"{where} should be a plain clause, without a full stop: it is used in the middle of a sentence"
        return
    if len(phrase) > _LONGEST:
        yield f"{where} should be at most {_LONGEST} characters long, to be said in one breath"
        return
    forms = _forms_of(language(locale))
    rule = getattr(forms, form)
    if (rule is not None and (cure := rule.problem(phrase))) or (cure := unsayable(phrase)):
        yield f"{where} {cure}"


@cache
def _forms_of(locale: str) -> HintForms:
    """Returns the rules of a language of the package; none for any other language."""
    file = shipped("prompts") / "locales" / f"{locale}.toml"
    if not file.is_file():
        return HintForms()
    return read_words(file.read_text(encoding="utf-8"), f"prompts/locales/{locale}.toml").hints


def _is_clause(text: str) -> bool:
    return re.search(r"\w", text) is not None and text == " ".join(text.split()).rstrip(".,;:!?…")
