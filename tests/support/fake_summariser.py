"""A scripted model that writes summaries."""

from collections.abc import AsyncGenerator, Callable

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.views import FromCustomer
from assistant.errors import ModelBroke
from assistant.ports import Clock, ModelRequest


class FakeSummariser:
    """Answers with ``write(text)`` after ``after_s`` seconds; if that is None, the stream breaks off.

    Attributes:
        asked: the number of requests so far.
        most: the highest number of requests at the same time.
    """

    def __init__(self, clock: Clock, write: Callable[[str], str | None], after_s: float = 0.0) -> None:
        self._clock, self._write, self._after_s = clock, write, after_s
        self._now = 0
        self.asked = 0
        self.most = 0

    @property
    def name(self) -> str:
        """The name of the model."""
        return "summariser"

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Chunk, None]:
        """Write the summary. Raises ``ModelBroke`` if ``write`` gives None."""
        self.asked += 1
        self._now += 1
        self.most = max(self.most, self._now)
        try:
            await self._clock.sleep(self._after_s)
            given = (message.text for message in request.view.messages if isinstance(message, FromCustomer))
            text = self._write("\n".join(given))
            if text is None:
                raise ModelBroke("the summariser broke off")
            yield TextDelta(text)
            yield StreamEnded("stop", input_tokens=1000, output_tokens=50, cost_usd=0.001)
        finally:
            self._now -= 1

    async def close(self) -> None:
        """Do nothing."""
