"""What the server's routes use of an assistant: its conversations, uploads, agents, console and receipts."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import structlog

from assistant.app import DEMO_CUSTOMER, Assistant
from assistant.assembly.knowledge_folder import KINDS
from assistant.assembly.models import is_embedded, names_of
from assistant.assembly.phone import phone_of, with_phone
from assistant.assembly.request_inspector import RequestInspector
from assistant.assembly.staff import console_of
from assistant.conversation.customer import CHANNELS, ConversationKey
from assistant.conversation.entries import Logged
from assistant.inspector.copied_test import CopiedTest
from assistant.inspector.forked import AskedModels, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation
from assistant.memory.file_reader import read_file
from assistant.privacy.receipts import ReceiptMaker, ReceiptSigner
from assistant.prompts.utterances import OfflineNote
from assistant.server.attachments import AttachmentAddresses, AttachmentService
from assistant.server.auth import SiteTokens, VisitorIdentity, VisitorTokens
from assistant.server.console.console_context import PauseControls
from assistant.server.limits import Limits
from assistant.server.operators.access import Operators
from assistant.server.operators.handoff_events import HandoffHook
from assistant.server.operators.stored_data import DocumentArchive
from assistant.server.origins import allowed_hosts
from assistant.server.phone.call_registry import CallRegistry
from assistant.server.readiness import Readiness
from assistant.server.server_context import AssistantInfo, ServerContext, assistant_info
from assistant.server.uploads import UploadReader, Uploads
from assistant.voice.session import VoiceSessionFactory

log = structlog.get_logger(__name__)

_LIST_THE_ORIGINS = (
    "set ASSISTANT_ALLOWED_ORIGINS to this server's public address and to the sites that show the chat"
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
