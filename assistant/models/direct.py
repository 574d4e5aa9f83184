"""The providers that we speak to ourselves: where they are, and where their keys are looked for."""

from collections.abc import Mapping
from dataclasses import dataclass
from ipaddress import ip_address
from urllib.parse import urlsplit

from assistant.errors import DeclarationError
from assistant.models.names import Direct, DirectName
from assistant.models.prices import PricedAs


@dataclass(frozen=True, slots=True, kw_only=True)
class Provider:
    """One of them. ``priced`` stands before its models' names in the price list."""

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
    """Where a provider's requests go: its address, the host in it, and the key, if there is one."""

    base_url: str
    host: str
    api_key: str | None


def place_of(name: DirectName, environ: Mapping[str, str]) -> Place:
    """Where requests for a model go.

    Raises:
        DeclarationError: the address is none, or a key is missing; a server on this machine needs none.
    """
    provider = PROVIDERS[name.provider]
    base_url = environ.get(provider.url_variable, "").strip() or provider.url
    api_key = environ.get(provider.key_variable, "").strip() or None
    host = _host(base_url, provider)
    if api_key is not None and not (api_key.isascii() and api_key.isprintable() and " " not in api_key):
        raise DeclarationError(
            f"{provider.key_variable} has a blank, a line break or another sign in it that no key has; "
            "copy it again, alone"
        )
    if api_key is None and not _is_loopback(host):
        raise DeclarationError(
            f"model '{name.provider}/{name.model}' needs a key for {host}: set {provider.key_variable}, or "
            f"{provider.url_variable} to a server on this machine, or use the model 'offline'"
        )
    return Place(base_url, host, api_key)


def priced_as(name: DirectName, environ: Mapping[str, str]) -> PricedAs | None:
    """The model's name in the price list; None for a server that is not the provider's own."""
    provider = PROVIDERS[name.provider]
    if place_of(name, environ).host != urlsplit(provider.url).hostname:
        return None
    return PricedAs(provider.priced + name.model)


def _host(base_url: str, provider: Provider) -> str:
    """The host in a base URL. Raises ``DeclarationError`` when there is none, or more than an address."""
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
        # What it says instead of an address may be a secret.
        raise DeclarationError(
            f"{provider.url_variable} has more than an address in it: a user, or something after '?' or '#'; "
            f"it should look like {provider.url}, and the key stand in {provider.key_variable}"
        )
    return host


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
