"""From the name in the settings to the model itself."""

from collections.abc import Callable, Mapping
from typing import assert_never

from assistant.models.direct import PROVIDERS, place_of
from assistant.models.http.connections import Connections
from assistant.models.names import DirectName, EmbeddedName, LitellmName, read_name
from assistant.ports import Clock, Model


def choose_model(
    name: str,
    *,
    clock: Clock,
    environ: Mapping[str, str],
    offline: Callable[[], Model],
    connections: Connections | None = None,
) -> Model:
    """Make the model of that name. Nothing is sent yet, and litellm is not imported yet.

    Args:
        name: "" or "offline" for the embedded default, "openai/<model>", "anthropic/<model>" or "xai/<model>"
            for the clients of our own, and any other name that litellm knows.
        clock: measures the time-outs.
        environ: where keys and addresses are looked up.
        offline: makes the embedded default.
        connections: a pool that is shared between models; left out, the model has its own.

    Raises:
        DeclarationError: no such model, or a setting for it is wrong or missing; with the cure.
    """
    meant = read_name(name)
    match meant:
        case EmbeddedName():
            return offline()
        case DirectName():
            return _direct(name.strip(), meant, clock, environ, connections or Connections(clock))
        case LitellmName():
            return _through_litellm(name.strip(), meant, clock, environ)
        case _:
            assert_never(meant)


def _direct(
    name: str, meant: DirectName, clock: Clock, environ: Mapping[str, str], connections: Connections
) -> Model:
    place = place_of(meant, environ)
    # What only a hosted model needs is imported only for one.
    from assistant.formats.registry import formatter

    match meant.provider:
        case "openai":
            from assistant.models.openai.model import OpenAIModel as DirectModel
        case "anthropic":
            from assistant.models.anthropic.model import AnthropicModel as DirectModel
        case "xai":
            from assistant.models.xai.model import XaiModel as DirectModel
        case _:
            assert_never(meant.provider)
    return DirectModel(
        name,
        base_url=place.base_url,
        api_key=place.api_key,
        formatter=formatter(PROVIDERS[meant.provider].formatter),
        connections=connections,
        clock=clock,
    )


def _through_litellm(name: str, meant: LitellmName, clock: Clock, environ: Mapping[str, str]) -> Model:
    from assistant.formats.registry import formatter
    from assistant.models.litellm.keys import check_key
    from assistant.models.litellm.model import LitellmModel

    check_key(meant, environ)
    return LitellmModel(name, model=meant.model, formatter=formatter("generic"), clock=clock, environ=environ)
