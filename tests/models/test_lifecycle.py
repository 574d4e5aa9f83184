"""Models with an announced end, and the names that our own pages use."""

import re
from datetime import date
from pathlib import Path

from assistant.models.lifecycle import CURRENT, READ_ON, RETIREMENTS, retirement_of
from assistant.models.providers import DirectName, read_name
from tests.support.rows import check_rows

ROOT = Path(__file__).parents[2]
PAGES = [
    ROOT / "README.md",
    ROOT / ".env.example",
    *(path for path in (ROOT / "docs").rglob("*.md") if "lab" not in path.parts),
    *(ROOT / "assistant").rglob("*.example.txt"),
]
NAMED = re.compile(r"\b(openai|anthropic|xai)/((?:gpt|claude|grok|o\d)[\w.-]*\w)")


@check_rows(
    ("model", "on"),
    [
        ("gpt-4o", date(2027, 1, 14)),
        ("openai/gpt-4o-2024-08-06", date(2027, 1, 14)),
        ("azure/gpt-4.1-mini", date(2027, 1, 14)),
        ("gpt-5", date(2026, 12, 11)),
        ("gpt-5-mini-2025-08-07", date(2026, 12, 11)),
        ("anthropic/claude-sonnet-4-5", date(2026, 11, 30)),
        ("claude-sonnet-4-5-20250929", date(2026, 11, 30)),
        ("claude-sonnet-4-20250514", date(2026, 6, 15)),
        ("gemini/gemini-2.5-flash", date(2026, 12, 1)),
        ("xai/grok-4-fast-reasoning", date(2026, 5, 15)),
        ("gpt-4.1-our-own", None),
        ("gpt-5.6-terra", None),
        ("gemini/gemini-2.5-flash-lite", None),
        ("claude-sonnet-4-6", None),
        ("offline", None),
    ],
)
def test_an_announced_end_is_known_for_every_snapshot(model: str, on: date | None) -> None:
    ending = retirement_of(model)

    assert (ending.on if ending else None) == on


def test_our_examples_use_models_that_stay() -> None:
    assert all(retirement_of(model) is None for model in CURRENT.values())
    assert all(
        read_name(f"{provider}/{model}") == DirectName(provider, model) for provider, model in CURRENT.items()
    )
    assert all(retirement_of(ending.replacement) is None for ending in RETIREMENTS)
    assert date(2026, 1, 1) < READ_ON


def test_pages_name_no_other_models() -> None:
    named = {
        (page.relative_to(ROOT).as_posix(), provider, model)
        for page in PAGES
        for provider, model in NAMED.findall(page.read_text(encoding="utf-8"))
    }

    assert len(named) > 5
    assert {one for one in named if CURRENT[one[1]] != one[2]} == set()
