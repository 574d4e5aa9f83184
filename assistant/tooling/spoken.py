"""A tool's waiting hints, locale by locale, from what a CRM team wrote."""

import re
from collections.abc import Mapping
from typing import cast

from assistant.conversation.tool_spec import Hint
from assistant.tooling.hints import hint_problem, infinitive
from assistant.tooling.options import Options

_LOCALE = re.compile(r"[a-z]{2,3}(-[A-Za-z0-9]{2,8})*")


def read_hints(options: Options) -> tuple[dict[str, Hint], list[str]]:
    """Each locale's hint in its two forms, and what is wrong; "" is a tool without words of its own."""
    problems: list[str] = []
    if options.waiting_hint is None:
        return {}, ["has no waiting_hint; say what it does, as 'looking up your invoices', or '' for nothing"]
    doing = _per_locale("waiting_hint", options.waiting_hint, problems)
    will = _per_locale("will", options.will, problems)
    problems += [f"will has {locale!r}, waiting_hint has not" for locale in will if locale not in doing]
    hints: dict[str, Hint] = {}
    for locale, hint in doing.items():
        problem = _problem(locale, hint, will.get(locale))
        if problem:
            problems.append(problem)
        elif hint:
            hints[locale] = Hint(doing=hint, will=will.get(locale) or infinitive(hint))
    return hints, problems


def _per_locale(option: str, written: object, problems: list[str]) -> dict[str, str]:
    """What was written, by locale; a text alone is English."""
    if written is None:
        return {}
    if isinstance(written, str):
        return {"en": written}
    if not isinstance(written, Mapping):
        problems.append(f"{option} {written!r} should be a text, or a text for each locale")
        return {}
    entries = cast("Mapping[object, object]", written)
    fitting = {key: text for key, text in entries.items() if _is_entry(key, text)}
    problems += [
        f"{option} {{{key!r}: {text!r}}} should map a locale such as 'en' to a text"
        for key, text in entries.items()
        if key not in fitting
    ]
    return cast("dict[str, str]", fitting)


def _is_entry(locale: object, text: object) -> bool:
    return isinstance(locale, str) and _LOCALE.fullmatch(locale) is not None and isinstance(text, str)


def _problem(locale: str, hint: str, will: str | None) -> str | None:
    english = locale.split("-")[0] == "en"
    if will is not None and not _is_clause(will):
        return f"will {will!r} should be a plain clause that follows 'I'll', such as 'look up your invoices'"
    if not hint:
        return None
    if english:
        problem = hint_problem(hint)
        return f"waiting_hint {hint!r} {problem}" if problem else None
    if not _is_clause(hint):
        return f"waiting_hint {hint!r} should be a plain clause, without a full stop"
    return None if will else f"waiting_hint in {locale!r} needs its will= beside it: only English is derived"


def _is_clause(text: str) -> bool:
    return re.search(r"\w", text) is not None and text == " ".join(text.split()).rstrip(".,;:!?…")
