"""The inbox of staff: which conversations need a person, and what a person does with one.

Everything is read from the log. The rows of conversations that are open on this server are computed from their
sessions; the others from a few of their stored entries.
"""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import Logged
from assistant.conversation.sharing import Typist
from assistant.conversation.staff_entries import Assigned
from assistant.conversation.values import Json
from assistant.ports import Clock
from assistant.server.console.access import ConsoleRefused
from assistant.server.console.inbox_rows import ROW_ENTRIES, ROW_KINDS, InboxRow, View, row_of
from assistant.server.console.inbox_transcript import TranscriptItems
from assistant.server.console.live_topics import Follower, NewsFeed, Resumed, TopicUnknown
from assistant.server.console.promises import Due, due_of, urgency
from assistant.server.frames.frame import JsonFrame
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.handoff_registry import HandoffRegistry, HandoffUpdate
from assistant.sessions.session import Session
from assistant.sessions.session_registry import SessionRegistry
from assistant.staff.accounts import Account
from assistant.staff.roles import Permission
from assistant.staff.workforce import Colleague, Workforce
from assistant.storage_ports import ConversationList

PAGE = 100
"""Rows of one answer."""

EARLIER = 5
"""Other conversations of a customer that are shown next to one."""

MOST_STANDING = 2_000
"""Conversations that wait for a person, or have one, of which the inbox shows no more."""

REPLAY = 2_000
"""The longest part of a conversation, in entries, that is replayed instead of sent anew."""

Cursor: TypeAlias = tuple[int, str]
"""The time at which a conversation began, and its id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboxPage:
    """A part of a list. ``after`` is where the next part begins; None if this is the last one."""

    rows: Sequence[InboxRow]
    after: Cursor | None
    total: int
    waiting: int


class Inbox:
    """The inbox of one tenant on this server.

    Args:
        tenant: whose conversations they are.
        stored: the lists of the log.
        sessions: the conversations that are open here.
        handoffs: what agents do with them.
        clock: what times are measured by.
        epoch: names this server's numbering of news.
        workforce: the people who take conversations; None: no one is known.
        assigns: conversations that wait are assigned to people automatically.
    """

    permission: Permission = "inbox.read"

    def __init__(
        self,
        *,
        tenant: str,
        stored: ConversationList,
        sessions: SessionRegistry,
        handoffs: HandoffRegistry,
        clock: Clock,
        epoch: str,
        workforce: Workforce | None = None,
        assigns: bool = False,
    ) -> None:
        self.workforce, self.assigns = workforce, assigns
        self._colleagues: list[Colleague] = []
        self.tenant, self.clock, self.handoffs, self.sessions = tenant, clock, handoffs, sessions
        self._stored = stored
        self.feed = NewsFeed("inbox.read", epoch)
        self._dirty: dict[ConversationKey, None] = {}
        self._standing: dict[str, InboxRow] = {}
        self._stops: list[Callable[[], None]] = []
        self._followers = 0

    # Lists

    async def list_rows(
        self, view: View, account: str, after: Cursor | None, team: str | None = None
    ) -> InboxPage:
        """A part of a list. ``team``: "" for the teams of this person, and conversations for anyone; else a
        team's name; None for all. Raises ``LogError``.
        """
        await self.read_colleagues()
        teams = self._teams(account, team)
        everything = await self._read_standing()
        standing = [row for row in everything if _is_for(row, teams)]
        waiting = sum(row.is_in("waiting", account) for row in standing)
        if view in ("waiting", "mine"):
            rows = [row for row in standing if row.is_in(view, account)]
            if view == "mine":
                rows.sort(key=lambda row: (row.unanswered_ms == 0, self.due(row) is None, -row.last_ms))
            else:
                rows.sort(key=lambda row: urgency(row, self.due(row)))
            return InboxPage(rows=rows, after=None, total=len(rows), waiting=waiting)
        only = "closed" if view == "closed" else "all"
        found = await self._stored.newest(self.tenant, ROW_KINDS, PAGE, before=after, only=only)
        rows = [self._row(one.key, one.entries) for one in found]
        last = found[-1] if len(found) == PAGE else None
        return InboxPage(
            # One that was opened again after it was closed is in the other lists.
            rows=[row for row in rows if row.seq and row.is_in(view, account) and _is_for(row, teams)],
            after=(last.opened_ms, last.key.conversation) if last is not None else None,
            total=await self._stored.count(self.tenant, only),
            waiting=waiting,
        )

    async def _read_standing(self) -> list[InboxRow]:
        """The conversations that wait for a person, or that one has; and open ones that were assigned."""
        found = await self._stored.newest(self.tenant, ROW_KINDS, MOST_STANDING, only="handoff")
        rows = {one.key.conversation: self._row(one.key, one.entries) for one in found}
        for key, session in self.sessions.open_sessions().items():
            if key.conversation not in rows and session.state.assigned is not None and not session.failed:
                rows[key.conversation] = self._row(key, session.entries)
        self._standing = {name: row for name, row in rows.items() if row.state in _STANDING}
        return list(rows.values())

    def _teams(self, account: str, team: str | None) -> frozenset[str] | None:
        if team is None:
            return None
        own = next((one.profile.teams for one in self._colleagues if one.account.id == account), ())
        return frozenset((team,)) if team else frozenset(("", *own))

    @property
    def teams(self) -> tuple[str, ...]:
        """The teams that the company's rules name."""
        return self.sessions.newest_config.deps.escalation.teams

    def due(self, row: InboxRow) -> Due | None:
        """What people have promised to do next for a conversation, and by when."""
        deps = self.sessions.newest_config.deps
        return due_of(row, deps.escalation, deps.book.voice.hours, self.clock.now())

    # People

    async def read_colleagues(self) -> list[Colleague]:
        """Everyone who may take conversations over, as they are now. Raises ``LogError``."""
        if self.workforce is not None:
            self._colleagues = await self.workforce.colleagues()
        return self._colleagues

    def open_of(self, account: str) -> int:
        """How many conversations a person has, or is to take."""
        rows = self._standing.values()
        return sum(row.account == account and row.state in ("waiting", "taken") for row in rows)

    def could_take(self, row: InboxRow) -> list[Colleague]:
        """The people who are available, fit, and have room for one more, with the fewest open ones first."""
        if self.workforce is None or row.state not in ("waiting", "ticket"):
            return []
        team, skill = (row.routed.team, row.routed.skill) if row.routed is not None else ("", "")
        now_ms = self.workforce.clock.now_ms()
        found = [
            (self.open_of(one.account.id), one.account.login, one)
            for one in self._colleagues
            if one.profile.availability(now_ms) == "available" and one.profile.fits(team, skill)
        ]
        return [
            one
            for number, _, one in sorted(found, key=lambda each: each[:2])
            if number < one.profile.capacity
        ]

    async def come_for(self, account: Account) -> list[Session]:
        """Note that a page of this person is open. If conversations are assigned automatically, assign those that
        wait for no one in particular to this person, as long as no one else has fewer open ones.

        Each server asks only for the people whose pages it has, so no two servers assign the same conversation to
        two people. Returns the conversations that were assigned. Raises ``LogError``.
        """
        if self.workforce is None or "conversations.take_over" not in account.may:
            return []
        await self.workforce.note_presence(account)
        if not self.assigns:
            return []
        await self.read_colleagues()
        waiting = [row for row in await self._read_standing() if row.state == "waiting" and not row.account]
        done: list[Session] = []
        for row in sorted(waiting, key=lambda row: urgency(row, self.due(row))):
            could = self.could_take(row)
            if not could or could[0].account.id != account.id:
                continue
            handoff = await self.open_handoff(row.key.conversation)
            if handoff.current is None or handoff.has_person or handoff.session.state.assigned is not None:
                continue
            await handoff.annotate(Assigned(account=account.id, name=account.name))
            self._standing[row.key.conversation] = replace(row, account=account.id, account_name=account.name)
            done.append(handoff.session)
        return done

    def wire(self, row: InboxRow) -> JsonFrame:
        """A row as pages see it, with what is due and who could take it."""
        due = self.due(row)
        could: list[Json] = [one.account.name for one in self.could_take(row)]
        return {**row.wire(), "due": due.wire() if due is not None else None, "could_take": could}

    def _row(self, key: ConversationKey, entries: Sequence[Logged]) -> InboxRow:
        """The row of a conversation: of its session, if it is open here."""
        session = self.sessions.open_sessions().get(key)
        if session is not None and not session.failed and session.state.seq:
            return row_of(key, session.entries, name=session.customer.name or "")
        return row_of(key, entries)

    # News

    async def follow(self, follower: Follower) -> Callable[[], None]:
        """The topic "inbox": rows that are new or have changed. See the port."""
        if not self._followers:
            # With an agent here, this server also follows the handoffs of other servers.
            self._stops = [
                self.sessions.listeners.add(self._on_entries),
                self.handoffs.listen(self.tenant, self._on_handoff),
            ]
            await self._read_standing()
        self._followers += 1
        stop = await self.feed.follow(follower, waiting=self._count_waiting())

        def end() -> None:
            stop()
            self._followers -= 1
            if not self._followers:
                for each in self._stops:
                    each()

        return end

    def _on_entries(self, news: tuple[ConversationKey, Sequence[Logged]]) -> None:
        key, batch = news
        if any(isinstance(logged.entry, ROW_ENTRIES) for logged in batch):
            self._change(key)

    def _on_handoff(self, update: HandoffUpdate) -> None:
        self._change(update[0].key)

    def _change(self, key: ConversationKey) -> None:
        """Tell the pages about a row, once for all that changes at the same time."""
        if not self._dirty:
            asyncio.get_running_loop().call_soon(self._publish)
        self._dirty[key] = None

    def _publish(self) -> None:
        dirty, self._dirty = list(self._dirty), {}
        for key in dirty:
            session = self.sessions.open_sessions().get(key)
            if session is None or session.failed or not session.state.seq:
                continue
            row = self._row(key, ())
            self._standing.pop(key.conversation, None)
            if row.state in _STANDING:
                self._standing[key.conversation] = row
            self.feed.publish({"row": self.wire(row), "waiting": self._count_waiting()})

    def _count_waiting(self) -> int:
        return sum(one.is_in("waiting", "") for one in self._standing.values())

    # One conversation

    async def open_session(self, conversation: str) -> Session:
        """The live conversation. Raises ``ConsoleRefused`` if there is none, and ``LogError``."""
        key = await self._stored.find(self.tenant, conversation)
        if key is None:
            raise ConsoleRefused(404, "unknown_conversation", "this conversation is not there any more")
        return await self.sessions.open(key, None)

    async def open_handoff(self, conversation: str) -> SessionHandoff:
        """What agents do with a conversation. Raises ``ConsoleRefused`` if there is none, and ``LogError``."""
        session = await self.open_session(conversation)
        handoff = self.handoffs.find_handoff(self.tenant, session.key.conversation)
        if handoff is None or not session.state.said:
            raise ConsoleRefused(404, "unknown_conversation", "this conversation is not there any more")
        return handoff

    def about(self, session: Session) -> JsonFrame:
        """What the page shows of a conversation besides what was said."""
        summary = session.state.summary
        row = self.wire(self._row(session.key, session.entries))
        return {**row, "summary": summary.text if summary is not None else None}

    async def earlier(self, key: ConversationKey) -> list[JsonFrame]:
        """The customer's newest other conversations. Raises ``LogError``."""
        found = await self._stored.newest(self.tenant, ROW_KINDS, EARLIER + 1, customer=key.customer)
        rows = [self._row(one.key, one.entries) for one in found if one.key != key]
        return [self.wire(row) for row in rows if row.seq][:EARLIER]


def _is_for(row: InboxRow, teams: frozenset[str] | None) -> bool:
    return teams is None or (row.routed.team if row.routed is not None else "") in teams


_STANDING = ("waiting", "taken", "ticket")


class ConversationTopic:
    """The topic "conversation": what is said in one, and its state.

    Args:
        inbox: opens the conversations.
    """

    permission: Permission = "inbox.read"

    def __init__(self, inbox: Inbox) -> None:
        self._inbox = inbox

    async def follow(self, follower: Follower) -> Callable[[], None]:
        """See the port. ``news`` has ``items`` that are new or have changed, and the conversation's ``row``."""
        try:
            session = await self._inbox.open_session(follower.object_id)
        except ConsoleRefused as refused:
            raise TopicUnknown from refused
        await follower.record(session.key.customer)
        earlier = await self._inbox.earlier(session.key)
        items = TranscriptItems(details="tools.read" in follower.account.may)
        entries = list(session.entries)
        missed = len(entries) - follower.seq
        resumed: Resumed = "new" if not follower.epoch else "snapshot"
        if follower.epoch == session.epoch and 0 <= missed <= REPLAY and follower.seq > 0:
            resumed = "replay"
        told: dict[str, object] = {"resumed": resumed, "epoch": session.epoch, "seq": len(entries)}
        if resumed == "replay":
            items.add(entries[: follower.seq])
            follower.send(_frame("following", told))
            if missed:
                follower.send(
                    _news(len(entries), items.add(entries[follower.seq :]), self._inbox.about(session))
                )
        else:
            items.add(entries)
            shown, omitted = items.newest()
            row = self._inbox.about(session)
            shown_all = {"items": shown, "omitted": omitted, "row": row, "earlier": earlier}
            follower.send(_frame("following", {**told, **shown_all}))

        def hear(batch: Sequence[Logged]) -> None:
            if not batch:
                # Another server writes it now, or it was erased: the page asks again.
                follower.send({"type": "refused", "code": "moved", "message": "follow it again"})
                return
            changed = items.add(batch)
            if changed or any(isinstance(logged.entry, ROW_ENTRIES) for logged in batch):
                follower.send(_news(batch[-1].seq, changed, self._inbox.about(session)))

        def hear_typing(typist: Typist) -> None:
            if typist == "customer":
                follower.send({"type": "typing"})

        stop, stop_typing = session.listen(hear), session.typing_signals.listen(hear_typing)

        def end() -> None:
            stop()
            stop_typing()

        return end

    def note_typing(self, account: Account, object_id: str) -> None:
        """The person is typing; the customer sees it, if this person has the conversation."""
        handoff = self._inbox.handoffs.find_handoff(self._inbox.tenant, object_id)
        if handoff is not None and handoff.is_with(account.id):
            handoff.session.note_typist("agent")


def _news(seq: int, items: list[JsonFrame], row: JsonFrame) -> JsonFrame:
    return {"type": "news", "seq": seq, "items": items, "row": row}  # pyright: ignore[reportReturnType]


def _frame(type_: str, fields: dict[str, object]) -> JsonFrame:
    return {"type": type_, **fields}  # pyright: ignore[reportReturnType]


def cursor_text(cursor: Cursor | None) -> str | None:
    """A cursor as a page sends it back.

    >>> cursor_text((5, "k1")), cursor_text(None)
    ('5.k1', None)
    """
    return None if cursor is None else f"{cursor[0]}.{cursor[1]}"


def parse_cursor(text: str) -> Cursor | None:
    """The inverse of :func:`cursor_text`; None for "". Raises ``ConsoleRefused``.

    >>> parse_cursor("5.k1"), parse_cursor("")
    ((5, 'k1'), None)
    """
    at_ms, dot, name = text.partition(".")
    if not text:
        return None
    if not dot or not at_ms.isdigit() or len(at_ms) > 18:
        raise ConsoleRefused(422, "invalid", f"after: {text[:50]!r} is not where a list goes on")
    return int(at_ms), name
