"""Whether each model could be asked, when none is: its name, its key and its address."""

from assistant.clock import SystemClock
from assistant.doctor.findings import Finding, Fine, Wrong
from assistant.doctor.model_findings import models_named
from assistant.errors import DeclarationError
from assistant.models.names import EmbeddedName, read_name
from assistant.models.providers import choose_model
from assistant.ports import Model
from assistant.settings import Settings, environment


def name_findings(settings: Settings) -> list[Finding]:
    """What a start would say to each model that is named, in the order of ``models_named``."""
    return [_named(name) for name in models_named(settings)]


def _named(name: str) -> Finding:
    try:
        if not isinstance(read_name(name), EmbeddedName):
            choose_model(name, clock=SystemClock(), environ=environment(), offline=_nobody)
    except DeclarationError as error:
        return Wrong("model", f"{name}: {error}")
    return Fine("model", f"{name}: not asked; its name and its settings are in order")


def _nobody() -> Model:
    raise AssertionError("the embedded model is not made by its name here")
