"""Builds metrics and traces as the settings say."""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from assistant.errors import DeclarationError
from assistant.ports import Clock
from assistant.settings import Settings
from assistant.shipped import release

if TYPE_CHECKING:
    from assistant.telemetry.process import Telemetry

_SHORTEST: Final = 32
"""Characters of a token; a shorter one can be guessed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MetricsAccess:
    """Where ``/metrics`` is served. ``listen`` is a separate address and port for it; None: there is none.
    ``token`` is the token that each request must contain. If there is a token, ``/metrics`` is also served on
    the server's main port.
    """

    listen: tuple[str, int] | None
    token: str | None


def telemetry_of(settings: Settings, clock: Clock) -> "Telemetry | None":
    """The metrics and traces of this process; None if both are off, and then nothing is imported for them.

    Raises ``DeclarationError`` if a setting is wrong, or the extra of traces is not installed.
    """
    access = metrics_access(settings)
    if access.listen is None and access.token is None and settings.otlp_endpoint is None:
        return None
    from assistant.telemetry.process import Telemetry

    if settings.otlp_endpoint is None:
        return Telemetry(clock, release=release())
    try:
        from assistant.telemetry.traces import Traces
    except ModuleNotFoundError as error:
        raise DeclarationError(
            "ASSISTANT_OTLP_ENDPOINT needs other packages; install them: pip install 'meanwhile-assistant[otel]'"
        ) from error
    traces = Traces(
        settings.otlp_endpoint,
        release=release(),
        share=settings.trace_share,
        contents=settings.trace_contents,
    )
    return Telemetry(clock, release=release(), traces=traces)


def metrics_access(settings: Settings) -> MetricsAccess:
    """Where metrics are served. Raises ``DeclarationError`` if anyone on the network could read them."""
    token = settings.metrics_token.get_secret_value() if settings.metrics_token is not None else None
    if token is not None and len(token) < _SHORTEST:
        raise DeclarationError(
            f"ASSISTANT_METRICS_TOKEN has {len(token)} characters, so it can be guessed; "
            f"use {_SHORTEST} or more, such as `openssl rand -base64 32` prints"
        )
    listen = None
    if settings.metrics_listen is not None:
        host, _, port = settings.metrics_listen.rpartition(":")
        listen = host.strip("[]"), int(port)
        if token is None and not _is_loopback(listen[0]):
            raise DeclarationError(
                f"ASSISTANT_METRICS_LISTEN={settings.metrics_listen!r} can be reached from other machines; set "
                "ASSISTANT_METRICS_TOKEN too, or listen on 127.0.0.1"
            )
    return MetricsAccess(listen=listen, token=token)


def _is_loopback(host: str) -> bool:
    from ipaddress import ip_address

    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"
