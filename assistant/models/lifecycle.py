"""Names of models: those that our examples use, and those whose end the provider has announced.

Providers retire models with half a year of notice or less. The tables contain what was published until
``READ_ON``.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date
from typing import Final

from assistant.models.providers import Direct

READ_ON: Final = date(2026, 11, 23)

CURRENT: Final[Mapping[Direct, str]] = {
    "openai": "gpt-6-luna",
    "anthropic": "claude-sonnet-5-5",
    "xai": "grok-4.6",
}
"""The model of each provider in settings, pages and examples. They use no other."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """The announced end of a group of models.

    Attributes:
        models: a pattern for the provider's name of the models, including snapshots.
        on: the date from which requests fail, or are answered by another model.
        replacement: the model that the provider recommends.
        source: the page with the announcement.
    """

    models: re.Pattern[str]
    on: date
    replacement: str
    source: str


def _ends(pattern: str, on: date, replacement: str, source: str) -> Retirement:
    snapshot = r"(-(latest|preview|\d{4,8}(-\d\d-\d\d)?))?"
    return Retirement(
        models=re.compile(rf"(?:{pattern}){snapshot}"), on=on, replacement=replacement, source=source
    )


_OPENAI: Final = "developers.openai.com/api/docs/deprecations"
_ANTHROPIC: Final = "platform.claude.com/docs/en/about-claude/model-deprecations"
_XAI: Final = "docs.x.ai/developers/migration/may-15-retirement"
_GOOGLE: Final = "ai.google.dev/gemini-api/docs/deprecations"

RETIREMENTS: Final = (
    _ends(r"grok-3|grok-4-0709|grok-4(-1)?-fast(-non)?-reasoning", date(2026, 5, 15), "grok-4.3", _XAI),
    _ends(r"claude-(sonnet|opus)-4(-0)?", date(2026, 6, 15), "claude-sonnet-5-5", _ANTHROPIC),
    _ends(r"claude-opus-4-1", date(2026, 8, 5), "claude-opus-5-5", _ANTHROPIC),
    _ends(
        r"gpt-3\.5-turbo|gpt-4(-turbo)?|gpt-4\.1-nano|o1(-pro)?|o3-mini|o4-mini",
        date(2026, 10, 23),
        "gpt-5.6-terra",
        _OPENAI,
    ),
    _ends(r"claude-sonnet-4-5", date(2026, 11, 30), "claude-sonnet-5-5", _ANTHROPIC),
    _ends(r"gemini-2\.5-(pro|flash)", date(2026, 12, 1), "gemini-3.8-flash", _GOOGLE),
    _ends(r"gpt-5(-mini|-nano|-pro)?|o3(-pro)?", date(2026, 12, 11), "gpt-5.6-sol", _OPENAI),
    _ends(r"gpt-4o(-mini)?|gpt-4\.1(-mini)?", date(2027, 1, 14), "gpt-6-luna", _OPENAI),
    _ends(r"gpt-5\.1", date(2027, 4, 1), "gpt-6.1-sol", _OPENAI),
)


def retirement_of(model: str) -> Retirement | None:
    """Returns the announced end of a model, or None if there is no announcement.

    >>> str(retirement_of("litellm/openai/gpt-4o-mini-2024-07-18").on), retirement_of("gpt-6-luna")
    ('2027-01-14', None)
    """
    own = model.rpartition("/")[2]
    return next((one for one in RETIREMENTS if one.models.fullmatch(own)), None)
