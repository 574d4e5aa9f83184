"""What every conversation must satisfy, whatever its file says: the script, the order of frames, the recording."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from assistant.conversation.values import JsonObject
from assistant.prompts.book import shipped_book
from assistant.replay.cassette import HeardFrame
from assistant.replay.checks.check import check
from assistant.replay.checks.transcript import CheckFailure
from assistant.replay.expectations import Expectations, Hears
from assistant.replay.played import Played, ReceivedFrame
from tests.replay.checks.scripted_conversation import Acted, cassette, told
from tests.support.rows import check_rows

WELCOME: JsonObject = {"type": "welcome", "seq": 99, "resumed": "replay"}


def hello() -> Played:
    return (
        Acted()
        .customer("What do I owe?", 0)
        .acknowledges((20, "Let me see. I'll check your billing."))
        .calls("get_open_invoices", (20, 80), gives=[{"amount": "150.00"}])
        .says((90, "You owe"), (95, " $150"), (100, " in all."), round_=2)
        .ends(110)
        .played()
    )


def checked(played: Played, *, turns: int = 1, recorded: tuple[HeardFrame, ...] = ()) -> list[CheckFailure]:
    written = cassette(frames=recorded)
    return check(written.model_copy(update={"turns": written.turns * turns}), played, shipped_book())


def with_frames(change: Callable[[list[ReceivedFrame]], None], played: Played | None = None) -> Played:
    """What was played, with other frames."""
    played = played or hello()
    heard = list(played.frames)
    change(heard)
    return replace(played, frames=tuple(heard))


def place_of(played: Played, type_: str, number: int = 0) -> int:
    return [place for place, heard in enumerate(played.frames) if heard.frame["type"] == type_][number]


def test_a_correct_conversation_causes_no_complaint() -> None:
    assert checked(hello()) == []


def test_an_unscripted_request_is_a_complaint_of_its_turn() -> None:
    played = replace(hello(), unscripted=("turn 1: the narrator was asked once more", "no end"))

    first, other = checked(played)

    assert told([first, other]) == [
        ("script", "the cassette's replies and runs, and no more", "the narrator was asked once more", None),
        ("script", "the cassette's replies and runs, and no more", "no end", None),
    ]
    assert (first.turn, first.place, other.turn, other.place) == (1, ("turns", 0), 0, ())


def test_the_difference_from_the_file_comes_before_its_effects() -> None:
    played = replace(hello(), unscripted=("no end", "turn 2: the narrator was asked once more"))
    expect = Expectations(hears=(Hears(text="You owe nothing."),))

    found = check(cassette(expect), played, shipped_book())

    assert [(one.check, one.turn) for one in found] == [("script", 2), ("script", 0), ("hears", 1)]


def test_a_message_without_a_turn_is_reported() -> None:
    (failure,) = checked(hello(), turns=2)

    assert (failure.turn, failure.check, failure.found) == (2, "script", "the message never started a turn")


@check_rows(
    ("type_", "number", "expected", "found"),
    [
        ("turn.completed", 0, "turn.completed of t1", "nothing more came"),
        ("message.completed", 1, "message.completed of m2 first", "turn.completed"),
        ("message.completed", 0, "message.completed of m1 first", "message.started of the next"),
        ("message.started", 0, "message.started of m1 first", "message.delta"),
        ("turn.started", 0, "messages within their turn only", "message.started of turn t1"),
        ("tool.started", 0, "tool.started 7", "tool.finished 8 came, and it had not"),
        ("message.delta", 2, 'the text " $150 in all."', 'message.delta 12 with " in all."'),
    ],
)
def test_a_missing_frame_is_reported(type_: str, number: int, expected: str, found: str) -> None:
    played = hello()

    def leave_out(heard: list[ReceivedFrame]) -> None:
        heard.pop(place_of(played, type_, number))

    found_ = checked(with_frames(leave_out, played))

    assert (expected, found) in [(one.expected, one.found) for one in found_]
    assert {one.check for one in found_} == {"order"}


def test_a_message_that_is_never_complete_is_reported_at_the_end() -> None:
    played = hello()
    end = place_of(played, "message.completed", 1)

    found = checked(replace(played, frames=played.frames[:end]))

    assert [one.expected for one in found] == ["message.completed of m2", "turn.completed of t1"]
    assert {(one.turn, one.at_ms) for one in found} == {(1, 100)}


def test_a_conversation_without_frames_is_reported() -> None:
    assert checked(replace(hello(), frames=())) == []


def test_a_turn_within_another_is_reported() -> None:
    def begin_again(heard: list[ReceivedFrame]) -> None:
        heard.insert(2, ReceivedFrame(10, {"type": "turn.started", "turn_id": "t9"}))

    assert checked(with_frames(begin_again))[0].expected == "turn.completed of t1 first"


def test_a_tool_that_starts_after_its_turn_is_reported() -> None:
    def late(heard: list[ReceivedFrame]) -> None:
        heard.append(ReceivedFrame(200, {"type": "tool.started", "call_id": "t1/c1.9"}))

    (failure,) = checked(with_frames(late))

    assert told([failure]) == [
        ("order", "tools that start within a turn only", "tool.started of t1/c1.9", 200)
    ]


def test_a_lookup_may_end_after_its_turn() -> None:
    acted = Acted().customer("Owe?").calls("get_open_invoices", (5, 90)).ends(20, "interrupted")

    assert checked(acted.played()) == []


ERROR: JsonObject = {"type": "error", "code": "bad_frame", "retryable": False, "message": "no such type"}


def test_an_error_is_reported_unless_it_was_recorded() -> None:
    played = with_frames(lambda heard: heard.append(ReceivedFrame(200, ERROR)))
    recorded = tuple(HeardFrame(at_ms=heard.at_ms, frame=heard.frame) for heard in played.frames)

    assert told(checked(played)) == [("order", "no error", 'bad_frame: "no such type"', 200)]
    assert checked(played, recorded=recorded) == []


def back_again(after: str, *, frames: int, resumed: str = "replay") -> Callable[[list[ReceivedFrame]], None]:
    """The connection is lost after this frame; the client returns with more or fewer ``frames`` seen."""

    def cut(heard: list[ReceivedFrame]) -> None:
        at = [one.frame["type"] for one in heard].index(after) + 1
        heard[at + min(frames, 0) : at] = []
        again = heard[at - frames : at] if frames > 0 else []
        at += min(frames, 0)
        heard[at:at] = [ReceivedFrame(95, {**WELCOME, "resumed": resumed}), *again]

    return cut


def test_a_connection_that_is_cut_and_restored_loses_nothing() -> None:
    assert checked(with_frames(back_again("tool.finished", frames=0))) == []


def test_a_frame_that_is_repeated_after_a_cut_is_reported() -> None:
    found = checked(with_frames(back_again("tool.finished", frames=1)))

    assert told(found) == [("order", "each frame once", "tool.finished 8 came once more, after 8", 80)]


def test_a_frame_that_is_lost_in_a_cut_is_reported() -> None:
    found = checked(with_frames(back_again("tool.finished", frames=-1)))

    assert told(found) == [("order", "tool.finished 8", "message.started 9 came, and it had not", 90)]


def test_a_repeated_message_is_accepted_again() -> None:
    def again(heard: list[ReceivedFrame]) -> None:
        heard.insert(3, ReceivedFrame(20, heard[0].frame))

    assert checked(with_frames(again)) == []


def snapshot(seq: int, **scopes: Any) -> ReceivedFrame:
    nothing: dict[str, Any] = {"turn_id": None, "open_message": None}
    return ReceivedFrame(95, {"type": "snapshot", "seq": seq, **nothing, **scopes})


def test_a_snapshot_replaces_everything_before_it() -> None:
    played = hello()
    at = place_of(played, "message.delta", 2)

    def since(heard: list[ReceivedFrame]) -> None:
        seq = heard[at - 1].frame["seq"]
        assert isinstance(seq, int)
        heard[:at] = [snapshot(seq, turn_id="t1", open_message={"message_id": "m2"})]

    assert checked(with_frames(since, played)) == []


def test_after_a_snapshot_only_its_own_messages_are_open() -> None:
    played = hello()
    at = place_of(played, "message.delta", 2)

    found = checked(with_frames(lambda heard: heard.insert(at, snapshot(10)), played))

    assert [one.expected for one in found] == ["message.started of m2 first"] * 3 + [
        "turn.started of t1 first"
    ]


def test_consecutive_deltas_may_come_as_one() -> None:
    played = hello()
    at = place_of(played, "message.delta", 1)

    def merge(heard: list[ReceivedFrame]) -> None:
        last = heard[at + 2]
        heard[at : at + 3] = [ReceivedFrame(100, {**last.frame, "text": "You owe $150 in all."})]

    assert checked(with_frames(merge, played)) == []


def recording(change: Callable[[list[ReceivedFrame]], None] | None = None) -> tuple[HeardFrame, ...]:
    heard = list(hello().frames)
    if change is not None:
        change(heard)
    return tuple(HeardFrame(at_ms=one.at_ms, frame=one.frame) for one in heard)


def differs(change: Callable[[list[ReceivedFrame]], None]) -> CheckFailure:
    """The failure about what was played, when this was recorded instead."""
    (failure,) = checked(hello(), recorded=recording(change))
    assert failure.check == "frames"
    return failure


def test_equal_frames_at_equal_times_cause_no_complaint() -> None:
    assert checked(hello(), recorded=recording()) == []


def other(
    at: int, fields: Mapping[str, Any], at_ms: int | None = None
) -> Callable[[list[ReceivedFrame]], None]:
    def change(heard: list[ReceivedFrame]) -> None:
        was = heard[at]
        heard[at] = ReceivedFrame(was.at_ms if at_ms is None else at_ms, {**was.frame, **fields})

    return change


def test_a_different_frame_is_reported_with_its_neighbours() -> None:
    at = place_of(hello(), "message.delta", 1)

    failure = differs(other(at, {"text": "You have"}))

    assert failure.expected == 'frame 9 at 90 ms: message.delta text "You have"'
    assert failure.found.splitlines() == [
        'text "You owe"',
        '    6      20 ms  tool.started {"seq":7,"call_id":"t1/c1.1","hint":"checking your billing"}',
        '    7      80 ms  tool.finished {"seq":8,"call_id":"t1/c1.1","outcome":"ok","ms":60}',
        '    8      90 ms  message.started {"seq":9,"message_id":"m2","turn_id":"t1","at":1795420800090}',
        '>   9      90 ms  message.delta {"seq":10,"message_id":"m2","text":"You owe"}',
        '   10      95 ms  message.delta {"seq":11,"message_id":"m2","text":" $150"}',
        '   11     100 ms  message.delta {"seq":12,"message_id":"m2","text":" in all."}',
        '   12     100 ms  message.completed {"seq":13,"message_id":"m2","kind":"response","text":"You owe ...',
    ]
    assert (failure.turn, failure.at_ms, failure.place) == (1, 90, ("frames", 8))


def test_a_frame_at_another_time_is_reported_with_the_times() -> None:
    failure = differs(other(6, {}, at_ms=81))

    assert failure.expected == "frame 7 at 81 ms: tool.finished at 81 ms"
    assert failure.found.splitlines()[0] == "at 80 ms"


def test_a_missing_field_and_another_order_are_reported() -> None:
    def turned(heard: list[ReceivedFrame]) -> None:
        heard[3] = ReceivedFrame(20, dict(reversed(list(heard[3].frame.items()))))

    assert differs(other(3, {"new": 1})).found.splitlines()[0] == "new none"
    assert differs(turned).expected.endswith("with its fields in the order text, message_id, seq, type")


def test_a_frame_of_another_type_is_reported_completely() -> None:
    failure = differs(other(3, {"type": "rated"}))

    assert failure.expected.startswith('frame 4 at 20 ms: rated {"seq":4,')
    assert failure.found.startswith('message.delta {"seq":4,')


def test_extra_frames_are_reported() -> None:
    def fewer(heard: list[ReceivedFrame]) -> None:
        # All numbers after them are lower: that is no difference of its own.
        heard[4:6] = []
        heard[4:] = [ReceivedFrame(one.at_ms, {**one.frame, "seq": 3}) for one in heard[4:]]

    failure = differs(fewer)

    assert failure.expected.startswith("frame 5 at 80 ms: tool.finished")
    assert failure.found.splitlines()[0].endswith("at 20 ms and 1 more too many")


def test_missing_frames_are_reported() -> None:
    def more(heard: list[ReceivedFrame]) -> None:
        heard.insert(4, ReceivedFrame(20, {"type": "notice", "problem": False, "message": "-"}))

    failure = differs(more)

    assert failure.expected == 'frame 5 at 20 ms: notice {"problem":false,"message":"-"}'
    assert failure.found.startswith("missing; message.completed")
    assert failure.found.splitlines()[0].endswith("at 20 ms came instead")


def test_a_recording_that_is_longer_or_shorter_is_reported() -> None:
    def longer(heard: list[ReceivedFrame]) -> None:
        heard.append(ReceivedFrame(120, {"type": "notice"}))

    def shorter(heard: list[ReceivedFrame]) -> None:
        heard.pop()

    assert differs(longer).found.splitlines()[0] == "missing; nothing came instead"
    assert differs(longer).found.splitlines()[-1] == ">     (nothing more)"
    assert differs(shorter).expected == "no more frames"
    assert differs(shorter).found.splitlines()[0].startswith("turn.completed")


def twice() -> Played:
    acted = Acted().customer("Hello", 0).says((10, "Hello.")).ends(20)
    return acted.customer("Bye", 30).says((40, "Bye.")).ends(50).played()


def test_a_different_frame_belongs_to_the_turn_of_its_time() -> None:
    frames = twice().frames
    recorded = [HeardFrame(at_ms=one.at_ms, frame=one.frame) for one in frames]
    recorded[-1] = HeardFrame(at_ms=50, frame={**frames[-1].frame, "how": "interrupted"})

    (failure,) = checked(twice(), turns=2, recorded=tuple(recorded))

    assert (failure.turn, failure.expected) == (
        2,
        'frame 12 at 50 ms: turn.completed how "interrupted"',
    )


def test_a_frame_out_of_order_belongs_to_the_turn_in_which_it_came() -> None:
    played = twice()
    at = place_of(played, "turn.completed")

    def error(place: int) -> list[int]:
        def change(heard: list[ReceivedFrame]) -> None:
            heard.insert(place, ReceivedFrame(15, ERROR))

        return [one.turn for one in checked(with_frames(change, played), turns=2)]

    assert (error(at), error(at + 1), error(len(played.frames) - 1)) == ([1], [0], [2])
