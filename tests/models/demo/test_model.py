"""The embedded model as a Model: its chunks, its narration, its cost and its cache."""

import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from assistant.conversation.chunks import CallArguments, CallNamed, StreamEnded, TextDelta
from assistant.conversation.tool_spec import ToolSpec
from assistant.conversation.views import FromAssistant, FromTools, TurnView, View
from assistant.models.demo.decision import Help, Planned, Unsure, exchanges_of
from assistant.models.demo.model import DemoModel, prompt_for
from assistant.models.demo.nearness import keep_vectors
from assistant.models.minilm import WIDTH, Vectors, embed
from assistant.ports import ModelRequest
from assistant.prompts.utterances import OfflineHelp, OfflineUnsure
from tests.models.demo.conftest import OpenTalk, offline_model


async def test_a_call_is_named_before_its_arguments_come(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("hello")
    ana.messages.pop()
    await ana.says("when are you open on Monday?")
    ana.messages = ana.messages[:2]

    assert await ana.stream("decider") == [
        CallNamed(0, "get_opening_hours"),
        CallArguments(0, '{"day": "2026-11-23"}'),
        StreamEnded("tool_calls"),
    ]


async def test_text_arrives_sentence_by_sentence(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("Check my appointments and billing")

    assert await ana.stream("narrator") == [
        TextDelta("Told list_upcoming_appointments. "),
        TextDelta("Told get_open_invoices."),
        StreamEnded("stop"),
    ]


async def test_a_narrator_without_results_answers_the_message(talk: OpenTalk) -> None:
    ana = talk()
    await ana.says("hello")

    assert await ana.narrates() == "OfflineSmalltalk(greeting)?"


async def test_an_empty_conversation_gets_what_is_possible(demo_model: DemoModel) -> None:
    request = ModelRequest(role="decider", view=View("", (TurnView((FromAssistant("Hi"), FromTools(()))),)))

    chunks = [chunk async for chunk in demo_model.stream(request)]

    assert isinstance(chunks[0], TextDelta)
    assert chunks[0].text.startswith("OfflineHelp")


async def test_its_name_is_offline_and_it_warms_and_closes(demo_model: DemoModel) -> None:
    await demo_model.warm()
    await demo_model.close()

    assert demo_model.name == "offline"


def test_importing_it_loads_nothing_heavy() -> None:
    heavy = "import sys, assistant.models.demo.model; print({'onnxruntime', 'tokenizers'} & set(sys.modules))"

    run = subprocess.run([sys.executable, "-c", heavy], capture_output=True, text=True, check=True)

    assert run.stdout.strip() == "set()"


def test_vectors_have_length_one_in_the_order_of_the_sentences() -> None:
    sentences = ["cancel my order", "hi", "where is it"]

    vectors = embed(sentences)

    assert vectors.shape == (3, WIDTH)
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)
    assert np.allclose(vectors[1], embed(["hi"])[0], atol=0.05)


class Counted:
    """Embeddings that only count; one row of ones for each sentence."""

    def __init__(self) -> None:
        self.sentences = 0

    def __call__(self, sentences: Sequence[str]) -> Vectors:
        self.sentences += len(sentences)
        return np.ones((len(sentences), WIDTH), dtype=np.float32)


TEN = [f"sentence {n}" for n in range(10)]


def test_the_tools_vectors_are_stored_for_the_next_start(tmp_path: Path) -> None:
    counted = Counted()

    first = keep_vectors(counted, tmp_path / "vectors")(TEN)
    second = keep_vectors(counted, tmp_path / "vectors")(TEN)

    assert counted.sentences == 10
    assert np.array_equal(first, second)


def test_customers_messages_are_never_stored(tmp_path: Path) -> None:
    keep_vectors(Counted(), tmp_path)(["cancel my order"])

    assert list(tmp_path.iterdir()) == []


def test_other_sentences_use_another_file(tmp_path: Path) -> None:
    counted = Counted()
    keep_vectors(counted, tmp_path)(TEN)
    keep_vectors(counted, tmp_path)([*TEN, "one more"])

    assert counted.sentences == 21


@pytest.mark.parametrize("broken", [b"", b"no vectors at all"])
def test_a_broken_file_is_ignored(tmp_path: Path, broken: bytes) -> None:
    counted = Counted()
    keep_vectors(counted, tmp_path)(TEN)
    next(tmp_path.iterdir()).write_bytes(broken)

    assert keep_vectors(counted, tmp_path)(TEN).shape == (10, WIDTH)
    assert counted.sentences == 20


def test_vectors_of_another_shape_are_ignored(tmp_path: Path) -> None:
    counted = Counted()
    keep_vectors(counted, tmp_path)(TEN)
    np.save(next(tmp_path.iterdir()), np.ones((2, 2), dtype=np.float32))

    assert keep_vectors(counted, tmp_path)(TEN).shape == (10, WIDTH)


def test_a_folder_that_cannot_be_written_costs_only_time(tmp_path: Path) -> None:
    blocked = tmp_path / "file"
    blocked.write_text("")

    assert keep_vectors(Counted(), blocked)(TEN).shape == (10, WIDTH)


async def test_a_model_with_a_folder_keeps_its_tools_there(tmp_path: Path) -> None:
    await offline_model(cache_dir=tmp_path).warm()

    assert [path.suffix for path in tmp_path.iterdir()] == [".npy"]


def test_a_tool_without_a_hint_is_named_by_its_name() -> None:
    tool = ToolSpec(name="do_it", description="", parameters={})

    assert prompt_for(Unsure((Planned(tool, {}),)), ()) == OfflineUnsure(options=("do it",))
    assert prompt_for(Help(unmatched=True), (tool,)) == OfflineHelp(abilities=(), unmatched=True)


def test_the_assistants_greeting_is_no_exchange() -> None:
    assert exchanges_of(View("", (TurnView((FromAssistant("Hello"),)),))) == ()
