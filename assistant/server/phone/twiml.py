"""What Twilio is to do with a call, in its markup."""

from urllib.parse import urlencode
from xml.etree.ElementTree import Element, SubElement, tostring

from assistant.server.phone.phone_context import PhoneContext, Via

INCOMING = "/v1/phone/incoming"
ENDED = "/v1/phone/ended"
ANSWERED = "/v1/phone/answered"
DIALLED = "/v1/phone/dialled"
RELAY = "/v1/phone/relay"
MEDIA = "/v1/phone/media"

TOKEN = "token"  # noqa: S105 - a name, no token
"""The name of the parameter that lets a call's socket in."""

SOCKETS: dict[Via, str] = {"relay": RELAY, "media": MEDIA}

_REGIONS = {"en": "en-US", "de": "de-DE"}


def connect(phone: PhoneContext, token: str, *, locale: str, greeting: str | None, again: int = 0) -> str:
    """Talk with the assistant.

    ``token`` comes back in the socket's first message. It is not part of the address: addresses are logged.
    ``greeting`` is what Twilio says first, where it speaks; None: nothing. ``again`` counts how often this call's
    line was cut.
    """
    response = Element("Response")
    verb = SubElement(response, "Connect", action=_address(phone, ENDED, again=str(again)))
    if phone.via == "relay":
        socket = SubElement(verb, "ConversationRelay", _relay(phone, locale, greeting))
    else:
        socket = SubElement(verb, "Stream", url=_socket(phone))
    SubElement(socket, "Parameter", name=TOKEN, value=token)
    return _written(response)


def transfer(phone: PhoneContext, number: str, call_sid: str, handoff_id: str) -> str:
    """Pass the call on to this number, and say when it is answered, and how that ended."""
    named = {"call": call_sid, "handoff": handoff_id}
    response = Element("Response")
    dial = SubElement(
        response, "Dial", action=_address(phone, DIALLED, **named), timeout=str(phone.limits.rings_s)
    )
    SubElement(dial, "Number", url=_address(phone, ANSWERED, **named)).text = number
    return _written(response)


def wait(phone: PhoneContext, again: int) -> str:
    """Let it ring a little longer, then ask anew. A pause that comes first is one before the call is taken."""
    response = Element("Response")
    SubElement(response, "Pause", length=str(phone.limits.loads_s))
    SubElement(response, "Redirect").text = _address(phone, INCOMING, again=str(again))
    return _written(response)


def nothing() -> str:
    """Go on."""
    return _written(Element("Response"))


def hang_up() -> str:
    """The call is over."""
    response = Element("Response")
    SubElement(response, "Hangup")
    return _written(response)


def _relay(phone: PhoneContext, locale: str, greeting: str | None) -> dict[str, str]:
    greeted = {} if greeting is None else {"welcomeGreeting": greeting, "welcomeGreetingInterruptible": "any"}
    return {
        "url": _socket(phone),
        **greeted,
        "language": _REGIONS.get(locale, locale),
        "interruptible": "any",
        # Also what is said without cutting anything off is said to us.
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
