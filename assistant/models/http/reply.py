"""One streamed reply: a provider's events in, our chunks out. Pure: it reads no socket and no clock."""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.errors import ModelBroke, ModelError


class Reply(ABC):
    """Follows one reply from its first event to its last.

    ``finished``: the provider has said why it stopped; only the count of tokens may follow.
    ``done``: it has said that nothing follows.
    """

    __slots__ = ("done", "finished")

    def __init__(self) -> None:
        self.done = False
        self.finished = False

    def take_all(self, events: Iterable[bytes]) -> Iterator[Chunk]:
        """The chunks of the events that came together; text that stands together is one chunk.

        Raises as :meth:`take` does, after what was good before.
        """
        text = ""
        failure: ModelError | None = None
        for event in events:
            try:
                found = self._found(event)
            except ModelError as error:
                failure = error
                break
            if isinstance(found, str):
                text += found
                continue
            for chunk in found:
                if isinstance(chunk, TextDelta):
                    text += chunk.text
                    continue
                if text:
                    yield TextDelta(text)
                    text = ""
                yield chunk
        if text:
            yield TextDelta(text)
        if failure is not None:
            raise failure

    def take(self, event: bytes) -> list[Chunk]:
        """The chunks that an event brings, often one, sometimes none.

        Raises ``ModelBroke`` for what cannot be read, and what the provider reports in the stream.
        """
        found = self._found(event)
        if isinstance(found, str):
            return [TextDelta(found)] if found else []
        return found

    def shows_life(self, events: Sequence[bytes]) -> bool:
        """Whether events that came together are more than a server's word that it is still there."""
        return bool(events)

    @abstractmethod
    def end(self) -> StreamEnded:
        """The last chunk. Raises ``ModelBroke`` when the stream ended before the reply did."""

    @abstractmethod
    def _read(self, event: bytes) -> str | list[Chunk]:
        """One event: its text when it brings nothing else, as most do, or its chunks."""

    def _found(self, event: bytes) -> str | list[Chunk]:
        try:
            return self._read(event)
        except ModelError:
            raise
        except Exception as error:
            # Whatever is not shaped as agreed shows as one of many exceptions.
            raise ModelBroke(f"an event of the stream cannot be read: {error!r}") from error
