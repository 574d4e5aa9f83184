"""The only module that imports litellm, and only when needed; converts its errors; retries requests.

litellm's errors are recognised by their attributes, so nothing of litellm is imported for that.
"""

import asyncio
import gc
import logging
import os
import re
import warnings
from collections.abc import Awaitable, Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from importlib import import_module
from types import ModuleType
from typing import Any, Protocol, TypeVar, assert_never

from assistant.errors import (
    DeclarationError,
    ModelBroke,
    ModelBusy,
    ModelError,
    ModelRefused,
    ModelTimeout,
)
from assistant.models.load_once import LoadOnce
from assistant.models.providers import DirectName, LitellmName, check_key, place_of, secrets_in
from assistant.ports import Clock
from assistant.resilience import CircuitBreaker, Jitter, retry_after_s

_QUIET = {
    # Without these it asks the network for newer tables while it is imported or first used.
    "LITELLM_LOCAL_MODEL_COST_MAP": "True",
    "LITELLM_LOCAL_ANTHROPIC_BETA_HEADERS": "True",
    "LITELLM_LOCAL_POLICY_TEMPLATES": "True",
    "LITELLM_LOCAL_BLOG_POSTS": "True",
    # Else it reads a `.env` of its own choosing into the environment.
    "LITELLM_MODE": "PRODUCTION",
}
_LOGGERS = ("LiteLLM", "LiteLLM Router", "LiteLLM Proxy")
_AT_ONCE = ("openai.resources", "anyio._backends._asyncio")
"""Imported by its first request otherwise, in the middle of a conversation."""

_ONE_TRY = {"max_retries": 0, "num_retries": 0, "timeout": 600.0}
"""Time-outs and retries are ours: see the Clock."""

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
    """What a delta says of a call."""

    name: str | None
    arguments: str | None


class ToolCallDelta(Protocol):
    """More of a call; opaque fields of its provider are next to these, if there are any."""

    index: int | None
    id: str | None
    function: Function


class Delta(Protocol):
    """More of a reply; opaque fields of its provider are next to these, if there are any."""

    content: str | None
    tool_calls: Sequence[ToolCallDelta] | None


class Choice(Protocol):
    """The reply itself: we never ask for more than one."""

    delta: Delta
    finish_reason: str | None


class LitellmChunk(Protocol):
    """One piece of a stream. ``choices`` has one entry, or none where only tokens are counted."""

    choices: Sequence[Choice]


class Stream(Protocol):
    """A reply that is coming in. ``chunks`` are those that came, as the provider sent them."""

    chunks: Sequence[LitellmChunk]

    async def __anext__(self) -> LitellmChunk:
        """The next piece; ``StopAsyncIteration`` at the end."""
        ...

    async def aclose(self) -> None:
        """Close it; a pending request is cancelled."""
        ...


class Library:
    """The loaded litellm. All methods that ask a provider raise litellm's own errors."""

    def __init__(self, litellm: Any) -> None:
        self._litellm = litellm

    async def ask(self, body: dict[str, Any], api_base: str | None, api_key: str | None) -> Stream:
        """Send a chat completion request; returns the reply when it has begun."""
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
        """Ask an embedding model; one vector per text, in order."""
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
        """The problem of a model's name; None if there is none."""
        try:
            self._litellm.get_llm_provider(model)
        except Exception:
            # Of kinds of its own; all that counts is that it does not know the name.
            known = sorted(one.value for one in self._litellm.provider_list)
            close = get_close_matches(model.partition("/")[0], known, n=1, cutoff=0.8) or _SUCH_AS
            return (
                f"litellm knows no provider for {model!r}; write '<provider>/<model>' with one of its "
                f"{len(known)}, such as {', '.join(close)}"
            )
        return None

    def missing(self, model: str) -> list[str]:
        """The variables that a model usually needs and that are not set."""
        return self._litellm.validate_environment(model)["missing_keys"]

    def cost_usd(self, model: str, usage: LitellmUsage) -> float | None:
        """The cost of a reply in US dollars, by litellm's price list; None if unknown."""
        try:
            return sum(self._litellm.cost_per_token(model=model, usage_object=usage))
        except Exception:
            return None  # It raises one thing or another for a model without a price.


async def load(environ: Mapping[str, str]) -> Library:
    """Import litellm in a thread, once for the process; it takes seconds, without blocking the loop.

    Args:
        environ: put into the process's environment where it is not there yet; litellm looks for keys nowhere
            else.
    """
    for name, value in environ.items():
        if not name.upper().startswith("ASSISTANT_"):  # ours: litellm must not see the site's secret
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
    """Do once what it does for each request, so that the first request does not import the rest."""
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
    """Keep the garbage collector away from hundreds of thousands of objects that are here to stay.

    Going through them would stop the loop for a quarter of a second, now and again and again.
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
    """Let two warnings pass that it causes in pydantic, of which one comes with every reply.

    With warnings as errors they would break the reply. Done again if other filters were put before ours.
    """
    if warnings.filters and warnings.filters[0][1] is not None and "TypedDict" in str(warnings.filters[0][1]):
        return
    deprecated = import_module("pydantic.warnings").PydanticDeprecatedSince211
    warnings.filterwarnings("ignore", category=deprecated, module=r"litellm\.")
    warnings.filterwarnings("ignore", r"Item '\w+' on TypedDict class", UserWarning, r"pydantic\._internal")


library = LoadOnce(_import)
"""litellm, imported by the first to call."""

_SHOWN = 300
_BUSY = frozenset({429, 503, 529})
_MAY_PASS = frozenset({408, 409, 425})
_NO_KEY = re.compile(r"missing credentials|unable to locate credentials|no api.?key", re.IGNORECASE)
_OBJECT = re.compile(r" ssl:<[^>]*>")
_KEY = re.compile(r"\b(?:sk|xai|gsk|key|AIza)[-_]?[\w.*-]{8,}")


def model_error(error: Exception, now: datetime, secrets: Collection[str] = ()) -> ModelError:
    """Our error for an error from litellm; ``secrets`` are never quoted in it.

    ``ModelBusy`` if asking later helps, with the provider's waiting time; ``ModelTimeout`` for a timeout;
    ``ModelRefused`` if asking again does not help; otherwise ``ModelBroke``.
    """
    cause = getattr(error, "original_exception", None)
    if isinstance(cause, Exception):
        error = cause  # It wraps what happens after the first piece.
    told, status = _told(error, secrets), _status(error)
    if type(error).__name__ == "Timeout":
        return ModelTimeout(told)
    if _NO_KEY.search(told):
        return ModelRefused(told)  # Nothing was sent, whatever status it has been given.
    if status == 429 and "insufficient_quota" in str(error):
        return ModelRefused(told)  # Waiting will not fill the account.
    if status in _BUSY:
        return ModelBusy(told, retry_after_s=retry_after_s(_headers(error), now))
    if status is None or status >= 500 or status in _MAY_PASS:
        return ModelBroke(told)
    return ModelRefused(told)


def _told(error: Exception, secrets: Collection[str]) -> str:
    """What it says, on one line, without keys and without the names of its own classes and objects."""
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
    """The headers of the provider's answer, wherever they were put."""
    for place in (error, getattr(error, "response", None)):
        for name in ("litellm_response_headers", "headers"):
            headers = getattr(place, name, None)
            if headers:
                return headers
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedModel:
    """A provider's model for speech or embeddings, with its address.

    ``name`` is the name in the setting ``variable``, ``model`` litellm's name; address and key are set if
    litellm must not find them itself.
    """

    name: str
    variable: str
    model: str
    api_base: str | None = None
    api_key: str | None = None

    @property
    def setting(self) -> str:
        """The setting and its value, for messages."""
        return f"{self.variable}={self.name!r}"


def hosted_model(
    name: str, meant: DirectName | LitellmName, environ: Mapping[str, str], *, variable: str, such_as: str
) -> HostedModel:
    """The address and key of a provider's model. ``such_as`` is an example of a valid name.

    Raises:
        DeclarationError: the provider has none, or a key is missing.
    """
    match meant:
        case DirectName(provider="openai", model=model):
            place = place_of(meant, environ)
            return HostedModel(
                name=name,
                variable=variable,
                model=f"openai/{model}",
                api_base=place.base_url,
                # A server on this machine needs no key, but litellm insists on one.
                api_key=place.api_key or "none",
            )
        case DirectName(provider=provider):
            raise DeclarationError(
                f"{variable}={name!r}: {provider} has no models for it that we can ask; use 'offline', or one such "
                f"as {such_as!r}"
            )
        case LitellmName(model=model):
            check_key(meant, environ)
            return HostedModel(name=name, variable=variable, model=model)
        case _:
            assert_never(meant)


@dataclass(frozen=True, slots=True, kw_only=True)
class Patience:
    """The timeout of each try, the number of tries, and the pauses between them, in seconds."""

    try_s: float
    tries: int
    pause_s: float
    longest_pause_s: float


T = TypeVar("T")


class HostedRequests:
    """Requests to one model, each retried unless the provider refuses it. A model that fails repeatedly is
    not asked for a while.

    Args:
        place: the model, and where it is.
        patience: how long it is waited for.
        clock: measures time-outs and pauses.
        jitter: makes pauses uneven.
        environ: where litellm finds keys and addresses.
        load: brings litellm.
    """

    def __init__(
        self,
        place: HostedModel,
        patience: Patience,
        *,
        clock: Clock,
        jitter: Jitter,
        environ: Mapping[str, str],
        load: Callable[[Mapping[str, str]], Awaitable[Library]] = load,
    ) -> None:
        self.place = place
        self._patience, self._clock, self._jitter = patience, clock, jitter
        self._environ, self._load = environ, load
        self._secrets = secrets_in(environ).union([place.api_key] if place.api_key else ())
        self._circuit = CircuitBreaker(place.name, clock)

    async def warm(self) -> None:
        """Import litellm. Raises ``DeclarationError`` if it knows no provider for the model."""
        litellm = await self._load(self._environ)
        if (problem := litellm.problem(self.place.model)) is not None:
            raise DeclarationError(f"{self.place.setting}: {problem}, or use 'offline'")

    async def ask(self, question: Callable[[Library], Awaitable[T]]) -> T:
        """The provider's answer to a request.

        Raises:
            ModelRefused: the provider will not do it; asking again will not help.
            ModelError: it did not answer, or is left alone.
        """
        # The time to load it does not count: the provider is not asked yet.
        litellm = await self._load(self._environ)
        setting, tries = self.place.setting, self._patience.tries
        for tried in range(1, tries + 1):
            if (shut := self._circuit.open()) is not None:
                raise ModelBroke(f"{setting} is not asked: {shut}")
            try:
                return await self._once(question, litellm)
            except ModelRefused as error:
                raise ModelRefused(
                    f"{setting}: {error}; check the model's name and its key, or use 'offline'"
                ) from error
            except ModelError as error:
                if tried == tries:
                    raise ModelBroke(f"{setting}: {error}; tried {tries} times") from error
                await self._clock.sleep(self._pause_s(error, tried))
        raise AssertionError("the last try returns or raises")

    async def _once(self, question: Callable[[Library], Awaitable[T]], litellm: Library) -> T:
        """Ask; raises ``ModelError``, and tells the circuit how it went."""
        self._circuit.enter()
        try:
            async with self._clock.timeout(self._patience.try_s):
                answer = await question(litellm)
        except TimeoutError as error:
            self._circuit.failed()
            raise ModelTimeout(f"no answer within {self._patience.try_s:g} s") from error
        except Exception as error:
            # All providers' errors, and litellm's own: the one wall to its code.
            told = model_error(error, self._clock.now(), self._secrets)
            if isinstance(told, ModelRefused):
                self._circuit.answered()
            else:
                self._circuit.failed()
            raise told from error
        except BaseException:
            self._circuit.left()
            raise
        self._circuit.answered()
        return answer

    def _pause_s(self, error: ModelError, tried: int) -> float:
        asked_s = error.retry_after_s if isinstance(error, ModelBusy) else None
        growing_s = self._patience.pause_s * 2 ** (tried - 1) * (0.5 + self._jitter())
        return min(growing_s if asked_s is None else asked_s, self._patience.longest_pause_s)
