"""What the console's routes use."""

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

from assistant.conversation.customer import Channel, ConversationKey
from assistant.conversation.entries import Logged
from assistant.conversation.tool_spec import ToolSpec
from assistant.inspector.conversation_index import ConversationIndex
from assistant.inspector.copied_test import CopiedTest
from assistant.inspector.forked import AskedModels, Fork, ForkedTurn
from assistant.inspector.replayed import ReplayedConversation
from assistant.inspector.requests import RebuiltRequest
from assistant.ports import Clock, Ids, Keys
from assistant.server.auth import UsedTokens
from assistant.server.console.live_topics import Topic
from assistant.server.limits import ClientRates, SharedRates
from assistant.sessions.session_registry import SessionRegistry
from assistant.staff.identity_provider import IdentityProvider
from assistant.staff.live_pauses import LivePauses
from assistant.staff.staff import Staff
from assistant.staff.store import AuditStore, CannedReplyStore
from assistant.staff.workforce import Workforce

if TYPE_CHECKING:
    from assistant.server.console.inbox import Inbox

ConsoleLanguage: TypeAlias = Literal["en", "de"]
"""The languages of the console's own texts."""

_SIGN_INS_PER_MINUTE = 10
_LOGINS_PER_ADDRESS = 6


class Inspector(Protocol):
    """Makes what the console shows of single requests and calls. Methods raise ``AssistantError``."""

    async def rebuild(self, key: ConversationKey, entries: Sequence[Logged], asked: Logged) -> RebuiltRequest:
        """The request that was sent with the entry ``asked``."""
        ...

    async def copy_as_test(self, key: ConversationKey, entries: Sequence[Logged]) -> CopiedTest:
        """A replay test made from this conversation, as the text of a file, and whether it passes now."""
        ...

    async def replay(self, key: ConversationKey, entries: Sequence[Logged]) -> ReplayedConversation:
        """The conversation next to its replay with the configuration of today. No model is asked."""
        ...

    def asked_models(self) -> AskedModels:
        """The models that ``fork`` asks."""
        ...

    async def fork(self, key: ConversationKey, entries: Sequence[Logged], fork: Fork) -> ForkedTurn:
        """A turn as it would be with what is changed in it. What models take is counted."""
        ...

    async def receipt(self, key: ConversationKey, call_key: str) -> bytes:
        """The receipt of a call, by its idempotency key, as the bytes of a file."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversations:
    """The conversations of the tenant, to read them.

    ``read`` returns the log of one. A conversation that had no activity for ``idle_ms`` has ended. Without an
    ``inspector``, neither requests nor receipts are shown.
    """

    index: ConversationIndex
    read: Callable[[ConversationKey], Awaitable[list[Logged]]]
    idle_ms: int
    inspector: Inspector | None = None


@dataclass(frozen=True, kw_only=True)
class PauseControls:
    """What can be paused, and what is.

    Args:
        pauses: what is paused.
        channels: the channels that this server has.
        tools: the tools of new conversations.
        newest: the configuration version of the folders.
        versions: the versions that were first used last, newest first, each with its time in Unix ms.
        people: customers can be handed over to people.
    """

    pauses: LivePauses
    channels: Sequence[Channel]
    tools: Callable[[], Sequence[ToolSpec]]
    newest: Callable[[], str]
    versions: Callable[[int], Awaitable[Sequence[tuple[str, int]]]]
    people: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class CompanySignIn:
    """Signing in with the company's identity provider.

    ``keys`` seal what a browser keeps meanwhile, ``ids`` makes what no one can guess, and ``used`` remembers which
    sign-ins have ended. All servers of the installation share them.
    """

    provider: IdentityProvider
    keys: Keys
    ids: Ids
    used: UsedTokens


@dataclass(frozen=True, kw_only=True)
class Approvals:
    """What staff decide about changes with.

    Args:
        tenant: whose conversations they are.
        sessions: the conversations.
        clock: what times are measured by.
    """

    tenant: str
    sessions: SessionRegistry
    clock: Clock


@dataclass(kw_only=True)
class Console:
    """The console of one tenant.

    Args:
        staff: its people.
        audit: the records of what they do.
        conversations: what customers and the assistant have said.
        clock: what times are measured by.
        company: the company's name.
        shared: counts attempts to sign in on all servers together; None: there is only this server.
        find_sample: whether there are example conversations; None: there are none.
        controls: what can be paused; None: nothing can.
        accent: the company's colour, such as "#7a2e5c"; None: the console's own.
        passwords: people may sign in with a password.
        company_sign_in: they may sign in with the company's identity provider; None: there is none.
        inbox: the conversations for people; None: this server has none.
        workforce: the people who take them; None: no one is known.
        approvals: the changes that wait for a decision of staff; None: there are none.
        replies: the canned replies of agents; None: there are none.

    Attributes:
        topics: what pages may follow live, by name; each part of the console adds its own.
    """

    staff: Staff
    audit: AuditStore
    conversations: Conversations
    clock: Clock
    company: Callable[[], str]
    shared: SharedRates | None = None
    find_sample: Callable[[], Awaitable[bool]] | None = None
    controls: PauseControls | None = None
    accent: str | None = None
    passwords: bool = True
    company_sign_in: CompanySignIn | None = None
    inbox: "Inbox | None" = None
    workforce: Workforce | None = None
    approvals: Approvals | None = None
    replies: CannedReplyStore | None = None
    topics: dict[str, Topic] = field(default_factory=dict[str, Topic])
    sign_ins: ClientRates = field(init=False)

    async def has_sample(self) -> bool:
        """Whether there are example conversations."""
        return self.find_sample is not None and await self.find_sample()

    def __post_init__(self) -> None:
        self.sign_ins = ClientRates(
            "console sign-ins", _SIGN_INS_PER_MINUTE, _LOGINS_PER_ADDRESS, self.clock, self.shared
        )
