"""Makes the models, as the settings name them."""

from collections.abc import Mapping

from assistant.conversation.entries import ModelRole
from assistant.models.choose import choose_model
from assistant.models.http.connections import Connections
from assistant.ports import Clock, Model, ModelOptions
from assistant.prompts.book import PromptBook
from assistant.prompts.narration import Narration
from assistant.settings import Settings, environment
from assistant.tooling.registry import Tools
from assistant.turn.parts import RoleModel


def is_embedded(model: str) -> bool:
    """Whether a model setting means the embedded demo model."""
    return model.strip() in ("", "offline")


def build_models(
    settings: Settings, tools: Tools, book: PromptBook, narration: Narration, clock: Clock
) -> Mapping[ModelRole, RoleModel]:
    """The model of each role. Raises ``DeclarationError`` for a setting that is wrong or missing."""

    def offline() -> Model:
        from assistant.models.offline.model import OfflineModel

        specs = {spec.name: spec for spec in tools.specs}
        return OfflineModel(
            tools.specs,
            book.render,
            narrate=lambda outcomes: narration.narrate_outcomes(outcomes, specs),
            clock=clock,
            cache_dir=settings.data_dir,
        )

    # One pool of connections for the process: a narrator mostly asks the server that has just decided.
    connections, environ = Connections(clock), environment()

    def model(name: str) -> Model:
        return choose_model(name, clock=clock, environ=environ, offline=offline, connections=connections)

    decider = model(settings.model)
    same = settings.narrator_model in (None, settings.model)
    narrator = decider if same else model(settings.narrator_model or "")
    return {
        "decider": RoleModel(
            model=decider,
            options=ModelOptions(
                max_tokens=settings.max_tokens,
                temperature=settings.temperature,
                first_token_s=settings.first_token_s,
                next_token_s=settings.next_token_s,
            ),
        ),
        "narrator": RoleModel(
            model=narrator,
            options=ModelOptions(
                max_tokens=settings.narrator_max_tokens,
                temperature=settings.narrator_temperature,
                first_token_s=settings.first_token_s,
                next_token_s=settings.next_token_s,
            ),
        ),
    }
