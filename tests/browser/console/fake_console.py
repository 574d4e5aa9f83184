"""A server of the console with its accounts in memory: the same routes and answers as the real one."""

import json
import mimetypes
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from http import HTTPStatus
from pathlib import Path
from typing import Literal, TypeAlias

from aiohttp import web

from tests.browser.console.fake_conversations import FakeConversations

DIST = Path(__file__).parents[3] / "web" / "dist" / "console"
COOKIE = "meanwhile_console"
POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self';"
    " base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
COMPANY = "Willow & Finch"
PAGE = 50
NOON = 1_795_780_800_000
"""27 November 2026, 12:00 UTC."""

Role: TypeAlias = Literal["agent", "editor", "analyst", "admin"]
Value: TypeAlias = "str | int | bool | list[Value] | dict[str, Value] | None"
Body: TypeAlias = dict[str, Value]

EVERYTHING = [
    "inbox.read",
    "conversations.read",
    "conversations.take_over",
    "approvals.decide",
    "replies.read",
    "replies.edit",
    "reports.read",
    "prompts.read",
    "prompts.edit",
    "policies.read",
    "policies.edit",
    "knowledge.read",
    "knowledge.edit",
    "tools.read",
    "health.read",
    "assistant.pause",
    "people.manage",
    "audit.read",
]
MAY: dict[Role, list[str]] = {
    "admin": EVERYTHING,
    "agent": [
        "inbox.read",
        "conversations.read",
        "conversations.take_over",
        "approvals.decide",
        "replies.read",
        "knowledge.read",
        "health.read",
    ],
    "editor": [
        "conversations.read",
        "replies.read",
        "replies.edit",
        "reports.read",
        "prompts.read",
        "prompts.edit",
    ],
    "analyst": ["conversations.read", "reports.read"],
}


def _dumped(value: object) -> str:
    return json.dumps(value, default=dict)


USUAL_LAUNCH: Body = {
    "mode": "usual",
    "percent": 100,
    "levels": [],
    "locales": [],
    "wait_s": 120,
    "chosen": None,
}


@dataclass(frozen=True, kw_only=True)
class FakePerson:
    """An account, with its password as it is typed."""

    id: str
    login: str
    name: str
    roles: list[Role]
    password: str = ""
    disabled: bool = False
    language: str = ""
    seen: int | None = NOON

    def told(self) -> Body:
        """What the session's own page gets of it."""
        return {
            "id": self.id,
            "login": self.login,
            "name": self.name,
            "roles": [*self.roles],
            "language": self.language,
        }

    def listed(self) -> Body:
        """What admins get of it."""
        return self.told() | {
            "disabled": self.disabled,
            "has_password": self.password != "",
            "last_seen_at": self.seen,
        }


ANA = FakePerson(
    id="a1", login="ana@example.com", name="Ana Silva", roles=["admin"], password="correct horse battery"
)
BEN = FakePerson(
    id="a2", login="ben@example.com", name="Ben Roth", roles=["agent"], password="a b c d e f g h"
)


class Refused(Exception):
    """An answer that is no success."""

    def __init__(self, status: int, code: str, message: str, **headers: str) -> None:
        super().__init__(message)
        self.status, self.code, self.message, self.headers = status, code, message, headers


@dataclass
class FakeConsole:
    """Serves the page and its requests on loopback. A test sets the fields and looks at what was asked."""

    people: dict[str, FakePerson] = field(default_factory=lambda: {ANA.id: ANA, BEN.id: BEN})
    sessions: dict[str, str] = field(default_factory=dict[str, str])
    """The account of each session's token."""
    replies: list[Value] = field(default_factory=list[Value])
    conversations: FakeConversations = field(default_factory=FakeConversations)
    links: dict[str, str] = field(default_factory=dict[str, str])
    """The account of each one-time link that was not used yet."""
    records: list[Body] = field(default_factory=list[Body])
    """The audit, newest first."""
    tried: list[Body] = field(default_factory=list[Body])
    """What was changed in trials of turns."""
    asked: list[str] = field(default_factory=list[str])
    """The requests that changed something or tried to: "POST people"."""
    failures: dict[str, Refused] = field(default_factory=dict[str, Refused])
    """The next answer to a request such as "GET people"."""
    waiting: list[Body] = field(default_factory=list[Body])
    """The changes that wait for approval."""
    waiting_replies: list[Body] = field(default_factory=list[Body])
    """The replies of the assistant that wait for a colleague."""
    launch: Body = field(default_factory=lambda: dict(USUAL_LAUNCH))
    decided: list[Body] = field(default_factory=list[Body])
    """What was decided about them."""
    paused: list[Body] = field(default_factory=list[Body])
    """What is paused."""
    oidc: str | None = None
    """The name of the company's identity provider."""
    elsewhere: bool = False
    """People are still signed in at the provider after they signed out here."""
    passwords: bool = True
    accent: str | None = None
    sample: bool = False
    inbox: int = 0
    """The number of conversations in each list of the inbox."""
    port: int = 0
    _count: int = 0

    @property
    def url(self) -> str:
        """Where the console is."""
        return f"http://127.0.0.1:{self.port}/console"

    def expire(self) -> None:
        """End all sessions."""
        self.sessions.clear()

    def make_link(self, account: str) -> str:
        """The token of a new one-time link."""
        token = f"link-{self._next()}"
        self.links = {old: whose for old, whose in self.links.items() if whose != account} | {token: account}
        return token

    def record(self, action: str, account: FakePerson | None, **more: Value) -> None:
        """Add a record to the audit."""
        number = self._next()
        who: Value = (
            {"id": account.id, "login": account.login, "name": account.name} if account is not None else None
        )
        record: Body = {
            "id": str(number),
            "at": NOON + number * 1000,
            "account": who,
            "action": action,
            "object": None,
            "customer": None,
            "detail": None,
            "address": "192.0.2.7",
            "outcome": "ok",
        }
        self.records.insert(0, record | more)

    @asynccontextmanager
    async def running(self) -> AsyncGenerator["FakeConsole"]:
        """Serve for as long as the block runs."""
        app = web.Application()
        app.router.add_route("*", "/console/api/{path:.*}", self._answer)
        app.router.add_get("/console/live", _live)
        app.router.add_get("/console", _page)
        app.router.add_get("/console/{path:.*}", _page)
        runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        self.port = runner.addresses[0][1]
        yield self
        await runner.cleanup()

    def _next(self) -> int:
        self._count += 1
        return self._count

    async def _answer(self, request: web.Request) -> web.StreamResponse:
        path = request.match_info["path"]
        try:
            body: Body = await request.json() if request.can_read_body else {}
            if request.method != "GET":
                self.asked.append(f"{request.method} {path}")
            if (failure := self.failures.pop(f"{request.method} {path}", None)) is not None:
                raise failure
            return self._routed(request, path, body)
        except Refused as refused:
            error = {"error": {"code": refused.code, "message": refused.message}}
            headers = {name.replace("_", "-"): value for name, value in refused.headers.items()}
            return web.json_response(error, status=refused.status, headers=headers)

    def _routed(self, request: web.Request, path: str, body: Body) -> web.StreamResponse:
        parts = path.split("/")
        routes: dict[str, Callable[[], web.StreamResponse]] = {
            "GET sign-in": self._ways,
            "GET session": lambda: self._who(request),
            "POST session": lambda: self._sign_in(body),
            "POST session/link": lambda: self._use_link(body),
        }
        if (route := routes.get(f"{request.method} {path}")) is not None:
            return route()
        token, account = self._signed_in(request)
        match request.method, parts:
            case "DELETE", ["session"]:
                del self.sessions[token]
                there: Value = {"name": self.oidc, "href": "/console/oidc/end"} if self.elsewhere else None
                return web.json_response({"elsewhere": there})
            case "PATCH", ["account"]:
                return self._change_own(token, account, body)
            case _, ["people", *rest]:
                self._check(account, "people.manage")
                return self._people(request.method, rest, account, body)
            case "POST", ["conversations", name, "test"]:
                return web.json_response(self.conversations.copied_test(name))
            case "POST", ["conversations", name, "replay"]:
                return web.json_response(self.conversations.replayed(name), dumps=_dumped)
            case "GET", ["conversations", _, "what-if"]:
                return web.json_response({"models": ["anthropic/claude"], "embedded": False})
            case "POST", ["conversations", name, "what-if"]:
                self.tried.append(body)
                return web.json_response(self.conversations.tried(name, str(body["turn"])), dumps=_dumped)
            case "GET", ["conversations", *rest]:
                self._check(account, "conversations.read")
                return self._conversations(request, rest)
            case _, ["approvals", *rest]:
                self._check(account, "approvals.decide")
                return self._approvals(request.method, rest, body)
            case "GET", ["replies"]:
                self._check(account, "replies.read")
                return web.json_response({"replies": [*self.replies]})
            case _, ["pauses", *rest]:
                self._check(account, "assistant.pause")
                return self._pauses(request.method, rest, account, body)
            case "GET", ["inbox"]:
                self._check(account, "inbox.read")
                return self._inbox(int(request.query.get("after") or 0))
            case "GET", ["inbox", "colleagues"]:
                self._check(account, "inbox.read")
                return web.json_response({"people": [], "teams": ["billing"], "assigns": False})
            case "GET", ["audit"]:
                self._check(account, "audit.read")
                return self._audit(request)
            case _:
                raise Refused(404, "not_found", f"there is no {path}")

    def _inbox(self, after: int) -> web.StreamResponse:
        last = min(after + 100, self.inbox)
        rows: list[Value] = [_inbox_row(number) for number in range(after, last)]
        more = str(last) if last < self.inbox else None
        return web.json_response({"rows": rows, "after": more, "total": self.inbox, "waiting": 0})

    def _approvals(self, method: str, rest: list[str], body: Body) -> web.StreamResponse:
        mark = str([one["call"] for one in self.waiting]) + str(len(self.waiting_replies))
        if rest == ["mark"]:
            return web.json_response({"mark": mark})
        if method == "GET":
            return web.json_response(
                {"approvals": [*self.waiting], "replies": [*self.waiting_replies], "mark": mark}
            )
        if rest == ["reply"]:
            if not self.waiting_replies:
                raise Refused(409, "decided", "Ben Roth was faster: it is approved")
            self.waiting_replies = []
            self.decided.append(body)
            return web.json_response({"decision": body["decision"]})
        left = [one for one in self.waiting if one["call"] != body["call"]]
        if len(left) == len(self.waiting):
            raise Refused(409, "decided", "Ben Roth was faster: it is approved")
        self.waiting = left
        self.decided.append(body)
        return web.json_response({"decision": body["decision"]})

    def wait_for_reply(self) -> None:
        """The assistant has written a reply, which a colleague must approve."""
        invoice: Value = [{"number": "A-17", "amount": "150.00", "due": "2026-05-02"}]
        call: Value = {"tool": "get_open_invoices", "arguments": {}, "outcome": "ok", "result": invoice}
        self.waiting_replies.append(
            {
                "conversation": "k2",
                "turn": "t3",
                "customer": {"id": "customer-0042", "name": "Ada Larsson"},
                "level": "signed_in",
                "question": "Do I owe you anything, and until when?",
                "calls": [call],
                "text": "You owe 150 euros, which are due on May 2.",
                "since": NOON,
                "until": NOON + 95_000,
            }
        )

    def wait_for_approval(self, call: str = "c1.1", amount: int = 150) -> None:
        """A customer has agreed to a refund, which a colleague must approve."""
        self.waiting.append(
            {
                "conversation": "k1",
                "turn": "t2",
                "call": call,
                "customer": {"id": "customer-0042", "name": "Ada Larsson"},
                "level": "verified",
                "tool": "refund_order",
                "does": "refunding your order",
                "arguments": {"order_number": "10455", "amount": amount, "lines": [1, 2]},
                "rule": "arguments.amount > 100",
                "question": f"Shall I refund order 10455 with ${amount}?",
                "answer": "Yes, please",
                "since": NOON,
            }
        )

    def _pauses(self, method: str, rest: list[str], account: FakePerson, body: Body) -> web.StreamResponse:
        others = [
            one for one in self.paused if (one["kind"], one["name"]) != (body.get("kind"), body.get("name"))
        ]
        if rest == ["launch"]:
            chosen: Value = {"by": account.name, "since": NOON, "why": body["why"] or None}
            usual = (body["mode"], body["percent"], body["levels"]) == ("usual", 100, [])
            self.launch = {**body, "chosen": None if usual else chosen}
        elif rest == ["resume"]:
            self.paused = others
        elif method == "POST":
            new: Body = {"by": account.name, "since": NOON, "why": body["why"] or None}
            self.paused = [*others, {"kind": body["kind"], "name": body["name"], **new}]
        tools: list[Value] = [
            {"name": "cancel_order", "does": "cancelling your order", "writes": True},
            {"name": "get_open_invoices", "does": "checking your billing", "writes": False},
        ]
        versions: list[Value] = [
            {"id": "5f0d3a77c2be91e4", "first_used_at": NOON - 3_600_000, "newest": True},
            {"id": "09ab41c2d7e35f68", "first_used_at": NOON - 90_000_000, "newest": False},
        ]
        return web.json_response(
            {
                "paused": [*self.paused],
                "channels": ["chat", "voice", "phone"],
                "tools": tools,
                "versions": versions,
                "people": True,
                "launch": self.launch,
            }
        )

    def _who(self, request: web.Request) -> web.StreamResponse:
        token = request.cookies.get(COOKIE, "")
        return web.json_response(self._session(token) if token in self.sessions else {"account": None})

    def _ways(self) -> web.StreamResponse:
        oidc: Value = {"name": self.oidc, "href": "/console/oidc/start"} if self.oidc else None
        return web.json_response(
            {
                "password": self.passwords,
                "oidc": oidc,
                "company": COMPANY,
                "accent": self.accent,
                "locales": ["en", "de"],
            }
        )

    def _sign_in(self, body: Body) -> web.StreamResponse:
        found = [one for one in self.people.values() if one.login == body["login"] and not one.disabled]
        if not found or found[0].password != body["password"]:
            self.record("session.begin", None, outcome="refused")
            raise Refused(401, "wrong_password", "the login or the password is wrong")
        self.record("session.begin", found[0])
        return self._begun(found[0].id)

    def _use_link(self, body: Body) -> web.StreamResponse:
        account = self.links.pop(str(body["token"]), None)
        if account is None:
            raise Refused(401, "link_invalid", "this link was used before, has expired, or was replaced")
        return self._begun(account)

    def _begun(self, account: str) -> web.StreamResponse:
        token = f"session-{self._next()}"
        self.sessions[token] = account
        response = web.json_response(self._session(token))
        response.set_cookie(COOKIE, token, path="/console", httponly=True, samesite="Lax")
        return response

    def _session(self, token: str) -> Body:
        account = self.people[self.sessions[token]]
        may = [one for one in EVERYTHING if any(one in MAY[role] for role in account.roles)]
        return {
            "account": account.told(),
            "may": [*may],
            "csrf": f"csrf of {token}",
            "company": COMPANY,
            "accent": self.accent,
            "sample": self.sample,
            "passwords": self.passwords,
        }

    def _signed_in(self, request: web.Request) -> tuple[str, FakePerson]:
        token = request.cookies.get(COOKIE, "")
        if token not in self.sessions:
            raise Refused(401, "signed_out", "you are not signed in, or your session has ended")
        if request.method != "GET":
            if request.headers.get("X-Console-Token") != f"csrf of {token}":
                raise Refused(403, "csrf", "the header X-Console-Token is missing or of another session")
            assert request.headers["Origin"] == f"http://127.0.0.1:{self.port}"
        return token, self.people[self.sessions[token]]

    def _check(self, account: FakePerson, permission: str) -> None:
        if not any(permission in MAY[role] for role in account.roles):
            raise Refused(403, "not_allowed", f"your roles do not include {permission}")

    def _change_own(self, token: str, account: FakePerson, body: Body) -> web.StreamResponse:
        password = body.get("password")
        if "current_password" in body and body["current_password"] != account.password:
            raise Refused(403, "password_current", "the current password is wrong")
        if isinstance(password, str) and len(password) < 12:
            raise Refused(
                422, "password_weak", f"the password has {len(password)} characters; use 12 or more"
            )
        self.people[account.id] = _changed(account, body)
        return web.json_response(self._session(token))

    def _people(self, method: str, rest: list[str], by: FakePerson, body: Body) -> web.StreamResponse:
        match method, rest:
            case "GET", []:
                listed = [one.listed() for one in self.people.values()]
                return web.json_response({"people": listed})
            case "POST", []:
                if any(one.login == body["login"] for one in self.people.values()):
                    raise Refused(409, "login_taken", f"there is an account with the login {body['login']}")
                person = _changed(
                    FakePerson(id=f"a{self._next()}", login="", name="", roles=[], seen=None), body
                )
                self.people[person.id] = person
                self.record("people.add", by, object=f"account:{person.id}")
                return web.json_response(person.listed(), status=HTTPStatus.CREATED)
            case "PATCH", [account]:
                person = _changed(self.people[account], body)
                others = [one for one in self.people.values() if one.id != account]
                if not any("admin" in one.roles and not one.disabled for one in [person, *others]):
                    raise Refused(409, "last_admin", "this is the last account that may manage people")
                self.people[account] = person
                self.record("people.change", by, object=f"account:{account}", detail=json.dumps(body))
                return web.json_response(person.listed())
            case "POST", [account, "link"]:
                self.record("people.link", by, object=f"account:{account}")
                url = f"{self.url}/link#{self.make_link(account)}"
                return web.json_response({"url": url, "expires_at": NOON + 86_400_000})
            case _:
                raise Refused(404, "not_found", "there is no such route")

    def _conversations(self, request: web.Request, rest: list[str]) -> web.StreamResponse:
        try:
            found = self.conversations.answer(rest, request.query)
        except KeyError:
            raise Refused(404, "unknown_conversation", "there is no such conversation") from None
        return web.Response(text=json.dumps(found, default=dict), content_type="application/json")

    def _audit(self, request: web.Request) -> web.StreamResponse:
        query = request.query
        before = int(query.get("before", 2**53))
        fit = [
            one
            for one in self.records
            if int(str(one["id"])) < before
            and query.get("action", one["action"]) == one["action"]
            and query.get("account", _account(one)) == _account(one)
        ]
        shown = fit[:PAGE]
        rest = shown[-1]["id"] if len(fit) > PAGE else None
        return web.json_response({"records": shown, "before": rest})


def _account(record: Body) -> Value:
    account = record["account"]
    return account["id"] if isinstance(account, dict) else ""


def _changed(person: FakePerson, body: Body) -> FakePerson:
    fields = ("login", "name", "roles", "disabled", "language", "password")
    return replace(person, **{name: body[name] for name in fields if name in body})  # pyright: ignore[reportArgumentType]


_Handler: TypeAlias = Callable[[web.Request], Awaitable[web.StreamResponse]]


def _inbox_row(number: int) -> Body:
    """A conversation of the inbox."""
    return {
        "id": f"k{number}",
        "customer": {"id": f"C-{number}", "name": f"Customer {number}"},
        "level": "verified",
        "locale": "en",
        "state": "assistant",
        "by": None,
        "assigned": None,
        "why": "",
        "since": NOON - number * 1000,
        "unanswered_since": None,
        "last_at": NOON - number * 1000,
        "last_text": "Where is my parcel? It was sent a week ago, and no one has seen it since then.",
        "tags": [],
        "seq": 9,
    }


async def _live(request: web.Request) -> web.WebSocketResponse:
    """The live line, on which nothing ever happens."""
    socket = web.WebSocketResponse(protocols=["meanwhile.console.v1"])
    await socket.prepare(request)
    async for message in socket:
        frame: Body = message.json()
        match frame["type"]:
            case "hello":
                await socket.send_json({"type": "welcome"})
            case "ping":
                await socket.send_json({"type": "pong"})
            case "follow":
                topic = {"topic": frame["topic"], "id": frame["id"]}
                await socket.send_json(
                    {"type": "following", "resumed": "new", "epoch": "e", "seq": 0, **topic}
                )
            case _:
                pass
    return socket


async def _page(request: web.Request) -> web.StreamResponse:
    """A file of the bundle; any other path is a view, which the page itself shows."""
    file = DIST / request.match_info.get("path", "")
    headers = {"Content-Security-Policy": POLICY, "X-Content-Type-Options": "nosniff"}
    if file.is_file():
        mime = mimetypes.guess_type(file.name)[0] or "text/plain"
        return web.Response(body=file.read_bytes(), content_type=mime, headers=headers)
    return web.Response(text=(DIST / "index.html").read_text(), content_type="text/html", headers=headers)
