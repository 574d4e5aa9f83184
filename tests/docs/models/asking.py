"""A hosted model that is asked once, as the application asks it, and its error if it fails."""

from collections.abc import Mapping, Sequence
from contextlib import aclosing

from assistant.assembly.models import Providers
from assistant.conversation.chunks import Chunk
from assistant.conversation.views import FromCustomer, TurnView, View
from assistant.errors import ModelError
from assistant.ports import Model, ModelOptions, ModelRequest
from assistant.settings import ModelSettings
from assistant.testing.scripted_model import ScriptedModel
from assistant.testing.virtual_time import VirtualClock
from tests.support.fake_model.model_server import FakeModelServer
from tests.support.fake_model.replies import Provider, Reply

HELLO = View("Be brief.", (TurnView((FromCustomer("Hello"),)),))
_ADDRESS: Mapping[Provider, str] = {"openai": "OPENAI", "anthropic": "ANTHROPIC", "xai": "XAI"}


def providers(environ: Mapping[str, str], own: ModelSettings | None = None, name: str = "") -> Providers:
    """The installation's providers; one model has its own options."""
    return Providers(VirtualClock(), environ, {} if own is None else {name: own}, jitter=lambda: 0.0)


def nobody() -> Model:
    """Returned in place of the embedded model."""
    return ScriptedModel(name="offline")


async def heard(model: Model, options: ModelOptions | None = None) -> list[Chunk]:
    """The reply to a greeting. Raises ``ModelError``."""
    request = ModelRequest(role="decider", view=HELLO, options=options or ModelOptions(), conversation="c7")
    async with aclosing(model.stream(request)) as stream:
        return [chunk async for chunk in stream]


async def refused(
    *replies: Reply,
    name: str = "openai/fake",
    own: ModelSettings | None = None,
    path: str = "",
    asked: Sequence[str] = (),
) -> str:
    """What a model says that cannot answer the last time it is asked.

    ``path`` is appended to the right address; ``asked`` names the models that are asked before.
    """
    wire: Provider = next(one for one in _ADDRESS if name.startswith(one))
    told = ""
    async with FakeModelServer(*replies, clock=VirtualClock(), wire=wire) as server:
        environ = {f"{_ADDRESS[wire]}_BASE_URL": server.url + path, f"{_ADDRESS[wire]}_API_KEY": "sk-test"}
        hosted = providers(environ, own, name)
        for each in (*asked, name):
            try:
                await heard(hosted.model([each], 1, nobody))
            except ModelError as error:
                told = str(error)
        await hosted.close()
    return told
