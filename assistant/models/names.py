"""What a model's name in the settings means. Pure: nothing is imported, asked or checked elsewhere."""

import re
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Literal, TypeAlias

from assistant.errors import DeclarationError

Direct: TypeAlias = Literal["openai", "anthropic", "xai"]
"""The providers that we speak to ourselves."""

_DIRECT: dict[str, Direct] = {"openai": "openai", "anthropic": "anthropic", "xai": "xai"}
_PLAINLY: dict[Direct, re.Pattern[str]] = {
    "openai": re.compile(r"(gpt|chatgpt)-.+|o\d(-.+)?"),
    "anthropic": re.compile(r"claude-.+"),
    "xai": re.compile(r"grok-.+"),
}
_BEHIND = "litellm"
_EMBEDDED = "offline"


@dataclass(frozen=True, slots=True)
class EmbeddedName:
    """The embedded demo model."""


@dataclass(frozen=True, slots=True)
class DirectName:
    """A model of a provider that we speak to ourselves; ``model`` is the provider's own name for it."""

    provider: Direct
    model: str


@dataclass(frozen=True, slots=True)
class LitellmName:
    """Any other: ``model`` as litellm knows it, "gemini/gemini-2.5-pro" or bare."""

    model: str

    @property
    def provider(self) -> str:
        """What stands before the first slash; the whole name when it is bare."""
        return self.model.partition("/")[0]


ModelName: TypeAlias = EmbeddedName | DirectName | LitellmName


def read_name(written: str) -> ModelName:
    """What a name means. ``litellm/<name>`` sends anything through litellm, what we speak ourselves too.

    >>> read_name("gemini/gemini-2.5-pro"), read_name("gpt-4o")
    (LitellmName(model='gemini/gemini-2.5-pro'), DirectName(provider='openai', model='gpt-4o'))

    Raises:
        DeclarationError: it names a provider and no model, or nothing at all, or is a slip of the pen.
    """
    name = written.strip()
    if name in ("", _EMBEDDED):
        return EmbeddedName()
    provider, slash, model = name.partition("/")
    if not provider or (not model and (slash or provider in (*_DIRECT, _BEHIND))):
        raise DeclarationError(f"model {written!r} is only half a name; write {_shown(provider)}")
    if provider == _EMBEDDED:
        raise DeclarationError(
            f"model {written!r} is not known; the embedded one has no other name than 'offline'"
        )
    if provider in _DIRECT:
        return DirectName(_DIRECT[provider], model)
    if provider == _BEHIND:
        return LitellmName(model)
    for direct, plainly in _PLAINLY.items():
        if plainly.fullmatch(name):
            return DirectName(direct, name)
    _refuse_near_miss(written, provider)
    return LitellmName(name)


def _refuse_near_miss(written: str, first: str) -> None:
    """What is meant to be one of ours: found out by litellm too, but only while customers wait already."""
    close = get_close_matches(first.lower(), (_EMBEDDED, *_DIRECT, _BEHIND), n=1, cutoff=0.8)
    if close:
        meant = written.strip().replace(first, close[0], 1)
        raise DeclarationError(f"model {written!r}: nobody is called {first!r}; did you mean {meant!r}?")


def _shown(provider: str) -> str:
    return (
        f"'{provider or 'openai'}/<model>' with the provider's own name for the model, or 'offline' for the "
        "embedded one"
    )
