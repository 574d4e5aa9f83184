"""Speaking and listening: who does it, and whether it is installed; the telephone, where there is one."""

from assistant.assembly.phone import phone_of
from assistant.clock import SystemClock
from assistant.doctor.findings import Doubtful, Finding, Fine
from assistant.ids import SystemIds
from assistant.models.speech.choose import hearing_of, missing, speech_of
from assistant.prompts.shipped import shipped_book
from assistant.resilience import jitter_from
from assistant.settings import Settings, environment

_TENANT = "doctor"


def voice_findings(settings: Settings) -> list[Finding]:
    """What is to be said of voice. Nothing is loaded and nobody asked.

    Raises ``DeclarationError`` for a name or setting that is wrong, with its cure.
    """
    if not settings.voice:
        return [Fine("voice", "off: customers write")]
    problem = missing(settings.transcription_model, settings.speech_model)
    if problem is not None:
        says = "customers can only write, and the microphone's button says so"
        return [Doubtful("voice", says, f"{problem}; or set ASSISTANT_VOICE=false")]
    clock, jitter, environ = SystemClock(), jitter_from(SystemIds()), environment()
    hears = hearing_of(
        settings.transcription_model,
        clock=clock,
        jitter=jitter,
        environ=environ,
        whisper_dir=settings.whisper_dir,
        places=settings.transcribers,
    )
    speaks = speech_of(
        settings.speech_model, settings.speech_voice, clock=clock, jitter=jitter, environ=environ
    )
    ears = hears.name if hears.name != "offline" else "the embedded Whisper"
    mouth = speaks.name if speaks.name != "offline" else "the embedded voice"
    return [Fine("voice", f"{ears} hears, {mouth} speaks")]


def phone_findings(settings: Settings) -> list[Finding]:
    """What is to be said of the telephone; nothing where there is none. Raises ``DeclarationError``."""
    phone = phone_of(settings, shipped_book, _TENANT)
    if phone is None:
        return []
    passes_on = f"callers are passed on to {phone.transfer}" if phone.transfer else "nobody is passed on"
    return [Fine("phone", f"Twilio calls {phone.url}/v1/phone/incoming, by {phone.via}; {passes_on}")]
