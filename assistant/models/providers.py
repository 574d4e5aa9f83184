"""Chooses a model by its name in the settings. It knows the addresses and keys of providers."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from ipaddress import ip_address
from typing import Literal, TypeAlias, assert_never
from urllib.parse import urlsplit

from assistant.errors import DeclarationError
from assistant.models.http_client import Connections
from assistant.ports import Clock, Model
from assistant.secret_files import IS_SECRET

Direct: TypeAlias = Literal["openai", "anthropic", "xai"]
"""The providers for which we have clients."""

OpenAIApi: TypeAlias = Literal["chat", "responses"]
"""The two APIs of OpenAI: chat completions, which many servers offer, and Responses."""

_APIS: dict[str, OpenAIApi] = {"chat": "chat", "responses": "responses"}

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
    """A model of a provider for which we have a client. ``model`` is the provider's own name of the model.

    ``api`` is the API of OpenAI that the operator named; if it is None, the address decides.
    """

    provider: Direct
    model: str
    api: OpenAIApi | None = None


@dataclass(frozen=True, slots=True)
class LitellmName:
    """Any other model. ``model`` is litellm's name: "gemini/gemini-3.8-flash", or without a provider."""

    model: str

    @property
    def provider(self) -> str:
        """The part before the first slash; the whole name if there is none."""
        return self.model.partition("/")[0]


ModelName: TypeAlias = EmbeddedName | DirectName | LitellmName


def read_name(written: str) -> ModelName:
    """Parse a model's name. ``litellm/<name>`` uses litellm for any model, even if we have a client for its
    provider.

    ``openai/responses/<model>`` and ``openai/chat/<model>`` also name the API.

    >>> read_name("gemini/gemini-3.8-flash"), read_name("gpt-6-luna")
    (LitellmName(model='gemini/gemini-3.8-flash'), DirectName(provider='openai', model='gpt-6-luna', api=None))

    Raises:
        DeclarationError: the name is empty, names a provider without a model, or is probably a spelling
            mistake.
    """
    name = written.strip()
    if name in ("", _EMBEDDED):
        return EmbeddedName()
    provider, slash, model = name.partition("/")
    if not provider or (not model and (slash or provider in (*_DIRECT, _BEHIND))):
        raise DeclarationError(f"model {written!r} is only half a name; write {_shown(provider)}")
    if provider == _EMBEDDED:
        raise DeclarationError(f"model {written!r} is not known; the embedded model is named 'offline'")
    if provider in _DIRECT:
        api, _, its_model = model.partition("/")
        if provider == "openai" and api in _APIS and its_model:
            return DirectName("openai", its_model, _APIS[api])
        return DirectName(_DIRECT[provider], model)
    if provider == _BEHIND:
        return LitellmName(model)
    for direct, plainly in _PLAINLY.items():
        if plainly.fullmatch(name):
            return DirectName(direct, name)
    _refuse_near_miss(written, provider)
    return LitellmName(name)


def _refuse_near_miss(written: str, first: str) -> None:
    """Raise ``DeclarationError`` for a misspelt provider, which litellm would find only at the first request."""
    close = get_close_matches(first.lower(), (_EMBEDDED, *_DIRECT, _BEHIND), n=1, cutoff=0.8)
    if close:
        meant = written.strip().replace(first, close[0], 1)
        raise DeclarationError(f"model {written!r}: no provider is called {first!r}; did you mean {meant!r}?")


def _shown(provider: str) -> str:
    return (
        f"'{provider or 'openai'}/<model>' with the provider's own name for the model, or 'offline' for the "
        "embedded one"
    )


def choose_model(
    name: str,
    *,
    clock: Clock,
    environ: Mapping[str, str],
    offline: Callable[[], Model],
    connections: Connections | None = None,
) -> Model:
    """Make the model with that name. Nothing is sent, and litellm is not imported yet.

    Args:
        name: "" or "offline" for the embedded model, "openai/<model>", "anthropic/<model>" or "xai/<model>"
            for our clients, and any other name that litellm knows.
        clock: measures the timeouts.
        environ: the variables with keys and addresses.
        offline: makes the embedded model.
        connections: a pool that several models share; by default the model has a pool of its own.

    Raises:
        DeclarationError: there is no such model, or a setting for it is wrong or missing. The error says what
            to change.
    """
    meant = read_name(name)
    match meant:
        case EmbeddedName():
            return offline()
        case DirectName():
            return _direct(name.strip(), meant, clock, environ, connections or Connections(clock))
        case LitellmName():
            return _through_litellm(name.strip(), meant, clock, environ)
        case _:
            assert_never(meant)


def _direct(
    name: str, meant: DirectName, clock: Clock, environ: Mapping[str, str], connections: Connections
) -> Model:
    place = place_of(meant, environ)
    # Imported only if a hosted model needs them.
    from assistant.formats.registry import formatter

    written_by = PROVIDERS[meant.provider].formatter
    match meant.provider:
        case "openai" if api_of(meant, place) == "responses":
            from assistant.models.openai_responses import ResponsesModel as DirectModel

            written_by = "openai-responses"
        case "openai":
            from assistant.models.openai import OpenAIModel as DirectModel
        case "anthropic":
            from assistant.models.anthropic import AnthropicModel as DirectModel
        case "xai":
            from assistant.models.openai import XaiModel as DirectModel
        case _:
            assert_never(meant.provider)
    return DirectModel(
        name,
        model=meant.model,
        base_url=place.base_url,
        api_key=place.api_key,
        formatter=formatter(written_by),
        connections=connections,
        clock=clock,
    )


def _through_litellm(name: str, meant: LitellmName, clock: Clock, environ: Mapping[str, str]) -> Model:
    from assistant.formats.registry import formatter
    from assistant.models.litellm import LitellmModel

    check_key(meant, environ)
    return LitellmModel(name, model=meant.model, formatter=formatter("generic"), clock=clock, environ=environ)


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """A provider. ``priced`` is the prefix of its models in the price list."""

    url: str
    url_variable: str
    key_variable: str
    formatter: str
    priced: str = ""


PROVIDERS: Mapping[Direct, Provider] = {
    "openai": Provider(
        url="https://api.openai.com/v1",
        url_variable="OPENAI_BASE_URL",
        key_variable="OPENAI_API_KEY",
        formatter="openai",
    ),
    "anthropic": Provider(
        url="https://api.anthropic.com",
        url_variable="ANTHROPIC_BASE_URL",
        key_variable="ANTHROPIC_API_KEY",
        formatter="anthropic",
    ),
    "xai": Provider(
        url="https://api.x.ai/v1",
        url_variable="XAI_BASE_URL",
        key_variable="XAI_API_KEY",
        formatter="grok",
        priced="xai/",
    ),
}


@dataclass(frozen=True, slots=True)
class Place:
    """The address of a provider, its host, and the key, if there is one."""

    base_url: str
    host: str
    api_key: str | None


def place_of(name: DirectName, environ: Mapping[str, str]) -> Place:
    """Returns the address for a model's requests.

    Raises:
        DeclarationError: the address is invalid, or a key is missing. A server on this machine needs no key.
    """
    provider = PROVIDERS[name.provider]
    base_url = environ.get(provider.url_variable, "").strip() or provider.url
    api_key = environ.get(provider.key_variable, "").strip() or None
    host = _host(base_url, provider)
    if api_key is not None and not _are_keys(api_key.split(), api_key):
        raise DeclarationError(
            f"{provider.key_variable} contains a space, a line break or another character that no key has; "
            f"copy it again, alone. While a key is replaced there may be two of {_LEAST_OF_TWO} characters or more,"
            " with a space between"
        )
    if api_key is None and not _is_loopback(host):
        raise DeclarationError(
            f"model '{name.provider}/{name.model}' needs a key for {host}: set {provider.key_variable}, or "
            f"{provider.url_variable} to a server on this machine, or use the model 'offline'"
        )
    return Place(base_url, host, api_key)


_LEAST_OF_TWO = 16
"""The fewest characters of each of two keys: shorter ones are more likely to be pieces of one."""


def _are_keys(keys: Sequence[str], written: str) -> bool:
    if not (written.isascii() and all(key.isprintable() for key in keys)):
        return False
    return len(keys) == 1 or (len(keys) == 2 and min(map(len, keys)) >= _LEAST_OF_TWO)


def api_of(name: DirectName, place: Place) -> OpenAIApi:
    """Returns the API of OpenAI that a model is asked through.

    At OpenAI's own address it is Responses, because chat completions refuse tools there for models that
    think. For any other server it is chat completions, which most servers offer.
    """
    if name.api is not None:
        return name.api
    return "responses" if place.host == urlsplit(PROVIDERS["openai"].url).hostname else "chat"


def _host(base_url: str, provider: Provider) -> str:
    """Returns the host in a base URL.

    Raises ``DeclarationError`` if there is none, or if the URL has more than an address.
    """
    no_address = DeclarationError(
        f"{provider.url_variable} {base_url!r} is not an address; it should look like {provider.url}"
    )
    try:
        parts = urlsplit(base_url)
        host = parts.hostname if parts.scheme in ("http", "https") and parts.port != 0 else None
    except ValueError as error:
        raise no_address from error
    if host is None:
        raise no_address
    if "@" in parts.netloc or parts.query or parts.fragment:
        # The value is not quoted, because it may contain a secret.
        raise DeclarationError(
            f"{provider.url_variable} contains more than an address: a user, or something after '?' or '#'; "
            f"it should look like {provider.url}, and the key belongs in {provider.key_variable}"
        )
    return host


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


_KEYS: Mapping[str, tuple[str, ...]] = {
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY"),
}
"""The variables with a provider's key. The first one that is set is used; errors recommend the first in the
list."""

_SHORTEST = 8


def check_key(name: LitellmName, environ: Mapping[str, str]) -> None:
    """Raise ``DeclarationError`` if a well-known provider's key is missing."""
    keys = _KEYS.get(name.provider, ())
    own_server = environ.get(f"{name.provider.upper()}_API_BASE", "").strip()
    if keys and not own_server and not any(environ.get(key, "").strip() for key in keys):
        others = f" (or {', '.join(keys[1:])})" if keys[1:] else ""
        raise DeclarationError(
            f"model {name.model!r} needs a key: set {keys[0]}{others}, or use the model 'offline'"
        )


def secrets_in(environ: Mapping[str, str]) -> frozenset[str]:
    """Returns the values of all variables whose names suggest a secret.

    Short values are left out, because they could be ordinary words.
    """
    return frozenset(
        value
        for name, values in environ.items()
        if IS_SECRET.search(name.upper())
        for value in {values, *values.split()}
        if len(value) >= _SHORTEST
    )
