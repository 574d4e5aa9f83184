"""The sizes of the parts of a request."""

import orjson
import pytest

from assistant.conversation.calls import Call
from assistant.conversation.chunks import Opaque
from assistant.conversation.media import Media
from assistant.conversation.outcomes import CallSucceeded
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromCustomer, FromTools, TurnView
from assistant.memory.token_sizes import (
    MAX_COUNTED_CHARACTERS,
    PER_CALL,
    PER_CAPTION,
    PER_MESSAGE,
    PER_PICTURE,
    PER_TOOL,
    PER_TOOL_LIST,
    result_tokens,
    text_tokens,
    tools_tokens,
    turn_tokens,
)

PICTURE = Media(mime="image/png", data="iVBO")


class Characters:
    """Each character is a token."""

    name = "characters"
    most = 0

    def count(self, text: str) -> int:
        self.most = max(self.most, len(text))
        return len(text)


COUNTER = Characters()


def test_a_turn_counts_its_text_and_the_characters_around_it() -> None:
    turn = TurnView((FromCustomer("What do I owe?"), FromAssistant("Nothing.")))

    assert turn_tokens(turn, COUNTER) == len("What do I owe?") + len("Nothing.") + 2 * PER_MESSAGE


def test_a_call_counts_its_name_arguments_ids_and_result() -> None:
    call = Call(id="c1.1", tool="find", arguments={"a": 1}, provider_id="call_1", opaque={"x": "y"})
    turn = TurnView((FromAssistant("", (call,)), FromTools((CallSucceeded(call=call, value=[1, 2]),))))

    texts = len("find") + len('{"a":1}') + len('{"x":"y"}') + 2 * len("call_1") + len("[1,2]")
    assert turn_tokens(turn, COUNTER) == texts + PER_CALL + 2 * PER_MESSAGE


def test_opaque_data_counts_its_length() -> None:
    thought = Opaque("anthropic", {"thinking": "hm"})

    with_thought = TurnView((FromAssistant("", (), (thought,)),))
    assert turn_tokens(with_thought, COUNTER) == PER_MESSAGE + len(orjson.dumps(thought.value))


def test_a_picture_counts_the_same_from_any_source() -> None:
    call = Call(id="c1.1", tool="find")
    shown = CallSucceeded(call=call, value="x", media=(PICTURE, Media(mime="text/csv", data="QQ==")))

    assert result_tokens(shown, COUNTER) > PER_PICTURE
    assert result_tokens(shown, COUNTER) < PER_PICTURE + 200  # a file that is not shown takes one line
    brought = TurnView((FromCustomer("Look", (PICTURE,)),))
    assert turn_tokens(brought, COUNTER) == PER_MESSAGE + len("Look") + PER_PICTURE + PER_CAPTION


def test_tools_count_their_declarations_and_the_call_instructions() -> None:
    tool = ToolSpec(name="find", description="Finds it.", parameters={"type": "object"})

    declared = len("find") + len("Finds it.") + PER_TOOL
    assert tools_tokens((), COUNTER) == 0
    assert declared < tools_tokens((tool,), COUNTER) - PER_TOOL_LIST < declared + 100
    assert tools_tokens((tool, tool), COUNTER) == 2 * tools_tokens((tool,), COUNTER) - PER_TOOL_LIST


@pytest.mark.parametrize("sign", ["a", "é", "\ud83d"])
def test_counting_a_text_that_never_fits_is_fast(sign: str) -> None:
    counter = Characters()

    taken = text_tokens(sign * (MAX_COUNTED_CHARACTERS + 1), counter)

    assert counter.most == 0
    assert taken == len((sign * (MAX_COUNTED_CHARACTERS + 1)).encode(errors="replace"))
    assert text_tokens(sign * 3, counter) == 3
