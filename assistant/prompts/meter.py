"""How much one rendering may take: steps, and characters put together on the way."""

from collections.abc import Generator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeVar

from jinja2.exceptions import SecurityError

MOST_CHARACTERS = 200_000
MOST_STEPS = 20_000

_Value = TypeVar("_Value")


class Meter:
    """What is left for one rendering."""

    __slots__ = ("characters", "steps")

    def __init__(self) -> None:
        self.characters, self.steps = MOST_CHARACTERS, MOST_STEPS


_meter: ContextVar[Meter] = ContextVar("_meter")


@contextmanager
def metered() -> Generator[None]:
    """A block with a fresh meter. Within it the others raise ``SecurityError`` once it is used up."""
    token = _meter.set(Meter())
    try:
        yield
    finally:
        _meter.reset(token)


def step() -> None:
    """One turn of a loop, one call."""
    if (meter := _meter.get(None)) is None:
        return
    meter.steps -= 1
    if meter.steps < 0:
        raise SecurityError(f"more than {MOST_STEPS} steps; make its loops smaller")


def weigh(value: _Value) -> _Value:
    """Count a text that is put together or put out, and hand it on."""
    if isinstance(value, str) and (meter := _meter.get(None)) is not None:
        meter.characters -= len(value)
        if meter.characters < 0:
            raise SecurityError(f"more than {MOST_CHARACTERS} characters")
    return value
