"""The speech models are reported, and what is missing; the phone, too, if there is one."""

from importlib.machinery import ModuleSpec
from importlib.util import find_spec

import pytest
from pydantic import SecretStr

from assistant.doctor.service_findings import phone_findings, voice_findings
from assistant.errors import DeclarationError
from assistant.findings import Doubtful, Fine
from assistant.settings import Settings


def test_the_speech_models_are_named() -> None:
    assert voice_findings(Settings()) == [
        Fine("voice", "the embedded Whisper hears, the embedded voice speaks")
    ]


def test_a_providers_voice_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    settings = Settings(speech_model="openai/tts-1", speech_voice="alloy")

    assert voice_findings(settings) == [Fine("voice", "the embedded Whisper hears, openai/tts-1 speaks")]


def test_text_only_is_reported() -> None:
    assert voice_findings(Settings(voice=False)) == [Fine("voice", "off: customers write")]


def test_without_the_extra_the_solution_is_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def found(name: str) -> ModuleSpec | None:
        return None if name == "hibari" else find_spec(name)

    monkeypatch.setattr("assistant.models.speech.choose.find_spec", found)

    assert voice_findings(Settings()) == [
        Doubtful(
            "voice",
            "customers can only write, and the microphone's button says so",
            "pip install 'meanwhile-assistant[voice]' (hibari-tts missing); or set ASSISTANT_VOICE=false",
        )
    ]


def test_a_providers_model_without_a_voice_is_refused_with_its_solution(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")

    with pytest.raises(DeclarationError, match="set ASSISTANT_SPEECH_VOICE"):
        voice_findings(Settings(speech_model="openai/tts-1"))


def test_without_a_phone_nothing_is_reported_about_one() -> None:
    assert phone_findings(Settings()) == []


def test_the_phones_address_is_reported() -> None:
    settings = Settings(phone_url="https://talk.example.com", phone_auth_token=SecretStr("t" * 32))

    assert phone_findings(settings) == [
        Fine(
            "phone",
            "Twilio calls https://talk.example.com/v1/phone/incoming, by relay; no transfer to a person",
        )
    ]


def test_an_incomplete_phone_configuration_is_refused() -> None:
    with pytest.raises(DeclarationError, match="ASSISTANT_PHONE_AUTH_TOKEN is not set"):
        phone_findings(Settings(phone_url="https://talk.example.com"))
