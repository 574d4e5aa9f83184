"""What all websockets and routes share: the sessions, the services, and who may connect."""

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol, TypeAlias

from assistant.conversation.customer import ConversationKey, Customer, CustomerCredential
from assistant.ports import Clock, Identity, Ids
from assistant.prompts.book import PromptBook
from assistant.server.attachments import AttachmentService
from assistant.server.auth import SiteTokens, VisitorTokens
from assistant.server.console.console_context import Console
from assistant.server.frames.frame import JsonFrame
from assistant.server.limits import Limits, SharedRates
from assistant.server.operators.access import Operators
from assistant.server.operators.handoff_events import HandoffHook
from assistant.server.operators.stored_data import CustomerData, DocumentArchive
from assistant.server.phone.phone_context import PhoneContext
from assistant.server.readiness import Readiness
from assistant.server.uploads import Uploads
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.listeners import Notices
from assistant.sessions.session import Session
from assistant.voice.session import VoiceSessionFactory

if TYPE_CHECKING:
    from assistant.telemetry.observer import TenantTelemetry


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantInfo:
    """The assistant as customers and operators see it; the texts come from ``prompts/voice.toml``.

    ``note`` is a small note, for example about the abilities of a demo model; None for none. ``model`` and
    ``demo`` are for operators: the decision model's name, and whether it is the embedded one.
    """

    name: str
    greeting: str
    disclosure: str
    starters: tuple[str, ...] = ()
    note: str | None = None
    model: str = ""
    demo: bool = False

    def wire(self) -> JsonFrame:
        """The part that customers see."""
        return {
            "name": self.name,
            "greeting": self.greeting,
            "starters": self.starters,
            "disclosure": self.disclosure,
            "note": self.note,
        }


def assistant_info(book: PromptBook, locale: str) -> AssistantInfo:
    """Returns what the prompts say about the assistant in this language, without a note."""
    voice = book.voice_in(locale)
    return AssistantInfo(
        name=voice.name,
        greeting=voice.greeting,
        disclosure=voice.disclosure,
        starters=tuple(voice.starters),
    )


AssistantInfoOf: TypeAlias = Callable[[str], AssistantInfo]
"""(locale) -> the assistant's texts in this language."""

LocaleOf: TypeAlias = Callable[[str | None], str]
"""(the page's language, if it is known) -> the locale of the conversation."""


class Sessions(Protocol):
    """Opens conversations: the session registry, or a replay that counts them."""

    async def open(
        self, key: ConversationKey, customer: Customer, credential: CustomerCredential | None = None
    ) -> Session:
        """The live conversation; see :meth:`SessionRegistry.open`."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class ServerContext:
    """What all websockets and routes of the server use.

    ``readiness`` says whether the whole installation can answer customers; None: ``/readyz`` is not served.

    ``origins`` are further web origins ("https://shop.example") whose pages may connect; the server's own
    pages always may. ``hosts`` are further names that the server answers to; None: any.
    ``developer_allowed``: clients that ask for it see the details of tools. ``notices_allowed``: they get
    ``notices``. ``site`` verifies the site's tokens; None: there is no site. ``handoffs`` are the
    conversations that agents have or are asked to take; None: handoff is off. ``operators``: who may take
    them over here; ``hook``: how another program's agents do; None: off. ``console``: the pages of staff;
    None: off. ``attachments`` serves the files that tools return; None: they are not shown. ``uploads``
    accepts customers' files, and ``archive`` those of operators; None: none are accepted. ``customers``
    exports and erases a customer's data. ``phone`` accepts calls, ``voice`` opens voice sessions; None: off.
    ``rates`` counts what clients ask of several servers; None: there is only this one. ``telemetry`` counts
    websockets; None: nothing is counted.
    """

    sessions: Sessions
    identity: Identity
    tokens: VisitorTokens
    clock: Clock
    ids: Ids
    about: AssistantInfoOf
    locale_of: LocaleOf = lambda said: said or "en"
    readiness: Readiness | None = None
    site: SiteTokens | None = None
    notices: Notices = field(default_factory=Notices)
    handoffs: HandoffRegistry | None = None
    operators: Operators | None = None
    console: Console | None = None
    hook: HandoffHook | None = None
    attachments: AttachmentService | None = None
    uploads: Uploads | None = None
    archive: DocumentArchive | None = None
    customers: CustomerData | None = None
    phone: PhoneContext | None = None
    voice: VoiceSessionFactory | None = None
    developer_allowed: bool = False
    notices_allowed: bool = False
    origins: frozenset[str] = frozenset()
    hosts: frozenset[str] | None = None
    limits: Limits = field(default_factory=Limits)
    rates: SharedRates | None = None
    telemetry: "TenantTelemetry | None" = None
