"""Types of requests from the providers' own packages. They take seconds to import, so only tests that need them
do.
"""

from functools import cache
from typing import Any, cast

from pydantic import ConfigDict, TypeAdapter, ValidationError

from tests.support.fake_model.replies import Provider

SAMPLING = ("temperature", "top_k", "top_p")
"""Taken by all but Anthropic's newest models, and so in its package no longer."""


def misfit(provider: Provider, body: dict[str, Any]) -> str | None:
    """Why a request is none by the package's types; None for one that fits."""
    told = body
    if provider == "anthropic":
        told = {name: value for name, value in body.items() if name not in SAMPLING}
    try:
        _read(_types(provider).validate_python([told]))
    except ValidationError as error:
        return str(error)
    return None


@cache
def _types(provider: Provider) -> TypeAdapter[Any]:
    # In a list, because only a type that is no class of its own can be made to forbid unknown fields.
    return TypeAdapter(cast("Any", list[kind_of(provider)]), config=ConfigDict(extra="forbid"))


def kind_of(provider: Provider) -> Any:
    """The package's type of a request; all but Anthropic's are OpenAI's."""
    if provider == "anthropic":
        from anthropic.types.message_create_params import MessageCreateParamsStreaming

        return MessageCreateParamsStreaming
    if provider == "openai-responses":
        from openai.types.responses.response_create_params import ResponseCreateParamsStreaming

        return ResponseCreateParamsStreaming
    from openai.types.chat.completion_create_params import CompletionCreateParamsStreaming

    return CompletionCreateParamsStreaming


def _read(value: object) -> None:
    """Go through all of it: what is to be iterated is not looked at before."""
    if isinstance(value, dict):
        value = cast("dict[str, object]", value).values()
    if isinstance(value, str | bytes) or not hasattr(value, "__iter__"):
        return
    for inner in cast("list[object]", value):
        _read(inner)
