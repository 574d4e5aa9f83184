"""The only module that imports litellm, and only when it is needed. It converts litellm's errors.

litellm's errors are recognised by their attributes, so that this module can be imported without litellm.
"""

import asyncio
import gc
import logging
import os
import re
import warnings
from collections.abc import Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol

from assistant.errors import (
    ModelBroke,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelTimeout,
)
from assistant.models.load_once import LoadOnce
from assistant.resilience import retry_after_s

_QUIET = {
    # Without these, litellm fetches newer tables from the network when it is imported or first used.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    # Otherwise litellm reads a `.env` file into the environment.
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_AT_ONCE = ("openai.resources", "anyio._backends._asyncio")
"""Modules that litellm would otherwise import at its first request, in the middle of a conversation."""

_ONE_TRY = {"max_retries": 0, "num_retries": 0, "timeout": 600.0}
"""Turns off litellm's timeouts and retries: ours use the Clock."""

_SUCH_AS = ["gemini", "groq", "mistral"]
_TOOL = {
    "type": "function",
    "function": {"name": "warm", "description": "", "parameters": {"type": "object"}},
}


class LitellmUsage(Protocol):
    """The count of tokens of one request."""

    prompt_tokens: int
    completion_tokens: int
    prompt_tokens_details: Any


class Function(Protocol):
    """The part of a call in a delta."""

    name: str | None
    arguments: str | None


class ToolCallDelta(Protocol):
    """A piece of a call. Opaque fields of its provider are additional attributes."""

    index: int | None
    id: str | None
    function: Function


class Delta(Protocol):
    """A piece of a reply. Opaque fields of its provider are additional attributes."""

    content: str | None
    tool_calls: Sequence[ToolCallDelta] | None


class Choice(Protocol):
    """The reply. There is only one, because requests never ask for more."""

    delta: Delta
    finish_reason: str | None


class LitellmChunk(Protocol):
    """One piece of a stream.

    ``choices`` has one entry, or none if the piece only contains the token count.
    """

    choices: Sequence[Choice]


class Stream(Protocol):
    """A reply that is arriving. ``chunks`` are the pieces so far, as the provider sent them."""

    chunks: Sequence[LitellmChunk]

    async def __anext__(self) -> LitellmChunk:
        """Returns the next piece. Raises ``StopAsyncIteration`` at the end."""
        ...

    async def aclose(self) -> None:
        """Close the stream. A pending request is cancelled."""
        ...


class Library:
    """The loaded litellm. All methods that send a request raise litellm's own errors."""

    def __init__(self, litellm: Any) -> None:
        self._litellm = litellm

    async def ask(self, body: dict[str, Any], api_base: str | None, api_key: str | None) -> Stream:
        """Send a chat completion request. Returns the reply when it has begun."""
        _let_pass()
        return await self._litellm.acompletion(
            **body,
            api_base=api_base,
            api_key=api_key,
            drop_params=True,
            **_ONE_TRY,
        )

    async def vectors(
        self, model: str, texts: Sequence[str], api_base: str | None, api_key: str | None
    ) -> list[list[float]]:
        """Ask an embedding model. Returns one vector for each text, in order."""
        _let_pass()
        response = await self._litellm.aembedding(
            model=model,
            input=list(texts),
            api_base=api_base,
            api_key=api_key,
            encoding_format="float",
            drop_params=True,
            **_ONE_TRY,
        )
        rows = sorted(response.data, key=lambda row: row["index"])
        return [row["embedding"] for row in rows]

    async def transcribe(
        self, model: str, wav: bytes, language: str, hint: str, api_base: str | None, api_key: str | None
    ) -> str:
        """Transcribe a sound with a transcription model."""
        _let_pass()
        response = await self._litellm.atranscription(
            model=model,
            file=("speech.wav", wav, "audio/wav"),
            language=language,
            prompt=hint or None,
            response_format="json",
            api_base=api_base,
            api_key=api_key,
            drop_params=True,
            **_ONE_TRY,
        )
        return response.text or ""

    async def synthesize(
        self,
        model: str,
        text: str,
        voice: str,
        form: str,
        tempo: float,
        api_base: str | None,
        api_key: str | None,
    ) -> bytes:
        """Speak a text; litellm returns the sound when all of it has arrived."""
        _let_pass()
        response = await self._litellm.aspeech(
            model=model,
            input=text,
            voice=voice,
            response_format=form,
            speed=None if tempo == 1 else tempo,
            api_base=api_base,
            api_key=api_key,
            **_ONE_TRY,
        )
        return response.content

    def problem(self, model: str) -> str | None:
        """Returns the problem of a model's name, or None if there is none."""
        try:
            self._litellm.get_llm_provider(model)
        except Exception:
            # litellm raises its own kinds of errors. All of them mean that it does not know the name.
            known = sorted(one.value for one in self._litellm.provider_list)
            close = get_close_matches(model.partition("/")[0], known, n=1, cutoff=0.8) or _SUCH_AS
            return (
                f"litellm knows no provider for {model!r}; write '<provider>/<model>' with one of its "
                f"{len(known)}, such as {', '.join(close)}"
            )
        return None

    def missing(self, model: str) -> list[str]:
        """Returns the environment variables that a model usually needs and that are not set."""
        return self._litellm.validate_environment(model)["missing_keys"]

    def cost_usd(self, model: str, usage: LitellmUsage) -> float | None:
        """Returns the cost of a reply in US dollars, by litellm's price list, or None if unknown."""
        try:
            return sum(self._litellm.cost_per_token(model=model, usage_object=usage))
        except Exception:
            return None  # litellm raises various errors for a model without a price.


async def load(environ: Mapping[str, str]) -> Library:
    """Import litellm in a thread, once for the process. It takes seconds, but does not block the loop.

    Args:
        environ: variables that are added to the process's environment if they are missing there, because
            litellm reads keys only from there.
    """
    for name, value in environ.items():
        if not name.upper().startswith(
            "ASSISTANT_"
        ):  # settings of this application, which contain the site's secret
            os.environ.setdefault(name, value)
    return await asyncio.to_thread(library)


def _import() -> Library:
    os.environ.update(_QUIET)
    if "LITELLM_LOG" not in os.environ:
        for name in _LOGGERS:
            logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    with _no_collecting():
        litellm = import_module("litellm")
        for name in _AT_ONCE:
            import_module(name)
        vars(litellm).update(suppress_debug_info=True, modify_params=False)
        _let_pass()
        _rehearse(litellm)
    return Library(litellm)


def _rehearse(litellm: ModuleType) -> None:
    """Do once what litellm does for each request, so that the first request does not import more modules."""
    for _ in litellm.completion(
        model="openai/rehearsal",
        messages=[{"role": "user", "content": "Hello"}],
        tools=[_TOOL],
        stream=True,
        stream_options={"include_usage": True},
        api_key="none",
        mock_response="Hello",
    ):
        pass


@contextmanager
def _no_collecting() -> Generator[None]:
    """Turn the garbage collector off during the import of hundreds of thousands of permanent objects.

    Otherwise it would stop the loop repeatedly, for a quarter of a second each time.
    """
    collects = gc.isenabled()
    gc.disable()
    try:
        yield
        gc.freeze()
    finally:
        if collects:
            gc.enable()


def _let_pass() -> None:
    """Ignore two pydantic warnings that litellm causes, one of them with each reply.

    If warnings were errors, they would break the reply. It is repeated if other filters were added in front
    of ours.
    """
    if warnings.filters and warnings.filters[0][1] is not None and "TypedDict" in str(warnings.filters[0][1]):
        return
    deprecated = import_module("pydantic.warnings").PydanticDeprecatedSince211
    warnings.filterwarnings("ignore", category=deprecated, module=r"litellm\.")
    warnings.filterwarnings("ignore", r"Item '\w+' on TypedDict class", UserWarning, r"pydantic\._internal")


library = LoadOnce(_import)
"""Imports litellm at the first call; later calls return the same module."""

_SHOWN = 300
_BUSY = frozenset({429, 503, 529})
_MAY_PASS = frozenset({408, 409, 425})
_NO_KEY = re.compile(r"missing credentials|unable to locate credentials|no api.?key", re.IGNORECASE)
_OBJECT = re.compile(r" ssl:<[^>]*>")
_KEY = re.compile(r"\b(?:sk|xai|gsk|key|AIza)[-_]?[\w.*-]{8,}")


def model_error(error: Exception, now: datetime, secrets: Collection[str] = ()) -> ModelError:
    """Returns our error for an error from litellm. Values in ``secrets`` are removed from its text.

    The error is a ``ModelBusy`` with the provider's waiting time if a later request may succeed, a
    ``ModelTimeout`` for a timeout, and a ``ModelRefused`` if a repeated request would also fail. For anything
    else it is a ``ModelBroke``.
    """
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, Exception):
        error = cause  # litellm wraps errors after the first piece.
    told, status = _told(error, secrets), _status(error)
    if type(error).__name__ == "Timeout":
        return ModelTimeout(told)
    if _NO_KEY.search(told):
        return ModelRefused(told)  # litellm sent no request; the status of this error is arbitrary.
    if status == 429 and "insufficient_quota" in str(error):
        return ModelRefused(told)  # The account has no credit, so waiting does not help.
    if status in _BUSY:
        return ModelBusy(told, retry_after_s=retry_after_s(_headers(error), now))
    if status is None or status >= 500 or status in _MAY_PASS:
        return ModelBroke(told)
    return ModelRefused(told)


def _told(error: Exception, secrets: Collection[str]) -> str:
    """Returns the error's text on one line, without keys and without names of litellm's classes and objects."""
    message = str(getattr(error, "message", "") or error) or type(error).__name__
    for secret in secrets:
        message = message.replace(secret, "[key]")
    message = _OBJECT.sub("", re.sub(r"litellm\.\w+: ", "", " ".join(message.split())))
    return _KEY.sub("[key]", message)[:_SHOWN]


def _status(error: Exception) -> int | None:
    status = getattr(error, "status_code", None)
    try:
        return int(status) if status is not None else None
    except (TypeError, ValueError):
        return None


def _headers(error: Exception) -> Mapping[str, str]:
    """Returns the headers of the provider's answer, from wherever the error has them."""
    for place in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(place, name, None)
            if headers:
                return headers
    return {}
