"""The prices and context windows of models, from the list in litellm's package.

It does not import litellm, because that takes seconds.
"""

import asyncio
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import NewType
from urllib.parse import urlsplit

import orjson
import structlog

from assistant.conversation.chunks import StreamEnded
from assistant.models.providers import PROVIDERS, DirectName, EmbeddedName, ModelName, place_of

log = structlog.get_logger(__name__)

_FILE = "model_prices_and_context_window_backup.json"

PriceKey = NewType("PriceKey", str)
"""A model's name in the price list."""


def price_key(name: DirectName, environ: Mapping[str, str]) -> PriceKey | None:
    """Returns the model's name in the price list, or None for a server other than the provider's own."""
    provider = PROVIDERS[name.provider]
    if place_of(name, environ).host != urlsplit(provider.url).hostname:
        return None
    return PriceKey(provider.priced + name.model)


_INPUT, _CACHED, _OUTPUT = "input_cost_per_token", "cache_read_input_token_cost", "output_cost_per_token"
_ABOVE = re.compile(_INPUT + r"_above_(\d+)k_tokens")


@dataclass(frozen=True, slots=True)
class Price:
    """The US dollars for one token, in requests with more than ``above`` input tokens."""

    input: float
    cached: float
    output: float
    above: int = 0


class Prices:
    """The prices of the requested models. No price is known before ``load``.

    Args:
        path: the list; by default the one that is installed with litellm.
    """

    def __init__(self, path: Path | None = None) -> None:
        self._path = path
        self._wanted: set[PriceKey] = set()
        self._prices: dict[PriceKey, tuple[Price, ...]] = {}

    def want(self, model: PriceKey) -> None:
        """Include this model in the next ``load``."""
        if model not in self._prices:
            self._wanted.add(model)

    async def load(self) -> None:
        """Read the list in a thread. If that fails, no price is known, and a warning is logged."""
        wanted, self._wanted = frozenset(self._wanted), set()
        if not wanted:
            return
        try:
            self._prices |= await asyncio.to_thread(read_prices, wanted, self._path)
        except (OSError, ValueError) as error:
            log.warning("prices are not known", why=str(error))

    def cost(self, model: PriceKey, ended: StreamEnded) -> float | None:
        """Returns the cost of a reply in US dollars, or None if the price or the token count is unknown.

        Cached tokens cost less, if the provider reports their number.
        """
        prices = self._prices.get(model)
        if not prices or ended.input_tokens is None or ended.output_tokens is None:
            return None
        price = next(price for price in prices if ended.input_tokens > price.above or not price.above)
        cached = min(ended.cached_tokens or 0, ended.input_tokens)
        fresh = ended.input_tokens - cached
        return fresh * price.input + cached * price.cached + ended.output_tokens * price.output


def read_prices(wanted: frozenset[PriceKey], path: Path | None = None) -> dict[PriceKey, tuple[Price, ...]]:
    """Returns the prices of the wanted models that are in the list. Raises ``OSError`` or ``ValueError``."""
    listed: Mapping[str, Mapping[str, object]] = orjson.loads(
        (path or installed_with_litellm(_FILE)).read_bytes()
    )
    return {model: prices for model in wanted if (prices := _prices(listed.get(model, {})))}


def _prices(entry: Mapping[str, object]) -> tuple[Price, ...]:
    """Returns a model's prices, the one for the longest requests first, or empty if it has none."""
    levels = sorted((int(found[1]) for key in entry if (found := _ABOVE.fullmatch(key))), reverse=True)
    prices = [_price(entry, f"_above_{level}k_tokens", level * 1000) for level in levels]
    return tuple(price for price in [*prices, _price(entry, "", 0)] if price is not None)


def _price(entry: Mapping[str, object], suffix: str, above: int) -> Price | None:
    given, output = entry.get(_INPUT + suffix), entry.get(_OUTPUT + suffix, entry.get(_OUTPUT))
    if not (isinstance(given, int | float) and isinstance(output, int | float)):
        return None
    cached = entry.get(_CACHED + suffix, entry.get(_CACHED))
    return Price(given, cached if isinstance(cached, int | float) else given, output, above)


def window_of(name: ModelName) -> int | None:
    """Returns the context window of this model in tokens, or None if it is unknown.

    The list may contain the model with or without its provider's name.
    """
    if isinstance(name, EmbeddedName):
        return None
    windows = _installed_windows()
    provider = f"{name.provider}/{name.model}" if isinstance(name, DirectName) else ""
    names = (provider, name.model, name.model.partition("/")[2])
    return next((windows[each] for each in names if each in windows), None)


def read_windows(path: Path) -> Mapping[str, int]:
    """Returns the context windows in a list, by model.

    Raises ``OSError`` or ``ValueError`` if the list cannot be read.
    """
    listed: Mapping[str, Mapping[str, object]] = orjson.loads(path.read_bytes())
    found = ((model, entry.get("max_input_tokens")) for model, entry in listed.items())
    return {model: tokens for model, tokens in found if isinstance(tokens, int) and tokens > 0}


@cache
def _installed_windows() -> Mapping[str, int]:
    try:
        return read_windows(installed_with_litellm(_FILE))
    except (OSError, ValueError) as error:
        log.warning("models' context windows are not known", why=str(error))
        return {}


def installed_with_litellm(*parts: str) -> Path:
    """Returns the path of a file in litellm's package.

    Raises ``FileNotFoundError`` if litellm is not installed.
    """
    spec = find_spec("litellm")  # finds a package without importing it
    if spec is None or not spec.submodule_search_locations:
        raise FileNotFoundError("litellm, whose files are used, is not installed")
    return Path(spec.submodule_search_locations[0], *parts)
