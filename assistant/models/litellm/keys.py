"""Which keys litellm looks for, where that can be said without asking it."""

import re
from collections.abc import Mapping

from assistant.errors import DeclarationError
from assistant.models.names import LitellmName

_KEYS: Mapping[str, tuple[str, ...]] = {
    "cerebras": ("CEREBRAS_API_KEY",),
    "cohere": ("COHERE_API_KEY", "CO_API_KEY"),
    "deepinfra": ("DEEPINFRA_API_KEY",),
    "deepseek": ("DEEPSEEK_API_KEY",),
    "fireworks_ai": ("FIREWORKS_API_KEY", "FIREWORKS_AI_API_KEY", "FIREWORKSAI_API_KEY"),
    "gemini": ("GEMINI_API_KEY", "GOOGLE_API_KEY"),
    "groq": ("GROQ_API_KEY",),
    "mistral": ("MISTRAL_API_KEY",),
    "openrouter": ("OPENROUTER_API_KEY", "OR_API_KEY"),
    "perplexity": ("PERPLEXITYAI_API_KEY", "PERPLEXITY_API_KEY"),
    "together_ai": ("TOGETHER_API_KEY", "TOGETHER_AI_API_KEY", "TOGETHERAI_API_KEY"),
}
"""The first that is set counts; the first of each is the one to recommend."""

_SECRET = re.compile(r"(KEY|KEY_ID|SECRET|TOKEN|PASSWORD|CREDENTIALS?)$")
_SHORTEST = 8


def check_key(name: LitellmName, environ: Mapping[str, str]) -> None:
    """Raises ``DeclarationError`` when a well-known provider's key is missing."""
    keys = _KEYS.get(name.provider, ())
    own_server = environ.get(f"{name.provider.upper()}_API_BASE", "").strip()
    if keys and not own_server and not any(environ.get(key, "").strip() for key in keys):
        others = f" (or {', '.join(keys[1:])})" if keys[1:] else ""
        raise DeclarationError(
            f"model {name.model!r} needs a key: set {keys[0]}{others}, or use the model 'offline'"
        )


def secrets_in(environ: Mapping[str, str]) -> frozenset[str]:
    """The values of all variables that are named as secrets are; too short ones are words."""
    return frozenset(
        value for name, value in environ.items() if _SECRET.search(name.upper()) and len(value) >= _SHORTEST
    )
