"""Handles a client's frames: calls the session and sends the replies."""

from collections.abc import Sequence
from typing import assert_never

from assistant.conversation.customer import Customer
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
)
from assistant.errors import StoreError
from assistant.prompts.utterances import Rejected
from assistant.server.audio_channel import AudioChannel
from assistant.server.auth import UserRefused
from assistant.server.frame_sender import FrameSender
from assistant.server.frames.client_frames import (
    AnyClientFrame,
    AudioEnd,
    AudioPlayed,
    AudioStart,
    AudioStop,
    Cancel,
    Confirm,
    Feedback,
    HandoffEnd,
    Hello,
    Identity,
    Message,
    Ping,
    Seen,
    Typing,
)
from assistant.server.frames.frame import ErrorCode, JsonFrame, RejectedCode
from assistant.server.handshake import credential_standing, redeem_site_token
from assistant.server.limits import Allowance
from assistant.server.projector import accepted
from assistant.server.server_context import ServerContext
from assistant.sessions.session import Button, Session


def seen_message(entries: Sequence[Logged], seq: int) -> tuple[str, int] | None:
    """The newest message at entry ``seq``, and its number of characters at that entry.

    None if the assistant had said nothing.
    """
    message_id, up_to = None, 0
    for logged in reversed(entries[:seq]):
        match logged.entry:
            case MessageText(message_id=said, text=text) if message_id in {None, said}:
                message_id, up_to = said, up_to + len(text)
            case MessageOpened(message_id=said) if message_id in {None, said}:
                return said, up_to
            case MessageClosed(message_id=said) if message_id is None:
                message_id = said
            case _:
                pass
    return None


def error_frame(code: ErrorCode, message: str) -> JsonFrame:
    """The error frame for errors that a response cannot tell. Sending the request again does not help."""
    return {"type": "error", "code": code, "retryable": False, "message": message}


class FrameHandler:
    """Handles the frames of one websocket and calls the session.

    Args:
        session: the conversation.
        sender: sends the answers.
        context: the limits and the clock.
        audio: the websocket's audio.
        allowance: the rate limits.
        customer: the customer, with the locale for messages without one.
    """

    def __init__(
        self,
        session: Session,
        sender: FrameSender,
        context: ServerContext,
        *,
        audio: AudioChannel,
        allowance: Allowance,
        customer: Customer,
    ) -> None:
        self._context, self._customer = context, customer
        self._session = session
        self._sender = sender
        self._audio = audio
        self._handoffs, self._uploads = context.handoffs, context.uploads
        self._longest = context.limits.text_chars
        self._locale, self._locale_of = customer.locale, context.locale_of
        self._allowance = allowance
        self._seen = ("", 0)

    async def handle_frame(self, frame: AnyClientFrame) -> None:
        """Handle one frame. Returns when the session has accepted it, not when it has answered."""
        match frame:
            case Message():
                await self._message(frame)
            case Confirm():
                await self._confirm(frame)
            case Cancel():
                await self._audio.stop_speaking()
                await self._session.stop(frame.turn_id)
            case Seen():
                self._saw(frame.seq)
            case Typing():
                self._session.typing()
                self._session.note_typist("customer")
            case HandoffEnd():
                await self._give_back()
            case Ping():
                self._sender.reply({"type": "pong", "id": frame.id})
            case Hello():
                self._sender.reply(error_frame("bad_frame", "hello comes once, as the first frame"))
            case Identity():
                await self._renew(frame)
            case Feedback():
                await self._rate(frame)
            case AudioStart() | AudioEnd() | AudioStop() | AudioPlayed():
                await self._audio.handle_frame(frame)
            case _:
                assert_never(frame)

    async def _message(self, frame: Message) -> None:
        if not frame.text.strip() and not frame.attachments:
            self._reject(frame.id, Rejected(reason="empty"))
        elif len(frame.text) > self._longest:
            self._reject(frame.id, self._too_long(frame.text))
        else:
            await self._say_with_files(frame)

    async def _say_with_files(self, frame: Message) -> None:
        try:
            files = await self._files_of(frame)
        except StoreError:
            self._reject(frame.id, Rejected(reason="files_busy"))
            return
        if files is not None:
            locale = self._locale_of(frame.locale) if frame.locale else self._locale
            await self._say(frame.id, frame.text, locale, attachments=files)
        elif not self._accept_again(frame.id):
            self._reject(frame.id, Rejected(reason="unknown_file"))

    async def _files_of(self, frame: Message) -> tuple[Attached, ...] | None:
        """The customer's own files with these ids; None if one does not exist or belongs to another customer."""
        if not frame.attachments:
            return ()
        refs = [one.ref for one in frame.attachments]
        return await self._uploads.attached(self._session.key, refs) if self._uploads is not None else None

    async def _confirm(self, frame: Confirm) -> None:
        if self._open(frame.confirmation_id):
            text = frame.label or frame.answer
            await self._say(frame.id, text, self._locale, frame.answer, confirmation_id=frame.confirmation_id)
        elif not self._accept_again(frame.id):
            self._reject(frame.id, Rejected(reason="confirmation_closed"))

    async def _say(
        self,
        id_: str,
        text: str,
        locale: str,
        button: Button | None = None,
        attachments: tuple[Attached, ...] = (),
        confirmation_id: str | None = None,
    ) -> None:
        if not await self._allowance.message():
            if not self._accept_again(id_):
                self._reject(id_, Rejected(reason="rate_limited"))
            return
        await self._audio.stop_speaking()
        if confirmation_id is not None and not self._open(confirmation_id):
            # The question was closed meanwhile, and perhaps another one opened: the button was not pressed for
            # that one.
            if not self._accept_again(id_):
                self._reject(id_, Rejected(reason="confirmation_closed"))
            return
        taken = await self._session.say(
            client_message_id=id_, text=text, locale=locale, button=button, attachments=attachments
        )
        match taken:
            case "accepted":
                pass  # its entry becomes the answer
            case "known":
                self._accept_again(id_)
            case "busy":
                self._reject(id_, Rejected(reason="busy"))
            case _:
                assert_never(taken)

    async def _give_back(self) -> None:
        key = self._session.key
        handoff = (
            self._handoffs.find_handoff(key.tenant, key.conversation) if self._handoffs is not None else None
        )
        if handoff is not None:
            await handoff.give_back()

    async def _renew(self, frame: Identity) -> None:
        """Store the new credential that the website has sent for this customer, and for no other."""
        if not await self._allowance.message():
            self._sender.reply(error_frame("user_refused", self._text_of(Rejected(reason="rate_limited"))))
            return
        try:
            introduction = await redeem_site_token(frame.user, self._context)
        except UserRefused as error:
            self._sender.reply(error_frame(error.code, str(error)))
            return
        said, here = introduction.customer, self._customer
        if (said.tenant, said.id, said.level) != (here.tenant, here.id, here.level):
            problem = "the token is of another customer than the one who is here; begin with a new hello"
            self._sender.reply(error_frame("user_refused", problem))
            return
        if introduction.credential is not None:
            await self._session.take_credential(introduction.credential)
        standing = credential_standing(self._session, self._customer, self._context.clock)
        self._sender.reply({"type": "identity.renewed", "credential": standing})

    async def _rate(self, frame: Feedback) -> None:
        id_, text = frame.id or frame.message_id, frame.text or ""
        if len(text) > self._longest:
            self._reject(id_, self._too_long(text))
        elif not await self._allowance.message():
            self._reject(id_, Rejected(reason="rate_limited"))
        elif not await self._session.rate(frame.message_id, frame.rating, text):
            self._reject(id_, Rejected(reason="unknown_message", message_id=frame.message_id))

    def _too_long(self, text: str) -> Rejected:
        return Rejected(reason="too_long", length=len(text), most=self._longest)

    def _accept_again(self, id_: str) -> bool:
        """Answer a repeated message, which is already in the log, with its first answer."""
        for logged in reversed(self._session.entries):
            entry = logged.entry
            if isinstance(entry, CustomerMessage) and entry.client_message_id == id_:
                self._sender.reply(accepted(logged.seq, logged.at_ms, entry))
                return True
        return False

    def _open(self, confirmation_id: str) -> bool:
        """Whether this question waits for an answer. A late answer is accepted too, and the question is asked
        again.
        """
        for logged in reversed(self._session.entries):
            match logged.entry:
                case ConfirmationAnswered():
                    return False
                case ConfirmationAsked(confirmation_id=asked):
                    return asked == confirmation_id
                case _:
                    pass
        return False

    def _saw(self, seq: int) -> None:
        now = seen_message(self._session.entries, seq)
        if now is None or now == self._seen:
            return
        self._seen = now
        message_id, up_to = now
        self._session.report_delivery(message_id, "seen", up_to)

    def _reject(self, id_: str, why: Rejected) -> None:
        code: RejectedCode = "busy" if why.reason == "files_busy" else why.reason
        self._sender.reply({"type": "rejected", "id": id_, "code": code, "message": self._text_of(why)})

    def _text_of(self, why: Rejected) -> str:
        return self._session.book.render(why, self._locale)
