"""What a client hears. The order within a turn is the contract with the widget::

    accepted
    turn.started
    [ message.* (acknowledgement or status)?  tool.started*  tool.delayed*  tool.finished* ]*
    message.* (response or read-back)  confirmation.requested?
    turn.completed

where ``message.*`` is ``message.started message.delta* message.completed``. A tool may start before the
acknowledgement is complete. A failure is told as a response; ``error`` is for what cannot be told in words.
``turn.completed`` is always last. A ``turn.started`` takes an open question's buttons away; where the
question stays open, it is requested again in that turn.

Before everything else comes ``welcome``, then ``snapshot`` if ``welcome.resumed`` says so. Frames with a
``seq`` are durable: they come in the order of their numbers, each once, and can be asked for again. Gaps
between numbers are normal. Neighbouring deltas of one message may come as one, under the last one's number.
``notice`` may come at any time, and only to whoever asked for it.

A person may take the conversation over: ``handoff.updated`` says how that stands. From ``accepted`` to ``ended``
the assistant is silent: a customer's message is ``accepted`` and no turn begins, and the person's own come as
``person.message``. A turn without a ``client_id`` of its own is the assistant's word on it.
"""

from typing import Annotated, Literal, TypeAlias

from pydantic import Field, JsonValue, TypeAdapter

from assistant.conversation.entries import Rating
from assistant.conversation.outcomes import OutcomeName
from assistant.conversation.values import HowTurnEnded
from assistant.server.frames.frame import (
    Assistant,
    AssistantsMessage,
    At,
    Attachments,
    CallId,
    Confirmation,
    CredentialStanding,
    CustomersMessage,
    ErrorCode,
    HandoffStanding,
    Kind,
    MessageId,
    OpenMessage,
    PersonsMessage,
    RejectedCode,
    SentFiles,
    Seq,
    ServerFrame,
    Tool,
    TurnId,
    Uploads,
    Usage,
    Visitor,
)


class Voice(ServerFrame):
    """Whether one can speak here."""

    ready: bool = Field(
        description="the microphone may be switched on; false: it is not installed, or not loaded"
    )
    problem: str | None = Field(default=None, description="for whoever runs the assistant: what is missing")


class AudioReady(ServerFrame):
    """The answer to ``audio.start``: binary frames are taken from now on."""

    type: Literal["audio.ready"]
    mode: Literal["hands_free", "push_to_talk"] = Field(description="as it was asked for")
    speak: bool = Field(description="whether answers will be spoken")
    tempo: float = Field(description="how fast")


class AudioClip(ServerFrame):
    """A clip follows in binary frames."""

    type: Literal["audio.clip"]
    clip: int = Field(description="its number, from 1")
    rate: int = Field(description="samples a second")
    message_id: str | None = Field(description="the message that it says a piece of; null: a sound, no words")
    start: int = Field(description="where in the message's text the piece begins, in Unicode characters")
    end: int = Field(description="where it ends")


class AudioClipEnd(ServerFrame):
    """A clip is complete."""

    type: Literal["audio.clip_end"]
    clip: int = Field(description="which")
    ms: int = Field(description="how long it plays")


class AudioPause(ServerFrame):
    """Somebody speaks: fall silent at once, and remember where; answer with ``audio.played``."""

    type: Literal["audio.pause"]


class AudioResume(ServerFrame):
    """It was nothing: go on where it was paused."""

    type: Literal["audio.resume"]


class AudioDrop(ServerFrame):
    """These clips need not be played any more; one of them that is playing falls silent softly."""

    type: Literal["audio.drop"]
    clips: list[int] = Field(description="their numbers")
    fade_ms: int = Field(description="within which time")


class AudioClear(ServerFrame):
    """Fall silent at once and forget all clips; answer with ``audio.played`` for one that was playing."""

    type: Literal["audio.clear"]


class AudioCaption(ServerFrame):
    """What the customer is understood to say. The next one replaces it; ``accepted`` stands for the final one."""

    type: Literal["audio.caption"]
    text: str = Field(description='so far; "" takes it away')
    final: bool = Field(description="whether it is a message now")


class AudioActivity(ServerFrame):
    """What goes on."""

    type: Literal["audio.activity"]
    activity: Literal["listening", "hearing", "thinking", "speaking"] = Field(
        description="nobody speaks; the customer does; an answer is being found; the assistant speaks"
    )


AnyAudioFrame: TypeAlias = (
    AudioReady
    | AudioClip
    | AudioClipEnd
    | AudioPause
    | AudioResume
    | AudioDrop
    | AudioClear
    | AudioCaption
    | AudioActivity
)
"""What a client that speaks hears besides the conversation. None of it is durable.

Audio itself comes in binary frames: four bytes, little-endian, the number of its clip; then mono 16-bit
little-endian samples. Clips are played one after the other, in the order of their numbers.
"""


class Welcome(ServerFrame):
    """The answer to ``hello``.

    ``resumed``: ``new``, nothing was said so far; ``replay``, the durable frames after ``last_seq`` follow;
    ``snapshot``, that frame follows and stands for everything before. After ``new`` and ``snapshot`` a client
    forgets what it had shown.
    """

    type: Literal["welcome"]
    conversation_id: str = Field(description="the conversation that is open now")
    token: str = Field(description="opens this conversation, and no other, until ``expires_at``")
    expires_at: int = Field(description="when the token ends, in Unix milliseconds")
    customer: Visitor = Field(description="who the server takes the customer for")
    epoch: str = Field(description="changes when numbers begin anew")
    seq: int = Field(description="the newest entry's number; does not move the client's cursor")
    resumed: Literal["new", "replay", "snapshot"] = Field(description="how the conversation goes on")
    developer: bool = Field(description="whether tools' names, arguments and results will be told")
    notices: bool = Field(description="whether ``notice`` frames will be sent")
    max_text: int = Field(description="the longest text of a message, in characters")
    credential: CredentialStanding | None = Field(
        default=None, description="null: no tool here acts in the customer's name, or nobody is signed in"
    )
    uploads: Uploads | None = Field(default=None, description="what files may be sent; null: none are taken")
    voice: Voice | None = Field(default=None, description="whether one can speak; null: nobody can here")
    assistant: Assistant = Field(description="who answers here")


class Snapshot(ServerFrame):
    """The conversation as it stands at ``seq``; it moves the cursor there."""

    type: Literal["snapshot"]
    seq: int = Field(description="the newest entry's number")
    messages: list[
        Annotated[CustomersMessage | AssistantsMessage | PersonsMessage, Field(discriminator="from_")]
    ] = Field(description="complete ones, oldest first")
    omitted: int = Field(description="how many older ones were left out")
    open_message: OpenMessage | None = Field(description="what the assistant is saying just now")
    turn_id: str | None = Field(description="the running turn")
    tools: list[Tool] = Field(description="those still running")
    confirmation: Confirmation | None = Field(description="the open question")
    handoff: HandoffStanding | None = Field(
        default=None, description="how the newest request for a person stands; null: none, or it has ended"
    )


class Accepted(ServerFrame):
    """A customer's message stands in the history, and every client of the conversation hears of it.

    A message that is sent again is accepted again, under its first number.
    """

    type: Literal["accepted"]
    seq: Seq
    id: str = Field(description="under which a client sent it")
    text: str = Field(description="what the customer said; may be empty where there are files")
    spoken: bool = Field(default=False, description="whether it was said aloud")
    attachments: SentFiles
    at: At


class Rejected(ServerFrame):
    """A ``message``, ``confirm`` or ``feedback`` was not taken.

    ``empty``; ``too_long``; ``confirmation_closed``: answered or replaced; ``unknown_message``: there is none to be
    rated; ``unknown_file``: it is not there, or no longer; ``busy``: too many messages wait already;
    ``rate_limited``: too many in a minute. The last two may be tried again later under the same id.
    """

    type: Literal["rejected"]
    id: str = Field(description="of the frame; of the message that is rated, where a feedback had none")
    code: RejectedCode = Field(description="why")
    message: str = Field(description="why, in plain English; other languages go by ``code``")


class TurnStarted(ServerFrame):
    """The assistant takes up a message; or tells, unasked, what it could not tell before."""

    type: Literal["turn.started"]
    seq: Seq
    turn_id: TurnId
    client_id: str | None = Field(description="the ``id`` of that message; null where there is none")


class MessageStarted(ServerFrame):
    """The assistant begins to say something."""

    type: Literal["message.started"]
    seq: Seq
    message_id: MessageId
    turn_id: TurnId
    at: At


class MessageDelta(ServerFrame):
    """Some more of it."""

    type: Literal["message.delta"]
    seq: Seq
    message_id: MessageId
    text: str = Field(description="to be appended")


class MessageCompleted(ServerFrame):
    """A message is complete and stands in the history; only now is its kind known."""

    type: Literal["message.completed"]
    seq: Seq
    message_id: MessageId
    kind: Kind
    text: str = Field(description="all of it")
    call_ids: list[str] = Field(description="the tools that it announces")
    interrupted: bool = Field(description="whether it was stopped before its end")
    attachments: Attachments


class MessageHeard(ServerFrame):
    """A message is spoken, and so much of it has been heard: only that counts as said."""

    type: Literal["message.heard"]
    seq: Seq
    message_id: MessageId
    up_to: int = Field(description="Unicode characters of its text, from the beginning")


class ToolStarted(Tool):
    """A tool is running."""

    type: Literal["tool.started"]
    seq: Seq


class ToolDelayed(ServerFrame):
    """Tools take their time; comes after the ``status`` that says so, in one frame for all that it speaks of."""

    type: Literal["tool.delayed"]
    seq: Seq
    call_ids: list[str] = Field(description="the tools that are still running")


class ToolFinished(ServerFrame):
    """A tool that had started is done."""

    type: Literal["tool.finished"]
    seq: Seq
    call_id: CallId
    outcome: OutcomeName = Field(description="how it went")
    ms: int = Field(description="how long it took, in milliseconds")
    name: str | None = Field(default=None, description="the tool's name; for developers only")
    arguments: dict[str, JsonValue] | None = Field(
        default=None, description="what the tool was called with; for developers only"
    )
    result: JsonValue = Field(default=None, description="what came back; for developers only")


class ConfirmationRequested(Confirmation):
    """The customer is asked; show the buttons."""

    type: Literal["confirmation.requested"]
    seq: Seq


class HandoffUpdated(HandoffStanding):
    """A request for a person moves on, or a person comes unasked; ``accepted`` closes an open question."""

    type: Literal["handoff.updated"]
    seq: Seq


class PersonMessage(ServerFrame):
    """A person of the company says something, all of it at once."""

    type: Literal["person.message"]
    seq: Seq
    message_id: MessageId
    name: str = Field(description="what they are called")
    text: str = Field(description="what they say, as plain text")
    at: At


class TurnCompleted(ServerFrame):
    """The turn is over."""

    type: Literal["turn.completed"]
    seq: Seq
    turn_id: TurnId
    how: HowTurnEnded = Field(description="how it ended")
    usage: Usage | None = Field(default=None, description="what its models took; for developers only")


class Rated(ServerFrame):
    """The customer has rated a message; may come at any time after it."""

    type: Literal["rated"]
    seq: Seq
    message_id: MessageId
    rating: Rating | None = Field(description="null: it was taken back")


class Notice(ServerFrame):
    """Something for whoever runs the assistant: an edit that was refused, or that all is well again.

    What is wrong when a client comes is told after ``welcome``; later ones when they happen.
    """

    type: Literal["notice"]
    problem: bool = Field(description="whether something is wrong")
    message: str = Field(description="what, and where, in English")


class Error(ServerFrame):
    """Something that cannot be told as a response.

    After ``bad_frame`` and ``not_supported`` the conversation goes on, and after ``not_heard``: then something
    that was said aloud did not become a message, and ``message`` tells the customer so, who hears it, too. Without
    a hello, or with one that cannot be believed, the socket is closed: ``hello_expected``, ``token_invalid``, and
    for ``hello.user`` ``user_unavailable`` (this server knows no site), ``user_refused`` (forged, or not made as it
    must be), ``user_expired`` and ``user_replayed``.
    """

    type: Literal["error"]
    code: ErrorCode = Field(description="what kind of problem")
    retryable: bool = Field(description="whether sending the same again can help")
    message: str = Field(
        description="for developers: what is wrong, with which value, and what would have worked"
    )


class IdentityRenewed(ServerFrame):
    """The answer to ``identity``: the site's word was taken."""

    type: Literal["identity.renewed"]
    credential: CredentialStanding | None = Field(
        description="as in ``welcome``, with what the token has brought"
    )


class Pong(ServerFrame):
    """Here I am."""

    type: Literal["pong"]
    id: str | None = Field(description="the ``ping``'s")


AnyServerFrame: TypeAlias = (
    Welcome
    | Snapshot
    | Accepted
    | Rejected
    | TurnStarted
    | MessageStarted
    | MessageDelta
    | MessageCompleted
    | MessageHeard
    | ToolStarted
    | ToolDelayed
    | ToolFinished
    | ConfirmationRequested
    | HandoffUpdated
    | PersonMessage
    | TurnCompleted
    | Rated
    | Notice
    | Error
    | IdentityRenewed
    | Pong
    | AnyAudioFrame
)

SERVER_FRAMES: TypeAdapter[AnyServerFrame] = TypeAdapter(
    Annotated[AnyServerFrame, Field(discriminator="type")]
)
