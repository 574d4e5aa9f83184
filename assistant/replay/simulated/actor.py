"""The model that plays a customer, asked one request at a time."""

from contextlib import aclosing

from assistant.conversation.chunks import Chunk, StreamEnded, TextDelta
from assistant.conversation.entries import ModelAsked, ModelChunks
from assistant.conversation.usage import Usage, UsageCount
from assistant.conversation.views import View
from assistant.errors import ModelError
from assistant.ports import ModelRequest
from assistant.replay.simulated.customer import SimulatorFailed
from assistant.turn.context import RoleModel


class Actor:
    """Plays customers with a model, and counts what that takes."""

    def __init__(self, role: RoleModel) -> None:
        self._role = role
        self._used = UsageCount()

    @property
    def name(self) -> str:
        """The model's name, as in the settings."""
        return self._role.model.name

    @property
    def usage(self) -> Usage:
        """What the requests so far took."""
        return self._used.usage

    async def reply(self, view: View) -> str:
        """What the model writes, in which the customer's own messages are the assistant's.

        Raises:
            SimulatorFailed: the model failed, refused, or was cut off.
        """
        model, options = self._role.model, self._role.options
        chunks: list[Chunk] = []
        # Of the two roles, the narrator's is the one that is asked for words alone.
        request = ModelRequest(role="narrator", view=view, options=options)
        self._used.take(ModelAsked(round=1, role="narrator", model=model.name))
        try:
            async with aclosing(model.stream(request)) as stream:
                chunks.extend([chunk async for chunk in stream])
        except ModelError as error:
            raise SimulatorFailed(f"{model.name}, who plays the customer, failed: {error}") from error
        timed = tuple((0, chunk) for chunk in chunks)
        self._used.take(ModelChunks(round=1, role="narrator", chunks=timed))
        last = chunks[-1] if chunks else None
        if not isinstance(last, StreamEnded) or last.reason in ("length", "refused"):
            how = last.reason if isinstance(last, StreamEnded) else "without its end"
            raise SimulatorFailed(f"{model.name}, who plays the customer, ended its message so: {how}")
        return "".join(chunk.text for chunk in chunks if isinstance(chunk, TextDelta))
