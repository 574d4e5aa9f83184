"""Whisper's own words: what it is asked with, and how its answer is read."""

from collections.abc import Sequence
from functools import cached_property

from assistant.errors import SpeechError

_OTHER_NAMES = {"nb": "no", "fil": "tl", "iw": "he", "in": "id", "cmn": "zh"}
"""Languages that it knows by another code."""

_LONGEST_HINT = 60


class Vocabulary:
    """The words of one model.

    Args:
        tokenizer: the contents of its ``tokenizer.json``.
        multilingual: it has to be told which language it hears.

    Raises:
        SpeechError: it is not the vocabulary of a Whisper model.
    """

    def __init__(self, tokenizer: bytes, *, multilingual: bool) -> None:
        # Imported only where something is written down.
        from tokenizers import Tokenizer

        try:
            self._tokens = Tokenizer.from_buffer(tokenizer)
        except Exception as error:
            # It has errors of no kind of its own.
            raise SpeechError(f"tokenizer.json cannot be read: {error}") from error
        self._multilingual = multilingual
        self._begin, self._plain = self._id("<|startoftranscript|>"), self._id("<|notimestamps|>")

    def prompt(self, locale: str, hint: str) -> list[int]:
        """What comes before the first word: what was said before, in which language, and what is wanted.

        A language that the model does not know is taken for English. Of a long hint the end counts.
        """
        before = [self._before, *self._hinted(hint)] if hint.strip() else []
        if not self._multilingual:
            return [*before, self._begin, self._plain]
        return [*before, self._begin, self._language(locale), self._write_down, self._plain]

    def text(self, ids: Sequence[int]) -> str:
        """The words of an answer, without anything around them."""
        return self._tokens.decode(list(ids), skip_special_tokens=True).strip()

    def _language(self, locale: str) -> int:
        spoken = locale.replace("_", "-").partition("-")[0].casefold()
        known = self._tokens.token_to_id(f"<|{_OTHER_NAMES.get(spoken, spoken)}|>")
        return self._id("<|en|>") if known is None else known

    def _hinted(self, hint: str) -> list[int]:
        return self._tokens.encode(f" {hint.strip()}", add_special_tokens=False).ids[-_LONGEST_HINT:]

    @cached_property
    def _before(self) -> int:
        return self._id("<|startofprev|>")

    @cached_property
    def _write_down(self) -> int:
        return self._id("<|transcribe|>")

    def _id(self, token: str) -> int:
        known = self._tokens.token_to_id(token)
        if known is None:
            raise SpeechError(f"tokenizer.json has no {token}: is it the one of a Whisper model?")
        return known
