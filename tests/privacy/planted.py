"""One customer's text in every kind of place that the log has, each found nowhere else."""

from base64 import b64encode
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from assistant.conversation.calls import Call
from assistant.conversation.chunks import CallArguments, StreamEnded, TextDelta
from assistant.conversation.documents import Attached
from assistant.conversation.entries import (
    AgentMessage,
    CallEnded,
    CallRequested,
    CallsPending,
    CallStarted,
    ConfirmationAnswered,
    ConfirmationAsked,
    CustomerMessage,
    DecisionClosed,
    Entry,
    ForwardedToAgent,
    Handoff,
    Identified,
    Logged,
    MessageClosed,
    MessageOpened,
    MessageText,
    ModelChunks,
    Rated,
    SentenceSuppressed,
    Snapshot,
    Summary,
    TurnEnded,
    TurnStarted,
)
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallDenied, CallFailed, CallSucceeded, Outcome
from assistant.conversation.snapshots import snapshot_of
from assistant.conversation.staff_entries import HandoffRouted, NoteAdded, NoteToAssistant, Tagged


@dataclass(slots=True)
class Words:
    """Unique words of one customer, by the place where they were stored: "orchid-ana-message"."""

    of: str
    planted: dict[str, str] = field(default_factory=dict[str, str])

    def __call__(self, place: str) -> str:
        """The word for a place, in which it is put now. As long as is needed to stand whole in base64."""
        word = f"orchid-{self.of}-{place}"
        word += "-" * (-len(word) % 3)
        self.planted[place] = word
        return word

    def encoded(self, place: str) -> str:
        """The same in base64, which is how it is then to be found."""
        coded = b64encode(self(place).encode()).decode()
        self.planted[place] = coded
        return coded

    def found_in(self, content: bytes | str) -> set[str]:
        """The places whose words stand there."""
        content = content if isinstance(content, bytes) else content.encode()
        return {place for place, word in self.planted.items() if word.encode() in content}


def conversation(word: Words, *, known_as: str | None = None, at_ms: int = 1_000) -> list[Logged]:
    """A conversation of two turns and a handoff in which everything has happened.

    ``known_as``: the company's customer who the visitor turned out to be.
    """
    entries = [*_first(word), *_second(word, known_as), *_person(word)]
    return [Logged(seq, at_ms + seq, turn, entry) for seq, (turn, entry) in enumerate(entries, 1)]


def _first(word: Words) -> list[tuple[str, Entry]]:
    small, large, photo, broken, denied, late = (
        Call(id=f"c1.{number}", tool="look_up", arguments={"for": word(f"arguments of call {number}")})
        for number in range(1, 7)
    )
    rows = [{"row": number, "note": "x" * 40} for number in range(200)]
    ended: dict[str, Outcome] = {
        small.id: CallSucceeded(call=small, value={"is": word("small result")}),
        large.id: CallSucceeded(call=large, value=[*rows, word("large result"), *rows]),
        photo.id: CallSucceeded(
            call=photo,
            value=1,
            media=(Media(mime="text/plain", data=word.encoded("media"), name=word("media's name")),),
            omitted=(word("media left out"),),
        ),
        broken.id: CallFailed(call=broken, say=word("failed, said"), for_model=word("failed, for the model")),
        denied.id: CallDenied(call=denied, say=word("denied, said"), for_model=word("denied, for the model")),
        late.id: CallSucceeded(call=late, value=word("late result")),
    }
    chunks = (
        (3, TextDelta(word("raw chunk"))),
        (4, CallArguments(0, word("raw arguments"))),
        (5, StreamEnded("stop")),
    )
    said = CustomerMessage(
        message_id="u1",
        client_message_id=word("client's id"),
        text=word("message"),
        attachments=(Attached(ref="document:1", name=word("attached file's name")),),
    )
    turn: list[Entry] = [
        TurnStarted(turn_id="t1", message_id="u1", cause="message", bundle="b"),
        ModelChunks(round=1, role="decider", chunks=chunks, error=word("model's error")),
        *(CallRequested(call=one.call) for one in ended.values()),
        DecisionClosed(round=1, call_ids=tuple(ended)),
        MessageOpened(message_id="m1", round=1),
        MessageText(message_id="m1", text=word("acknowledgement")),
        MessageClosed(message_id="m1", kind="acknowledgement", call_ids=tuple(ended)),
        CallStarted(
            call_id=small.id, tool="look_up", idempotency_key="k", arguments={"for": word("filled in")}
        ),
        *(CallEnded(outcome=one) for call_id, one in ended.items() if call_id != late.id),
        CallsPending(call_ids=(late.id,)),
        SentenceSuppressed(round=2, guardrail="claims", text=word("withheld")),
        MessageOpened(message_id="m2", round=2),
        MessageText(message_id="m2", text=word("answer")),
        MessageClosed(message_id="m2", kind="response"),
        *(_snapshot(one) for call_id, one in ended.items() if call_id != late.id),
        TurnEnded(turn_id="t1", how="answered"),
        CallEnded(outcome=ended[late.id], late=True),
        _snapshot(ended[late.id]),
        Snapshot(
            call_id=large.id,
            tool_name="look_up",
            arguments={},
            result_summary=word("snapshot by a model"),
            full_result_ref="",
            complete=False,
            made_by="model",
        ),
    ]
    return [("", said), *(("t1", entry) for entry in turn)]


def _snapshot(outcome: Outcome) -> Snapshot:
    return snapshot_of(outcome, "c-1", "t1")


def _second(word: Words, customer: str | None) -> list[tuple[str, Entry]]:
    call = Call(id="c1.1", tool="change", arguments={"to": word("what is to be changed")})
    read_back = word("read-back")
    asked = ConfirmationAsked(
        confirmation_id="t2-confirm",
        calls=(call,),
        read_back=read_back,
        expires_at_ms=9_000,
        clauses=(word("clause"),),
    )
    turn: list[Entry] = [
        TurnStarted(turn_id="t2", message_id="u2", cause="message", bundle="b"),
        CallRequested(call=call),
        DecisionClosed(round=1, call_ids=(call.id,)),
        asked,
        MessageOpened(message_id="m3", round=1),
        MessageText(message_id="m3", text=read_back),
        MessageClosed(message_id="m3", kind="response"),
        TurnEnded(turn_id="t2", how="awaiting_confirmation"),
    ]
    between: list[Entry] = [
        ConfirmationAnswered(confirmation_id="t2-confirm", answer="dropped"),
        Summary(last_turn_id="t1", text=word("summary")),
        Rated(message_id="m2", rating="down", text=word("rating")),
        Identified(level="verified", customer=customer, name=word("name")),
    ]
    said = CustomerMessage(message_id="u2", client_message_id="x2", text="Change it")
    return [("", said), *(("t2", entry) for entry in turn), *(("", entry) for entry in between)]


def _person(word: Words) -> list[tuple[str, Entry]]:
    said = CustomerMessage(message_id="u3", client_message_id="x3", text=word("message to a person"))
    between: list[Entry] = [
        Handoff(handoff_id="h1", state="requested", why=word("handoff's reason")),
        Handoff(handoff_id="h1", state="accepted", name=word("person's name")),
        said,
        ForwardedToAgent(message_id="u3", handoff_id="h1"),
        AgentMessage(message_id="p-1", handoff_id="h1", name="Maja", text=word("person's remark")),
        NoteAdded(note_id="n1", account="a1", name="Maja", text=word("staff's note")),
        Tagged(tags=(word("tag"),)),
        HandoffRouted(handoff_id="h1", rule="words", why=word("why a rule matched")),
        NoteToAssistant(handoff_id="h1", name="Maja", text=word("note to the assistant")),
        Handoff(handoff_id="h1", state="ended", ticket=word("ticket")),
    ]
    return [("", entry) for entry in between]


def raw(folder: Path, but: Callable[[Path], bool] = lambda _: False) -> bytes:
    """Every byte of every file in a folder."""
    files = sorted(path for path in folder.rglob("*") if path.is_file() and not but(path))
    return b"\0".join(path.read_bytes() for path in files)
