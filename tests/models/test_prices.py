"""What replies cost, by a price list."""

import json
import sys
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from assistant.conversation.chunks import StreamEnded
from assistant.models.fallback import Candidate, FallbackModel
from assistant.models.price_list import PriceKey, Prices
from assistant.resilience import CircuitBreaker
from assistant.testing.script import Line
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.models.fallback.several import ASKED

SMALL = PriceKey("small")
LIST = {
    "small": {
        "input_cost_per_token": 2e-6,
        "cache_read_input_token_cost": 5e-7,
        "output_cost_per_token": 8e-6,
        "input_cost_per_token_above_200k_tokens": 4e-6,
        "output_cost_per_token_above_200k_tokens": 1e-5,
        "input_cost_per_token_above_200k_tokens_batches": 1.0,
    },
    "uncached": {"input_cost_per_token": 1e-6, "output_cost_per_token": 1e-6},
    "free": {"input_cost_per_token": 0.0, "output_cost_per_token": 0},
    "pictures": {"output_cost_per_image": 0.04},
}


async def prices_of(model: str, folder: Path, listed: object = LIST) -> Prices:
    path = folder / "prices.json"
    path.write_text(json.dumps(listed))
    prices = Prices(path)
    prices.want(PriceKey(model))
    await prices.load()
    return prices


@pytest.mark.parametrize(
    ("model", "used", "cost"),
    [
        ("small", StreamEnded("stop", 1000, 100), 0.0028),
        ("small", StreamEnded("stop", 1000, 100, cached_tokens=800), 0.0016),
        ("small", StreamEnded("stop", 200_000, 100), 0.4008),
        ("small", StreamEnded("stop", 200_001, 100), 0.801004),
        ("uncached", StreamEnded("stop", 1000, 100, cached_tokens=800), 0.0011),
        ("uncached", StreamEnded("stop", 1000, 100, cached_tokens=5000), 0.0011),
        ("free", StreamEnded("stop", 1000, 100), 0.0),
        ("pictures", StreamEnded("stop", 1000, 100), None),
        ("unheard-of", StreamEnded("stop", 1000, 100), None),
        ("small", StreamEnded("stop", None, 100), None),
        ("small", StreamEnded("stop", 1000, None), None),
    ],
)
async def test_a_reply_costs_what_the_list_says(
    model: str, used: StreamEnded, cost: float | None, tmp_path: Path
) -> None:
    told = (await prices_of(model, tmp_path)).cost(PriceKey(model), used)

    assert told == (None if cost is None else pytest.approx(cost))


async def test_no_price_is_known_before_the_list_is_read() -> None:
    prices = Prices()
    prices.want(SMALL)

    assert prices.cost(SMALL, StreamEnded("stop", 1, 1)) is None


@pytest.mark.parametrize("text", [None, "no json"])
async def test_without_a_readable_list_prices_are_unknown_and_it_is_logged(
    text: str | None, tmp_path: Path
) -> None:
    path = tmp_path / "prices.json"
    if text is not None:
        path.write_text(text)
    prices = Prices(path)
    prices.want(SMALL)

    with capture_logs() as logged:
        await prices.load()

    assert [line["event"] for line in logged] == ["prices are not known"]
    assert prices.cost(SMALL, StreamEnded("stop", 1, 1)) is None


async def test_nothing_is_read_if_no_price_is_wanted(tmp_path: Path) -> None:
    with capture_logs() as logged:
        await Prices(tmp_path / "missing.json").load()

    assert logged == []


async def test_a_fallback_model_adds_the_cost_that_its_provider_omits(tmp_path: Path) -> None:
    prices = await prices_of("small", tmp_path)
    ends = [StreamEnded("stop", 1000, 100), StreamEnded("stop", 1000, 100, cost_usd=0.5)]
    clock = VirtualClock()
    model = FallbackModel(
        [
            Candidate(
                model=ScriptedModel(*(Line((end,)) for end in ends)),
                circuit=CircuitBreaker("api.example", clock),
                price_key=SMALL,
            )
        ],
        tries=1,
        prices=prices,
        clock=clock,
        jitter=lambda: 0.0,
    )

    told = [chunk for _ in ends async for chunk in model.stream(ASKED)]

    assert [chunk.cost_usd for chunk in told if isinstance(chunk, StreamEnded)] == [
        pytest.approx(0.0028),
        0.5,
    ]


@pytest.mark.parametrize("model", ["gpt-4o", "claude-haiku-4-5", "xai/grok-4.3"])
async def test_the_list_that_was_installed_is_read_without_importing_litellm(model: str) -> None:
    imported = "litellm" in sys.modules
    prices = Prices()
    prices.want(PriceKey(model))
    await prices.load()
    prices.want(PriceKey(model))

    cost = prices.cost(PriceKey(model), StreamEnded("stop", 1000, 100))
    assert cost is not None
    assert 0 < cost < 1
    assert ("litellm" in sys.modules) == imported
