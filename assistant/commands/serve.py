"""``assistant serve``: serves the page and the websocket until it is stopped."""

import asyncio
import socket
import sys
from collections.abc import AsyncGenerator, Callable, Generator, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import structlog
import uvicorn
from starlette.types import ASGIApp

from assistant.app import DEMO_CUSTOMER, Assistant, open_assistants
from assistant.assembly.health import (
    SchemaCheck,
    config_findings,
    disk_finding,
    log_findings,
    long_call_findings,
    model_findings,
    voice_findings,
)
from assistant.assembly.knowledge_folder import KINDS
from assistant.assembly.models import is_embedded, names_of
from assistant.assembly.phone import phone_of, with_phone
from assistant.assembly.request_inspector import RequestInspector
from assistant.assembly.staff import console_of, operators_link
from assistant.assembly.storage import open_conversations
from assistant.assembly.telemetry import MetricsAccess, metrics_access, telemetry_of
from assistant.assembly.voice import SharedSpeechModels, voice_of
from assistant.clock import SystemClock
from assistant.commands.logging import set_up_logging
from assistant.commands.stop_signal import stop_requested
from assistant.conversation.customer import CHANNELS, ConversationKey
from assistant.conversation.entries import Logged
from assistant.errors import AssistantError, DeclarationError
from assistant.findings import Look
from assistant.inspector.copied_test import CopiedTest
from assistant.inspector.forked import AskedModels, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation
from assistant.memory.file_reader import read_file
from assistant.privacy.receipts import ReceiptMaker, ReceiptSigner
from assistant.prompts.utterances import OfflineNote
from assistant.resilience import jitter_from
from assistant.secret_files import secret_values
from assistant.server.app import build_server, uvicorn_config
from assistant.server.attachments import AttachmentAddresses, AttachmentService
from assistant.server.auth import SiteTokens, VisitorIdentity, VisitorTokens
from assistant.server.console.console_context import PauseControls
from assistant.server.garbage_collection import short_collections
from assistant.server.limits import Limits
from assistant.server.metrics_route import MetricsRoute
from assistant.server.operators.access import Operators
from assistant.server.operators.handoff_events import HandoffHook
from assistant.server.operators.stored_data import DocumentArchive
from assistant.server.origins import allowed_hosts
from assistant.server.pages import Pages
from assistant.server.phone.call_registry import CallRegistry
from assistant.server.proxies import ProxyHeaders
from assistant.server.readiness import Readiness
from assistant.server.server_context import AssistantInfo, ServerContext, assistant_info
from assistant.server.tenants import TenantServers
from assistant.server.uploads import UploadReader, Uploads
from assistant.settings import Settings, TenantSettings
from assistant.settings_sources import load_installation
from assistant.shipped import shipped
from assistant.tenants import load_tenants
from assistant.voice.session import VoiceSessionFactory

log = structlog.get_logger(__name__)

_LIST_THE_ORIGINS = (
    "set ASSISTANT_ALLOWED_ORIGINS to this server's public address and to the sites that show the chat"
)

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


def server_context(
    assistant: Assistant,
    *,
    host: str = "127.0.0.1",
    names: Sequence[str] = (),
    site: SiteTokens | None = None,
    voice: VoiceSessionFactory | None = None,
    readiness: Readiness | None = None,
) -> ServerContext:
    """What the server's routes use of this assistant, on a server that listens on ``host``.

    ``names`` are host names under which each tenant is answered, in addition to its own.
    """
    settings = assistant.settings
    tenant = settings.tenant
    keyring = assistant.storage.keyring
    tokens = VisitorTokens(keyring, assistant.clock)
    attachments = AttachmentService(AttachmentAddresses(keyring, assistant.clock), assistant.storage.log.read)
    calls = CallRegistry(
        keyring, tenant=tenant, clock=assistant.clock, ids=assistant.ids, used=assistant.storage.used_tokens
    )
    reader = _upload_reader(assistant)
    hosts = with_phone(allowed_hosts(host, settings.allowed_origins, {*settings.hosts, *names}), settings)
    if hosts is None:
        log.warning("this server answers to any host name", listens_on=host, cure=_LIST_THE_ORIGINS)

    return ServerContext(
        sessions=assistant.sessions,
        identity=VisitorIdentity(
            tokens=tokens,
            ids=assistant.ids,
            tenant=tenant,
            demo_customer=replace(DEMO_CUSTOMER, tenant=tenant) if settings.demo else None,
        ),
        tokens=tokens,
        clock=assistant.clock,
        ids=assistant.ids,
        readiness=readiness,
        about=lambda locale: _about(assistant, locale),
        locale_of=lambda said: assistant.deps.book.locale_for(said, otherwise=settings.default_locale),
        notices=assistant.configs.notices,
        site=site,
        handoffs=assistant.handoffs,
        operators=_operators(assistant, attachments),
        console=console_of(
            settings,
            assistant.storage,
            assistant.clock,
            assistant.ids,
            lambda: _company(assistant),
            _pause_controls(assistant),
            inspector=_inspector(assistant),
            sessions=assistant.sessions,
            handoffs=assistant.handoffs,
        ),
        hook=_hook(assistant),
        attachments=attachments,
        uploads=Uploads(assistant.library, reader, assistant.clock, assistant.ids)
        if settings.uploads
        else None,
        customers=assistant.customers,
        archive=DocumentArchive(
            tenant=tenant, keeper=assistant.library, reader=reader, clock=assistant.clock
        ),
        voice=voice,
        phone=phone_of(settings, lambda: assistant.deps.book, calls, tenant),
        developer_allowed=settings.developer,
        notices_allowed=settings.developer or settings.demo,
        origins=frozenset(settings.allowed_origins),
        hosts=hosts,
        limits=Limits(messages_per_minute=settings.messages_per_minute),
        rates=assistant.storage.rates,
        telemetry=assistant.telemetry,
    )


def _upload_reader(assistant: Assistant) -> UploadReader:
    """The reader of uploaded files, for customers and operators."""
    read = partial(read_file, clock=assistant.clock)
    return UploadReader(read, KINDS, assistant.settings.max_upload_bytes, assistant.clock)


def _pause_controls(assistant: Assistant) -> PauseControls:
    settings, tenant = assistant.settings, assistant.settings.tenant
    return PauseControls(
        pauses=assistant.pauses,
        channels=CHANNELS if settings.phone_url is not None else ("chat", "voice"),
        tools=lambda: assistant.deps.tools.specs,
        newest=lambda: assistant.configs.own.bundle,
        versions=lambda limit: assistant.storage.bundles.newest(tenant, limit),
        people=assistant.handoffs is not None,
    )


def _inspector(assistant: Assistant) -> RequestInspector:
    storage = assistant.storage

    async def make_receipt(key: ConversationKey, call_key: str) -> bytes:
        signer = ReceiptSigner(storage.keyring.record.current)
        return await ReceiptMaker(storage.log.read, storage.bundles.read, signer).of_call(key, call_key)

    async def make_test(key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
        # A server makes tests only if staff ask for one, and they need much that it does not need otherwise.
        from assistant.replay.recording.conversation_test import copy_as_test

        return await copy_as_test(assistant.settings, key, entries)

    async def make_replay(key: ConversationKey, entries: Sequence[Logged]) -> ReplayedConversation:
        from assistant.replay.trials_for_staff import replay_today
        from assistant.replay.worker_process import run_in_process

        return await run_in_process(replay_today, assistant.settings, key, tuple(entries))

    async def make_fork(key: ConversationKey, entries: Sequence[Logged], fork: Fork) -> ForkedTurn:
        from assistant.replay.trials_for_staff import LONGEST_TRIAL_S, fork_turn
        from assistant.replay.worker_process import run_in_process

        return await run_in_process(
            fork_turn, assistant.settings, key, tuple(entries), fork, longest_s=LONGEST_TRIAL_S
        )

    names = names_of(assistant.settings)
    models = tuple(dict.fromkeys((names["decider"][0], names["narrator"][0])))
    return RequestInspector(
        configs=assistant.configs,
        time_zone=assistant.settings.time_zone,
        make_receipt=make_receipt,
        make_test=make_test,
        make_replay=make_replay,
        make_fork=make_fork,
        asked=AskedModels(models=models, embedded=all(map(is_embedded, models))),
        spending=assistant.spending,
    )


def _company(assistant: Assistant) -> str:
    return assistant.deps.book.voice_in(assistant.settings.default_locale).company


def _operators(assistant: Assistant, attachments: AttachmentService) -> Operators | None:
    token = assistant.settings.operator_token
    if token is None or assistant.handoffs is None:
        return None
    return Operators(
        token=token.get_secret_value(),
        tenant=assistant.settings.tenant,
        handoffs=assistant.handoffs,
        clock=assistant.clock,
        attachments=attachments,
    )


def _hook(assistant: Assistant) -> HandoffHook | None:
    secret = assistant.settings.handoff_webhook_secret
    if assistant.settings.handoff_webhook_url is None or secret is None or assistant.handoffs is None:
        return None
    return HandoffHook(
        secret=secret.get_secret_value(),
        tenant=assistant.settings.tenant,
        handoffs=assistant.handoffs,
        clock=assistant.clock,
    )


def _about(assistant: Assistant, locale: str) -> AssistantInfo:
    book = assistant.deps.book
    return replace(
        assistant_info(book, locale),
        note=book.render(OfflineNote(), locale) if assistant.note else None,
        model=assistant.settings.model,
        demo=bool(assistant.note),
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
