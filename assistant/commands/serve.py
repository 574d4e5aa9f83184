"""``assistant serve``: serves the page and the websocket until it is stopped."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from functools import partial
from typing import TYPE_CHECKING

import structlog
import uvicorn
from starlette.types import ASGIApp

from assistant.app import Assistant, open_assistants
from assistant.assembly.health import (
    SchemaCheck,
    config_findings,
    disk_finding,
    log_findings,
    long_call_findings,
    model_findings,
    voice_findings,
)
from assistant.assembly.staff import operators_link
from assistant.assembly.storage import open_conversations
from assistant.assembly.telemetry import MetricsAccess, metrics_access, telemetry_of
from assistant.assembly.voice import SharedSpeechModels, voice_of
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.serve_context import server_context
from assistant.commands.stop_signal import stop_requested
from assistant.errors import AssistantError, DeclarationError
from assistant.findings import Look
from assistant.resilience import jitter_from
from assistant.secret_files import secret_values
from assistant.server.app import build_server, uvicorn_config
from assistant.server.auth import SiteTokens
from assistant.server.garbage_collection import short_collections
from assistant.server.metrics_route import MetricsRoute
from assistant.server.pages import Pages
from assistant.server.proxies import ProxyHeaders
from assistant.server.readiness import Readiness
from assistant.server.tenants import TenantServers
from assistant.settings import Settings, TenantSettings
from assistant.settings_sources import load_installation
from assistant.shipped import shipped
from assistant.tenants import load_tenants
from assistant.voice.session import VoiceSessionFactory

log = structlog.get_logger(__name__)

_THREAD_TURN_S = 0.0005
"""The longest time for which the loop waits for a thread that computes. Python's own limit of 5 ms, at each of the
some twenty steps before a customer's first words, would delay them by 100 ms and more."""

if TYPE_CHECKING:
    from assistant.telemetry.process import Telemetry


class WebServer(uvicorn.Server):
    """Serves until ``should_exit`` is set. Then clients are told to reconnect (1012), and ``serve`` returns.

    ``ready`` is set when it listens. Without this class the web server would handle the process's signals
    itself and end the process before everything else is closed.
    """

    def __init__(self, config: uvicorn.Config) -> None:
        super().__init__(config)
        self.ready = asyncio.Event()

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, and set ``ready``."""
        await super().startup(sockets)
        self.ready.set()

    @contextmanager
    def capture_signals(self) -> Generator[None]:
        """Do not handle the process's signals."""
        yield


def serve(host: str, port: int, *, console_link: bool = False, sample: bool = False) -> None:
    """Serve until the process is told to stop. Raises ``DeclarationError`` if the configuration is wrong."""
    set_up_logging()  # until the settings are read
    with asyncio.Runner(loop_factory=_loop_factory()) as runner:
        say = partial(print, flush=True)
        runner.run(serving_until_told(host, port, say, console_link=console_link, sample=sample))


async def serving_until_told(
    host: str,
    port: int,
    say: Callable[[str], None],
    *,
    console_link: bool = False,
    sample: bool = False,
) -> None:
    """Serve, and ``say`` the address when the server is ready.

    A link that opens the console is said if there is no account yet, or if ``console_link`` asks for it. With
    ``sample``, a demo without conversations gets the example conversations.
    """
    installation = load_installation()
    tenants = load_tenants(installation)
    clock = SystemClock(installation.time_zone, installation.now)
    telemetry, access = telemetry_of(installation, clock), metrics_access(installation)
    set_up_logging(
        form=installation.log_format, counted=telemetry.line_logged if telemetry is not None else None
    )
    # The port is opened first: if it is in use, the command should fail before anything is loaded.
    with _listening_socket(host, port) as listening, stop_requested() as told:
        async with (
            serving_metrics(telemetry, access),
            open_assistants(installation, tenants or [installation], telemetry) as assistants,
            AsyncExitStack() as speak,
        ):
            models = SharedSpeechModels()
            voices = [await speak.enter_async_context(speaking(each, models)) for each in assistants]
            app = web_application(installation, tenants, assistants, voices, host=host)
            if telemetry is not None and access.token is not None:
                app = MetricsRoute(telemetry.scrape, access.token, app)
            app = ProxyHeaders(app, installation.trusted_proxies)
            server = WebServer(uvicorn_config(app, host=host, port=port))
            async with asyncio.TaskGroup() as running:
                running.create_task(server.serve(sockets=[listening]))
                await server.ready.wait()
                for each in assistants:
                    say(_where(listening, each, await _console_link(each, asked=console_link)))
                if sample:  # it takes some seconds on a busy machine, and no one waits for it
                    running.create_task(_add_samples(assistants))
                for each, voice in zip(assistants, voices, strict=True):
                    if voice is not None and each.settings.preload_speech:
                        voice.start_loading()
                sys.setswitchinterval(_THREAD_TURN_S)
                with short_collections():
                    await told.wait()
                server.should_exit = True


@asynccontextmanager
async def serving_metrics(telemetry: "Telemetry | None", access: MetricsAccess) -> AsyncGenerator[None]:
    """Serve ``/metrics`` at an address of its own, if one is set, and send the last spans at the end.

    Raises ``DeclarationError`` if the port is in use.
    """
    if telemetry is None:
        yield
        return
    try:
        if access.listen is None:
            yield
            return
        host, port = access.listen
        with _listening_socket(host, port, "another address in ASSISTANT_METRICS_LISTEN") as listening:
            app = MetricsRoute(telemetry.scrape, access.token)
            server = WebServer(uvicorn_config(app, host=host, port=port))
            serving = asyncio.create_task(server.serve(sockets=[listening]))
            try:
                yield
            finally:
                server.should_exit = True
                await asyncio.wait({serving})
    finally:
        await telemetry.close()


def web_application(
    installation: Settings,
    tenants: Sequence[TenantSettings],
    assistants: Sequence[Assistant],
    voices: Sequence[VoiceSessionFactory | None],
    *,
    host: str,
) -> ASGIApp:
    """Everything that is served on ``host``: one company's application, or those of all tenants by their names.

    Raises ``DeclarationError`` if a secret can be guessed.
    """
    web, names = shipped("web"), installation.hosts
    readiness = readiness_of(installation, assistants, voices)
    apps = {
        each.settings.tenant: build_server(
            server_context(
                each, host=host, names=names, site=site_of(each), voice=voice, readiness=readiness
            ),
            web_dir=web,
        )
        for each, voice in zip(assistants, voices, strict=True)
    }
    if not tenants:
        return apps[installation.tenant]
    widget = Pages([web / "dist"], {origin for each in tenants for origin in each.allowed_origins})
    return TenantServers(apps, {name: each.tenant for each in tenants for name in each.hosts}, widget)


def readiness_of(
    installation: Settings, assistants: Sequence[Assistant], voices: Sequence[VoiceSessionFactory | None]
) -> Readiness:
    """Checks all parts of the installation, for any tenant's address."""
    first = assistants[0]  # all tenants share storage and runner
    clock, runner = first.clock, first.long_runner
    looks: list[tuple[str, Look]] = [
        ("log", partial(log_findings, first.storage.log)),
        ("schema", SchemaCheck(installation, clock).findings),
        ("tools", partial(config_findings, [one.configs for one in assistants])),
        ("models", partial(model_findings, [one.warming for one in assistants])),
        ("voice", partial(voice_findings, voices)),
        ("long calls", lambda: long_call_findings(waiting=runner is not None and runner.away is not None)),
    ]
    if installation.database is None:
        folder, least = installation.data_dir, installation.min_free_disk_bytes
        looks.append(("disk", lambda: [disk_finding(folder, least)]))
    return Readiness(looks, clock)


def _listening_socket(
    host: str, port: int, cure: str = "another with --port (PORT= for make)"
) -> socket.socket:
    # The protocol is set because asyncio otherwise delays small writes.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listening.bind((host, port))
    except OSError as error:
        listening.close()
        raise DeclarationError(f"cannot listen on {host}:{port}: {error.strerror}; choose {cure}") from error
    return listening


def site_of(assistant: Assistant) -> SiteTokens | None:
    """The verifier of the site's tokens; None if there is no site secret.

    Raises ``DeclarationError`` if the secret is too weak.
    """
    secret = assistant.settings.site_secret
    if secret is None:
        return None
    return SiteTokens(
        *(one.encode() for one in secret_values(secret)),
        clock=assistant.clock,
        used=assistant.storage.used_tokens,
        restored_ms=assistant.storage.restored_ms,
        tenant=assistant.settings.tenant,
    )


def speaking(
    assistant: Assistant, models: SharedSpeechModels | None = None
) -> AbstractAsyncContextManager[VoiceSessionFactory | None]:
    """The voice, with nothing loaded yet. Raises ``DeclarationError`` if a setting is wrong."""
    return voice_of(
        assistant.settings,
        clock=assistant.clock,
        ids=assistant.ids,
        jitter=jitter_from(assistant.ids),
        deps=lambda: assistant.deps,
        shared=models,
        telemetry=assistant.telemetry,
    )


async def _console_link(assistant: Assistant, *, asked: bool) -> str | None:
    """The path of a link to the console, if one is to be printed."""
    return await operators_link(
        assistant.settings, assistant.storage, assistant.clock, assistant.ids, asked=asked
    )


async def _add_samples(assistants: Sequence[Assistant]) -> None:
    """Add the example conversations where they have a place. A server without them serves, too."""
    from assistant.replay.player.environment import ReplayEnvironment
    from assistant.sample.sample import add_sample, play_sample

    for each in assistants:
        settings, deps = each.settings, each.deps
        try:
            async with open_conversations(settings) as stored:
                used = any(one.key.tenant == settings.tenant for one in await stored.listed())
            if used or not settings.demo or not settings.console:
                continue
            environment = ReplayEnvironment(
                book=deps.book,
                tools=deps.tools,
                narrate=deps.narrate,
                bundle=each.configs.newest.bundle,
                locale=settings.default_locale,
                policies=deps.policies,
            )
            played = await asyncio.to_thread(play_sample, environment, each.clock.now(), settings.tenant)
            await add_sample(each.storage.log, played)
        except AssistantError as error:
            log.warning("no example conversations", tenant=settings.tenant, why=str(error))


def _where(listening: socket.socket, assistant: Assistant, console_link: str | None) -> str:
    note = f" ({assistant.note})" if assistant.note else ""
    at = _address(listening, assistant)
    ready = f"Meanwhile is ready: {at}  model: {assistant.settings.model}{note}"
    if console_link is None:
        return ready
    return f"{ready}\nConsole, for staff: {at}{console_link}  (opens once, within 15 minutes)"


def _address(listening: socket.socket, assistant: Assistant) -> str:
    host, port = listening.getsockname()[:2]
    settings = assistant.settings
    if isinstance(settings, TenantSettings):
        host = settings.hosts[0]
    return f"http://{host}:{port}"


def _loop_factory() -> Callable[[], asyncio.AbstractEventLoop] | None:
    if sys.platform == "win32":
        return None
    import uvloop

    return uvloop.new_event_loop
