"""From the name in the settings to the model itself."""

from collections.abc import Callable, Mapping
from ipaddress import ip_address
from urllib.parse import urlsplit

from assistant.errors import DeclarationError
from assistant.models.http.connections import Connections
from assistant.ports import Clock, Model

_OPENAI = "https://api.openai.com/v1"


def choose_model(
    name: str,
    *,
    clock: Clock,
    environ: Mapping[str, str],
    offline: Callable[[], Model],
    connections: Connections | None = None,
) -> Model:
    """Make the model of that name. Nothing is sent yet.

    Args:
        name: "" or "offline" for the embedded default, "openai/<model>" for a server.
        clock: measures the time-outs.
        environ: where OPENAI_BASE_URL and OPENAI_API_KEY are looked up.
        offline: makes the embedded default.
        connections: a pool that is shared between models; left out, the model has its own.

    Raises:
        DeclarationError: no such model, or a setting for it is wrong or missing; with the cure.
    """
    provider, _, model = name.strip().partition("/")
    if not model and provider in ("", "offline"):
        return offline()
    if provider == "openai" and model:
        return _openai(name.strip(), clock, environ, connections or Connections(clock))
    raise DeclarationError(
        f"model {name!r} is not known; use 'offline' for the embedded one, or 'openai/<model>' for OpenAI "
        "and any server compatible with it (its address in OPENAI_BASE_URL)"
    )


def _openai(name: str, clock: Clock, environ: Mapping[str, str], connections: Connections) -> Model:
    base_url = environ.get("OPENAI_BASE_URL", "").strip() or _OPENAI
    api_key = environ.get("OPENAI_API_KEY", "").strip() or None
    address = _address(base_url)
    if api_key is None and not _is_loopback(address):
        raise DeclarationError(
            f"model {name!r} needs a key for {address}: set OPENAI_API_KEY, or OPENAI_BASE_URL to a server "
            "on this machine, or use the model 'offline'"
        )
    # What only a hosted model needs is imported only for one.
    from assistant.formats.registry import formatter
    from assistant.models.openai.model import OpenAIModel

    return OpenAIModel(
        name,
        base_url=base_url,
        api_key=api_key,
        formatter=formatter("openai"),
        connections=connections,
        clock=clock,
    )


def _address(base_url: str) -> str:
    """The host in a base URL. Raises ``DeclarationError`` when there is none."""
    try:
        parts = urlsplit(base_url)
        if parts.hostname and parts.scheme in ("http", "https"):
            return parts.hostname
    except ValueError:
        pass
    raise DeclarationError(f"OPENAI_BASE_URL {base_url!r} is not an address; it should look like {_OPENAI}")


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False
