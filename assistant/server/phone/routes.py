"""The routes that Twilio calls for instructions, with answers in TwiML, its markup language.

Twilio asks when a call comes, when the assistant has finished, and when a transfer has ended.
"""

from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlencode
from xml.etree.ElementTree import Element, SubElement, tostring

import structlog
from fastapi import APIRouter, Request
from fastapi.responses import PlainTextResponse, Response
from starlette.datastructures import QueryParams

from assistant.conversation.entries import Handoff, MessageOpened
from assistant.prompts.locale import with_region
from assistant.prompts.utterances import PhoneTold
from assistant.server.limits import WRONG_TOKENS_RETRY_S, WrongTokens
from assistant.server.phone.phone_context import (
    HEADER,
    PhoneContext,
    Via,
    caller,
    conversation_of,
    is_call_sid,
)
from assistant.server.server_context import ServerContext, Sessions
from assistant.sessions.handoff import SessionHandoff
from assistant.sessions.handoff_registry import HandoffRegistry
from assistant.sessions.session import Session

INCOMING = "/v1/phone/incoming"
ENDED = "/v1/phone/ended"
ANSWERED = "/v1/phone/answered"
DIALLED = "/v1/phone/dialled"
RELAY = "/v1/phone/relay"
MEDIA = "/v1/phone/media"

TOKEN = "token"  # noqa: S105 - a name, no token
"""The name of the parameter that admits a call's websocket."""

SOCKETS: dict[Via, str] = {"relay": RELAY, "media": MEDIA}


def connect_twiml(
    phone: PhoneContext, token: str, *, locale: str, greeting: str | None, again: int = 0
) -> str:
    """TwiML that connects the call to the assistant.

    ``token`` comes back in the websocket's first message. It is not in the address, because addresses are
    logged. ``greeting`` is the text that Twilio says first if it speaks; None: nothing. ``again`` counts how
    often this call was interrupted.
    """
    response = Element("Response")
    verb = SubElement(response, "Connect", action=_address(phone, ENDED, again=str(again)))
    if phone.via == "relay":
        socket = SubElement(verb, "ConversationRelay", _relay(phone, locale, greeting))
    else:
        socket = SubElement(verb, "Stream", url=_socket(phone))
    SubElement(socket, "Parameter", name=TOKEN, value=token)
    return _written(response)


def transfer_twiml(phone: PhoneContext, number: str, call_sid: str, handoff_id: str) -> str:
    """TwiML that transfers the call to this number and reports the answer and the end."""
    named = {"call": call_sid, "handoff": handoff_id}
    response = Element("Response")
    dial = SubElement(
        response, "Dial", action=_address(phone, DIALLED, **named), timeout=str(phone.limits.rings_s)
    )
    SubElement(dial, "Number", url=_address(phone, ANSWERED, **named)).text = number
    return _written(response)


def wait_twiml(phone: PhoneContext, again: int) -> str:
    """TwiML that lets the call ring longer and then asks again. A pause at the beginning comes before the call
    is answered.
    """
    response = Element("Response")
    SubElement(response, "Pause", length=str(phone.limits.loads_s))
    SubElement(response, "Redirect").text = _address(phone, INCOMING, again=str(again))
    return _written(response)


def empty_twiml() -> str:
    """TwiML without an instruction."""
    return _written(Element("Response"))


def hang_up_twiml() -> str:
    """TwiML that ends the call."""
    response = Element("Response")
    SubElement(response, "Hangup")
    return _written(response)


def _relay(phone: PhoneContext, locale: str, greeting: str | None) -> dict[str, str]:
    greeted = {} if greeting is None else {"welcomeGreeting": greeting, "welcomeGreetingInterruptible": "any"}
    return {
        "url": _socket(phone),
        **greeted,
        "language": with_region(locale),
        "interruptible": "any",
        # Also report words that do not interrupt the assistant.
        "reportInputDuringAgentSpeech": "any",
        "ignoreBackchannel": "true",
        "dtmfDetection": "true",
        "events": "tokens-played",
    }


def _address(phone: PhoneContext, path: str, **query: str) -> str:
    return f"{phone.url}{path}?{urlencode(query)}"


def _socket(phone: PhoneContext) -> str:
    return f"wss{phone.url.removeprefix('https')}{SOCKETS[phone.via]}"


def _written(response: Element) -> str:
    return '<?xml version="1.0" encoding="UTF-8"?>' + tostring(response, encoding="unicode")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallConnector:
    """Connects incoming calls to the assistant.

    ``locale`` is the language of the calls. ``ready`` says whether the speech models are loaded, and begins to
    load them.
    """

    phone: PhoneContext
    sessions: Sessions
    handoffs: HandoffRegistry | None
    locale: str
    ready: Callable[[], bool]
    wrong_signatures: WrongTokens

    def connect(self, call_sid: str, greeting: str | None, again: int = 0) -> str:
        """Connect the call to the assistant over a websocket that needs the token of this answer."""
        token = self.phone.calls.expect(call_sid, self.phone.limits.token_s)
        return connect_twiml(self.phone, token, locale=self.locale, greeting=greeting, again=again)


def connector_of(context: ServerContext, phone: PhoneContext) -> CallConnector:
    """The connector of this server."""
    voice = context.voice

    def ready() -> bool:
        if phone.via == "relay":
            return True
        if voice is not None:
            voice.start_loading()
        return voice is not None and voice.voice is not None

    return CallConnector(
        phone=phone,
        sessions=context.sessions,
        handoffs=context.handoffs,
        locale=context.locale_of(None),
        wrong_signatures=WrongTokens(context.clock),
        ready=ready,
    )


_LARGEST = 16 * 1024
_TRANSFERABLE = frozenset({"requested", "queued"})
_PICKED_UP = frozenset({"completed", "answered"})

log = structlog.get_logger(__name__)


def phone_routes(connector: CallConnector) -> APIRouter:
    """The routes. Requests without Twilio's signature are refused (403; 429 after many)."""
    router = APIRouter()

    @router.post(INCOMING)
    async def incoming(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        form = await _signed_form(request, connector)
        return form if isinstance(form, Response) else _xml(_greet(connector, form, request.query_params))

    @router.post(ENDED)
    async def ended(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        form = await _signed_form(request, connector)
        if isinstance(form, Response):
            return form
        return _xml(await _after_the_assistant(connector, form, request.query_params))

    @router.post(ANSWERED)
    async def answered(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        form = await _signed_form(request, connector)
        if isinstance(form, Response):
            return form
        handoff = await _handoff_of(connector, request.query_params)
        if handoff is not None:
            await handoff.accept(connector.phone.transfer or "", "phone")
        return _xml(empty_twiml())

    @router.post(DIALLED)
    async def dialled(request: Request) -> Response:  # pyright: ignore[reportUnusedFunction]
        form = await _signed_form(request, connector)
        return (
            form
            if isinstance(form, Response)
            else _xml(await _after_a_person(connector, form, request.query_params))
        )

    return router


def _greet(connector: CallConnector, form: QueryParams, query: QueryParams) -> str:
    """Answer the call; while the models are being loaded, let it ring."""
    call = form.get("CallSid", "")
    if not is_call_sid(call):
        return hang_up_twiml()
    if not connector.ready():
        again = _number(query.get("again")) + 1
        return (
            wait_twiml(connector.phone, again) if again <= connector.phone.limits.loads else hang_up_twiml()
        )
    greeting = connector.phone.book().render(PhoneTold(what="greeting"), connector.locale)
    return connector.connect(call, greeting)


async def _after_the_assistant(connector: CallConnector, form: QueryParams, query: QueryParams) -> str:
    """Transfer the call if an agent was requested; reconnect an interrupted call; otherwise end it."""
    call, number = form.get("CallSid", ""), connector.phone.transfer
    if not is_call_sid(call) or form.get("CallStatus") == "completed":
        return hang_up_twiml()
    await _open(connector, call)
    handoff = _of(connector, call)
    current = handoff.current if handoff is not None else None
    if number is not None and current is not None and current.state in _TRANSFERABLE:
        return transfer_twiml(connector.phone, number, call, current.handoff_id)
    again = _number(query.get("again")) + 1
    if again > connector.phone.limits.again or await connector.phone.calls.was_ended(call):
        return hang_up_twiml()
    log.warning("a call was interrupted; it is reconnected", call=call, error=form.get("ErrorCode"))
    return connector.connect(call, None, again)


async def _after_a_person(connector: CallConnector, form: QueryParams, query: QueryParams) -> str:
    """The assistant speaks again after a transfer, whether or not it was answered."""
    call = query.get("call", "")
    handoff = await _handoff_of(connector, query)
    gone = form.get("CallStatus") == "completed"
    if handoff is not None:
        session = await _open(connector, call)
        before = len(session.entries)
        if form.get("DialCallStatus") in _PICKED_UP:
            # Another agent may have taken over the conversation before the telephone was answered.
            if handoff.has_it(connector.phone.transfer or "", "phone"):
                await handoff.end_handoff()
        else:
            await handoff.decline(f"the telephone: {form.get('DialCallStatus')}")
        if gone:
            await _unheard(session, before)
    if gone or not is_call_sid(call):
        return hang_up_twiml()
    return connector.connect(call, None)


async def _unheard(session: Session, after: int) -> None:
    """Record that a caller who hung up has heard none of the later messages."""
    for logged in session.entries[after:]:
        if isinstance(logged.entry, MessageOpened):
            await session.heard(logged.entry.message_id, 0)


async def _handoff_of(connector: CallConnector, query: QueryParams) -> SessionHandoff | None:
    """Returns the hand-over that is named by the query of a request to one of our addresses.

    Returns None if the query is not valid, or if this hand-over is no longer the current one of its conversation.
    """
    call = query.get("call", "")
    if not is_call_sid(call):
        return None
    await _open(connector, call)
    handoff = _of(connector, call)
    current: Handoff | None = handoff.current if handoff is not None else None
    return handoff if current is not None and current.handoff_id == query.get("handoff") else None


async def _open(connector: CallConnector, call: str) -> Session:
    tenant = connector.phone.tenant
    return await connector.sessions.open(
        conversation_of(tenant, call), caller(tenant, call, connector.locale)
    )


def _of(connector: CallConnector, call: str) -> SessionHandoff | None:
    key = conversation_of(connector.phone.tenant, call)
    return (
        connector.handoffs.find_handoff(key.tenant, key.conversation)
        if connector.handoffs is not None
        else None
    )


async def _signed_form(request: Request, connector: CallConnector) -> QueryParams | Response:
    """Twilio's form, or the refusal of a request that is not from Twilio."""
    body = b""
    async for part in request.stream():
        body += part
        if len(body) > _LARGEST:
            return PlainTextResponse(f"at most {_LARGEST} bytes are taken\n", 413)
    form = QueryParams(body)
    target = request.url.path + (f"?{request.url.query}" if request.url.query else "")
    if connector.phone.signatures.of_request(target, form, request.headers.get(HEADER, "")):
        return form
    if not connector.wrong_signatures.allow(request):
        wait = {"Retry-After": str(WRONG_TOKENS_RETRY_S)}
        return PlainTextResponse("too many wrong signatures; wait a minute\n", 429, wait)
    log.warning("refused: not signed by Twilio", path=request.url.path)
    return PlainTextResponse("not signed with the account's token, or for another address\n", 403)


def _number(text: str | None) -> int:
    return int(text) if text is not None and text.isdecimal() else 0


def _xml(written: str) -> Response:
    return Response(written, media_type="application/xml")
