"""An agent who takes over a conversation sees what the customer was shown."""

from assistant.conversation.customer import ConversationKey
from assistant.conversation.entries import CustomerMessage, Logged, MessageClosed, TurnStarted
from assistant.prompts.book import shipped_book
from assistant.server.attachments import AttachmentAddresses, AttachmentService
from assistant.server.frames.frame import JsonFrame, encode
from assistant.server.operators.operator_frames import OPERATOR_SERVER_FRAMES
from assistant.server.operators.routes import change_frames, transcript
from assistant.sessions.config_version import FixedConfig
from assistant.sessions.session import Session
from assistant.testing.chat import StoppingLog, deps_for
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.server.running_server import SECRET, ManualClock
from tests.server.test_attachments import ANSWER, logged

KEY = ConversationKey(tenant="shop", customer="4711", conversation="talk")
TALK = logged(
    ("", CustomerMessage(message_id="u1", client_message_id="m1", text="The photo, please", locale="en")),
    ("t1", TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b")),
    *ANSWER,
)


def talk() -> Session:
    """A conversation that an operator may take over."""
    clock = VirtualClock()
    deps = deps_for(ScriptedModel(clock=clock), [], shipped_book(), clock)
    return Session(key=KEY, entries=TALK, configs=FixedConfig(deps), log=StoppingLog(0), epoch="test")


async def read(key: ConversationKey, after: int) -> list[Logged]:
    return TALK[after:] if key == KEY else []


def service() -> AttachmentService:
    return AttachmentService(AttachmentAddresses(SECRET, ManualClock()), read)


def attached(frame: JsonFrame) -> list[tuple[str, str]]:
    """The names and addresses of what an assistant's message in a frame came with."""
    told = OPERATOR_SERVER_FRAMES.validate_json(encode(frame)).model_dump(by_alias=True)
    messages = told["messages"] if "messages" in told else [told["message"]]
    return [(one["name"], one["url"]) for message in messages for one in message.get("attachments", ())]


async def test_it_is_in_the_transcript_and_in_the_news_under_one_address() -> None:
    closed = [one for one in TALK if isinstance(one.entry, MessageClosed)]
    session = talk()

    before, live = (
        attached(transcript(session, service())),
        [attached(one) for one in change_frames(session, closed, service())],
    )

    assert [before] == live
    (name, address), _ = before
    assert name == "Your parcel at the door"
    found = await service().find(address.rpartition("/")[2])
    assert found is not None
    assert found.name == name


async def test_without_attachments_nothing_is_mentioned() -> None:
    session = talk()

    assert attached(transcript(session)) == []
    assert [attached(one) for one in change_frames(session, TALK[-1:])] == [[]]
