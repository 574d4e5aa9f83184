"""Sound in a file: put into one for a provider, and taken out of what a provider gives."""

import wave
from io import BytesIO

from assistant.errors import SpeechError
from assistant.ports import Pcm

_WHOLE = 0x7FFF_FFFF
_COMPRESSED = (b"ID3", b"\xff\xfb", b"\xff\xf3", b"\xff\xf2", b"\xff\xf1", b"OggS", b"fLaC")


def in_wav(pcm: Pcm, rate: int) -> bytes:
    """The sound as a file."""
    file = BytesIO()
    with wave.open(file, "wb") as out:
        out.setnchannels(1)
        out.setsampwidth(2)
        out.setframerate(rate)
        out.writeframes(pcm)
    return file.getvalue()


def pcm_of(sound: bytes, rate: int) -> Pcm:
    """The samples in what a provider gave: bare ones are taken to have that rate, a file's are brought to it.

    Raises:
        SpeechError: it is compressed, or in a file that is not mono with 16 bits.
    """
    if sound.startswith(b"RIFF"):
        return _unpacked(sound, rate)
    if sound.startswith(_COMPRESSED):
        raise SpeechError(
            f"the sound begins with {sound[:4]!r}, so it is compressed; 'pcm' or 'wav' is needed"
        )
    return sound[: len(sound) // 2 * 2]


def _unpacked(sound: bytes, rate: int) -> Pcm:
    try:
        with wave.open(BytesIO(sound), "rb") as file:
            kind = (file.getnchannels(), 8 * file.getsampwidth())
            # A file that was sent while it grew does not know its own length.
            found, pcm = file.getframerate(), file.readframes(min(file.getnframes(), _WHOLE))
    except (wave.Error, EOFError) as error:
        raise SpeechError(f"the WAV file cannot be read: {error}") from error
    if kind != (1, 16):
        raise SpeechError(f"the WAV file has {kind[0]} channels of {kind[1]} bits; 1 of 16 bits is needed")
    pcm = pcm[: len(pcm) // 2 * 2]
    return pcm if found == rate else _at_rate(pcm, found, rate)


def _at_rate(pcm: Pcm, found: int, rate: int) -> Pcm:
    from assistant.audio import Resampler  # only here: most give what they are asked for

    resampler = Resampler(found, rate)
    return resampler.push(pcm) + resampler.close()
