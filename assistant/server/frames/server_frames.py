"""The frames that a client receives. The order within a turn is guaranteed to the widget::

    accepted
    turn.started
    [ message.* (acknowledgement or status)?  tool.started*  tool.delayed*  tool.progress*  tool.finished* ]*
    message.* (response or read-back)  confirmation.requested?
    turn.completed

where ``message.*`` is ``message.started message.delta* message.completed``. A tool may start before the
acknowledgement is complete. A failure is told as a response; ``error`` is for errors that a response cannot
tell. ``turn.completed`` is always last. A ``turn.started`` removes an open question's buttons; if the question
stays open, it is requested again in that turn.

``welcome`` is the first frame, followed by ``snapshot`` if ``welcome.resumed`` says so. Frames with a ``seq``
are durable: they come in the order of their numbers, each once, and can be requested again. Gaps between
numbers are normal. Neighbouring deltas of one message may come as one, under the last one's number. ``notice``
may come at any time, and only to clients that asked for it.

An agent may take over the conversation: ``handoff.updated`` gives the state. From ``accepted`` to ``ended`` the
assistant is silent: a customer's message is ``accepted`` and no turn begins, and the agent's messages come as
``person.message``. A turn without a ``client_id`` contains the assistant's message about the handoff.
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
    Progress,
    RejectedCode,
    RunningTool,
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
    """Whether this conversation can use voice."""

    ready: bool = Field(
        description="the microphone may be switched on; false: it is not installed, or not loaded"
    )
    problem: str | None = Field(default=None, description="for the operator: what is missing")


class AudioReady(ServerFrame):
    """The answer to ``audio.start``: binary frames are accepted from now on."""

    type: Literal["audio.ready"]
    mode: Literal["hands_free", "push_to_talk"] = Field(description="as it was asked for")
    speak: bool = Field(description="whether answers will be spoken")
    tempo: float = Field(description="how fast")


class AudioClip(ServerFrame):
    """Announces a clip, which follows in binary frames."""

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
    """The customer may be speaking: stop immediately, remember the position, and answer with ``audio.played``."""

    type: Literal["audio.pause"]


class AudioResume(ServerFrame):
    """It was no interruption: continue at the paused position."""

    type: Literal["audio.resume"]


class AudioDrop(ServerFrame):
    """These clips are no longer needed; one that is playing fades out."""

    type: Literal["audio.drop"]
    clips: list[int] = Field(description="their numbers")
    fade_ms: int = Field(description="within which time")


class AudioClear(ServerFrame):
    """Stop immediately and drop all clips; answer with ``audio.played`` for the clip that was playing."""

    type: Literal["audio.clear"]


class AudioCaption(ServerFrame):
    """The transcript of the customer's speech. The next one replaces it; ``accepted`` replaces the final one."""

    type: Literal["audio.caption"]
    text: str = Field(description='so far; "" takes it away')
    final: bool = Field(description="whether it is a message now")


class AudioActivity(ServerFrame):
    """The current activity of the voice session."""

    type: Literal["audio.activity"]
    activity: Literal["listening", "hearing", "thinking", "speaking"] = Field(
        description="silence; the customer speaks; an answer is being prepared; the assistant speaks"
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
"""Frames that a client with voice receives in addition to the conversation. They are not durable.

Audio itself comes in binary frames: four bytes, little-endian, with the number of its clip; then mono 16-bit
little-endian samples. Clips are played one after the other, in the order of their numbers.
"""


class Welcome(ServerFrame):
    """The answer to ``hello``.

    ``resumed``: ``new``, there is no message yet; ``replay``, the durable frames after ``last_seq`` follow;
    ``snapshot``, that frame follows and replaces everything before. After ``new`` and ``snapshot`` a client
    discards what it had shown.
    """

    type: Literal["welcome"]
    conversation_id: str = Field(description="the conversation that is open now")
    token: str = Field(description="opens this conversation, and no other, until ``expires_at``")
    expires_at: int = Field(description="when the token ends, in Unix milliseconds")
    customer: Visitor = Field(description="who the server takes the customer for")
    epoch: str = Field(description="changes when numbers begin anew")
    seq: int = Field(description="the newest entry's number; does not move the client's cursor")
    resumed: Literal["new", "replay", "snapshot"] = Field(description="how the conversation continues")
    developer: bool = Field(description="whether tools' names, arguments and results will be told")
    notices: bool = Field(description="whether ``notice`` frames will be sent")
    max_text: int = Field(description="the longest text of a message, in characters")
    credential: CredentialStanding | None = Field(
        default=None,
        description="null: no tool acts on behalf of the customer, or they are not signed in",
    )
    uploads: Uploads | None = Field(default=None, description="what files may be sent; null: none are taken")
    voice: Voice | None = Field(default=None, description="whether voice can be used; null: voice is off")
    assistant: Assistant = Field(description="who answers here")


class Snapshot(ServerFrame):
    """The state of the conversation at ``seq``. It moves the cursor there."""

    type: Literal["snapshot"]
    seq: int = Field(description="the newest entry's number")
    messages: list[
        Annotated[CustomersMessage | AssistantsMessage | PersonsMessage, Field(discriminator="from_")]
    ] = Field(description="complete ones, oldest first")
    omitted: int = Field(description="how many older ones were left out")
    open_message: OpenMessage | None = Field(description="what the assistant is saying just now")
    turn_id: str | None = Field(description="the running turn")
    tools: list[RunningTool] = Field(description="those still running")
    confirmation: Confirmation | None = Field(description="the open question")
    handoff: HandoffStanding | None = Field(
        default=None, description="the state of the newest request for a person; null: none, or it has ended"
    )


class Accepted(ServerFrame):
    """A customer's message is in the history. All clients of the conversation get this frame.

    A message that is sent again is accepted again, with its first number.
    """

    type: Literal["accepted"]
    seq: Seq
    id: str = Field(description="under which a client sent it")
    text: str = Field(description="what the customer said; may be empty where there are files")
    spoken: bool = Field(default=False, description="whether it was said aloud")
    attachments: SentFiles
    at: At


class Rejected(ServerFrame):
    """A ``message``, ``confirm`` or ``feedback`` was refused.

    ``empty``; ``too_long``; ``confirmation_closed``: answered or replaced; ``unknown_message``: there is no
    such message to rate; ``unknown_file``: it does not exist, or no longer; ``busy``: too many messages are
    waiting; ``rate_limited``: too many in a minute. After the last two, try again later with the same id.
    """

    type: Literal["rejected"]
    id: str = Field(description="of the frame; of the message that is rated, where a feedback had none")
    code: RejectedCode = Field(description="why")
    message: str = Field(description="why, in plain English; other languages go by ``code``")


class TurnStarted(ServerFrame):
    """The assistant begins to answer a message, or tells results that it could not tell before."""

    type: Literal["turn.started"]
    seq: Seq
    turn_id: TurnId
    client_id: str | None = Field(description="the ``id`` of that message; null where there is none")


class MessageStarted(ServerFrame):
    """The assistant begins a message."""

    type: Literal["message.started"]
    seq: Seq
    message_id: MessageId
    turn_id: TurnId
    at: At


class MessageDelta(ServerFrame):
    """More text of a message."""

    type: Literal["message.delta"]
    seq: Seq
    message_id: MessageId
    text: str = Field(description="to be appended")


class MessageCompleted(ServerFrame):
    """A message is complete and in the history. Its kind is known only now."""

    type: Literal["message.completed"]
    seq: Seq
    message_id: MessageId
    kind: Kind
    text: str = Field(description="all of it")
    call_ids: list[str] = Field(description="the tools that it announces")
    interrupted: bool = Field(description="whether it was stopped before its end")
    attachments: Attachments


class MessageHeard(ServerFrame):
    """A spoken message was heard up to this character. Only the heard part counts as said."""

    type: Literal["message.heard"]
    seq: Seq
    message_id: MessageId
    up_to: int = Field(description="Unicode characters of its text, from the beginning")


class ToolStarted(Tool):
    """A tool is running."""

    type: Literal["tool.started"]
    seq: Seq


class ToolDelayed(ServerFrame):
    """Tools take long. It comes after the ``status`` message about it, one frame for all tools that the message
    names.
    """

    type: Literal["tool.delayed"]
    seq: Seq
    call_ids: list[str] = Field(description="the tools that are still running")


class ToolProgress(Progress):
    """A tool that takes minutes to days reports its progress. Its ``tool.finished`` comes after the turn's end,
    maybe days later.
    """

    type: Literal["tool.progress"]
    seq: Seq
    call_id: CallId


class ToolFinished(ServerFrame):
    """A tool has finished."""

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
    """The assistant asks the customer; show the buttons."""

    type: Literal["confirmation.requested"]
    seq: Seq


class HandoffUpdated(HandoffStanding):
    """The state of a request for a person has changed, or an agent has taken over; ``accepted`` closes an
    open question.
    """

    type: Literal["handoff.updated"]
    seq: Seq


class PersonMessage(ServerFrame):
    """A message of an agent of the company; the text is complete."""

    type: Literal["person.message"]
    seq: Seq
    message_id: MessageId
    name: str = Field(description="what they are called")
    text: str = Field(description="what they say, as plain text")
    at: At


class PersonTyping(ServerFrame):
    """The agent who has the conversation is typing. Show it for six seconds, or until their message comes.

    It comes again every few seconds while it is true. It has no number, and may be lost.
    """

    type: Literal["person.typing"]
    name: str = Field(description="what they are called")


class TurnCompleted(ServerFrame):
    """The turn has ended."""

    type: Literal["turn.completed"]
    seq: Seq
    turn_id: TurnId
    how: HowTurnEnded = Field(description="how it ended")
    usage: Usage | None = Field(default=None, description="what its models took; for developers only")


class Rated(ServerFrame):
    """The customer has rated a message. It may come at any time after the message."""

    type: Literal["rated"]
    seq: Seq
    message_id: MessageId
    rating: Rating | None = Field(description="null: it was taken back")


class Notice(ServerFrame):
    """Information for operators: an edit was refused, or everything works again.

    A problem that exists when a client connects is sent after ``welcome``; later ones when they occur.
    """

    type: Literal["notice"]
    problem: bool = Field(description="whether something is wrong")
    message: str = Field(description="what, and where, in English")


class Error(ServerFrame):
    """An error that cannot be said in a response.

    After ``bad_frame`` and ``not_supported`` the conversation continues. It also continues after ``not_heard``:
    then spoken words did not become a message, and ``message`` is the text about this for the customer, who
    also hears it. Without a hello, or with an invalid one, the websocket is closed: ``hello_expected``,
    ``token_invalid``, and for ``hello.user`` ``user_unavailable`` (this server has no site), ``user_refused``
    (forged, or wrongly made), ``user_expired`` and ``user_replayed``.
    """

    type: Literal["error"]
    code: ErrorCode = Field(description="what kind of problem")
    retryable: bool = Field(description="whether sending the same again can help")
    message: str = Field(
        description="for developers: what is wrong, with which value, and what would have worked"
    )


class IdentityRenewed(ServerFrame):
    """The answer to ``identity``: the site's token was accepted."""

    type: Literal["identity.renewed"]
    credential: CredentialStanding | None = Field(
        description="as in ``welcome``, with what the token has brought"
    )


class Pong(ServerFrame):
    """The answer to ``ping``."""

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
    | ToolProgress
    | ToolFinished
    | ConfirmationRequested
    | HandoffUpdated
    | PersonMessage
    | PersonTyping
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
