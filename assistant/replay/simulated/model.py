"""Makes the model that plays customers."""

from assistant.assembly.models import Providers, is_embedded
from assistant.errors import DeclarationError
from assistant.ports import Clock, Model, ModelOptions
from assistant.settings import Settings, environment
from assistant.turn.context import RoleModel


def can_play(model: str) -> bool:
    """Whether this model can play a customer: any but the embedded one, which only knows tools."""
    return not is_embedded(model)


def simulator_of(settings: Settings) -> str:
    """The name of the model that plays customers: its own setting, or else the decision model."""
    return settings.simulator_model or settings.model


def customer_model(name: str, settings: Settings, clock: Clock) -> RoleModel:
    """The model of this name, alone, with the patience that the settings name. To be closed by who asked.

    Raises:
        DeclarationError: there is no such model, a setting for it is missing, or it cannot play a customer.
    """
    return RoleModel(
        model=Providers(clock, environment(), settings.model_options).model(
            [name], settings.model_tries, _nobody
        ),
        options=ModelOptions(first_token_s=settings.first_token_s, next_token_s=settings.next_token_s),
    )


def _nobody() -> Model:
    raise DeclarationError(
        "the embedded model cannot play a customer; name a provider's model, such as openai/gpt-4o-mini"
    )
