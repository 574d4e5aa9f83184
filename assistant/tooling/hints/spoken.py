"""A tool's waiting hints, locale by locale, from what a CRM team wrote."""

import re
from collections.abc import Iterator, Mapping
from functools import cache
from typing import cast

from assistant.conversation.tool_spec import Hint
from assistant.prompts.hint_forms import HintForms
from assistant.prompts.language import language
from assistant.prompts.words import read_words
from assistant.shipped import shipped
from assistant.tooling.declare.options import Options, is_locale
from assistant.tooling.hints.hints import hint_problem, infinitive, will_problem
from assistant.tooling.hints.lint import Doubt, doubts, unsayable

_LONGEST = 80
_EXAMPLE = "{'de': ('Ihre Termine heraussuchen', 'suche Ihre Termine heraus')}"
_FORMS = f"should map a locale to its two forms, such as {_EXAMPLE}"


def read_hints(options: Options) -> tuple[dict[str, Hint], list[str]]:
    """Each locale's hint in its two forms, and what is wrong; "" is a tool without words of its own."""
    hints: dict[str, Hint] = {}
    problems = list(_english(options, hints))
    if isinstance(options.hints, Mapping):
        for locale, forms in cast("Mapping[object, object]", options.hints).items():
            problems += _translated(locale, forms, hints)
    else:
        problems.append(f"hints {options.hints!r} {_FORMS}")
    return hints, problems


def doubts_in(hints: Mapping[str, Hint]) -> list[Doubt]:
    """What in a tool's hints may not be meant: it makes a sentence, and customers will hear it as it stands."""
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
        yield f"{where} should be a plain clause, without a full stop: it stands in the middle of a sentence"
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
    """The rules of a language that comes with the package; none for another."""
    file = shipped("prompts") / "locales" / f"{locale}.toml"
    if not file.is_file():
        return HintForms()
    return read_words(file.read_text(encoding="utf-8"), f"prompts/locales/{locale}.toml").hints


def _is_clause(text: str) -> bool:
    return re.search(r"\w", text) is not None and text == " ".join(text.split()).rstrip(".,;:!?…")
