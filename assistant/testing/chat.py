"""A whole conversation in a test: a customer, a scripted model, and fake tools."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field

from assistant.conversation.customer import ConversationKey, Customer
from assistant.conversation.entries import Logged
from assistant.conversation.outcomes import CallStatus, call_status_name
from assistant.conversation.snapshots import Aging
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.transcript import transcript
from assistant.errors import LogError
from assistant.ports import Clock, Model
from assistant.prompts.book import PromptBook
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.storage_ports import FIRST_NUMBERING, Log, Numbering
from assistant.telemetry.observer import TenantTelemetry
from assistant.testing.scene import scene_of
from assistant.tools.registry import Tools
from assistant.tools.tool import Tool
from assistant.turn.context import Limits, NarrateFromTemplates, RoleModel, TurnDependencies

ANA = Customer(tenant="shop", id="ana", level="verified", name="Ana")
KEY = ConversationKey(tenant="shop", customer="ana", conversation="c-1")


def deps_for(
    model: Model,
    tools: Sequence[Tool],
    book: PromptBook,
    clock: Clock,
    *,
    limits: Limits | None = None,
    confirm_every_write: bool = False,
    narrate: NarrateFromTemplates | None = None,
) -> TurnDependencies:
    """Returns the dependencies of turns in which one model has all roles."""
    return TurnDependencies(
        models={"decider": RoleModel(model=model), "narrator": RoleModel(model=model)},
        tools=Tools(tools),
        book=book,
        narrate=narrate or _plainly,
        clock=clock,
        limits=limits or Limits(),
        confirm_every_write=confirm_every_write,
    )


def _plainly(outcomes: Sequence[CallStatus], specs: Mapping[str, ToolSpec], locale: str) -> str:
    return (
        "From templates: " + ", ".join(f"{one.call.tool} {call_status_name(one)}" for one in outcomes) + "."
    )


@dataclass(slots=True)
class Chat:
    """One customer in one conversation. ``page`` is the locale of the page.

    After ``disconnect`` no client is connected.
    """

    session: Session
    page: str = "en"
    batches: list[Sequence[Logged]] = field(default_factory=list[Sequence[Logged]])
    disconnect: Callable[[], None] = lambda: None
    _said: int = 0

    async def says(self, text: str, *, button: bool = False, number: int | None = None) -> str:
        """Send a message, wait for the complete answer, and return the turn as a scene.

        ``number`` repeats an earlier message with the same id; by default messages are counted up.
        """
        await self.begins(text, button=button, number=number)
        await self.session.answered()
        return self.scene

    async def begins(self, text: str, *, button: bool = False, number: int | None = None) -> None:
        """Send a message without waiting."""
        self._said = number or self._said + 1
        taken = await self.session.say(
            client_message_id=f"m{self._said}",
            text=text,
            locale=self.page,
            button=("yes" if text == "Yes" else "no") if button else None,
        )
        assert taken == "accepted", taken  # noqa: S101

    @property
    def scene(self) -> str:
        """The last turn as a scene."""
        return scene_of(self.session.state.turns[-1])

    @property
    def transcript(self) -> list[str]:
        """All messages so far, one on each line."""
        return [f"{line.speaker}: {line.text}" for line in transcript(self.session.state)]


def open_chat(
    deps: TurnDependencies,
    log: Log,
    entries: Sequence[Logged] = (),
    customer: Customer = ANA,
    telemetry: TenantTelemetry | None = None,
) -> Chat:
    """Returns a conversation that uses ``log``, in which these entries already are.

    ``telemetry`` counts calls, requests and turns.
    """
    session = Session(
        key=KEY,
        entries=entries,
        configs=FixedConfig(deps),
        log=log,
        epoch="test",
        telemetry=telemetry,
    )
    session.customer = customer
    chat = Chat(session)
    chat.disconnect = session.listen(chat.batches.append)
    return chat


@dataclass(slots=True)
class StoppingLog:
    """A log that accepts a number of entries and then fails, as in a crash.

    ``kept`` has the accepted entries. Of the batch that exceeds the limit, the first entries are accepted.
    """

    most: int
    kept: list[Logged] = field(default_factory=list[Logged])

    async def append(self, key: ConversationKey, entries: Sequence[Logged]) -> None:
        """Accept the entries up to the limit."""
        for logged in entries:
            if len(self.kept) >= self.most:
                raise LogError(f"the machine stopped after {self.most} entries")
            self.kept.append(logged)

    async def read(self, key: ConversationKey, after: int = 0) -> list[Logged]:
        """Returns all accepted entries."""
        return self.kept[after:]

    async def conversations(self, tenant: str, customer: str) -> list[str]:
        """Returns the single conversation."""
        return [KEY.conversation]

    async def unfinished(self) -> list[ConversationKey]:
        """Returns the single conversation."""
        return [KEY]

    async def visitors(self, tenant: str, customer: str) -> list[str]:
        """Returns an empty list, always."""
        return []

    async def numbering(self, key: ConversationKey) -> Numbering:
        """Returns the first numbering, always, because this log is never erased or restored."""
        return FIRST_NUMBERING

    async def erase(self, tenant: str, customer: str) -> int:
        """Erases nothing."""
        return 0

    async def forget(
        self, before_ms: int, keep: Collection[ConversationKey] = (), tenant: str | None = None
    ) -> int:
        """Erases nothing."""
        return 0

    async def thin_out(self, what: Aging, before_ms: int, tenant: str | None = None) -> int:
        """Changes nothing."""
        return 0

    async def check_writable(self) -> None:
        """Does nothing: the log is writable."""

    async def close(self) -> None:
        """Does nothing."""
