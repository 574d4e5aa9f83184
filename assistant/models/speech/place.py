"""Where a provider's model for speech is asked, by its name."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import assert_never

from assistant.errors import DeclarationError
from assistant.models.names import DirectName, LitellmName
from assistant.models.providers import check_key, place_of


@dataclass(frozen=True, slots=True, kw_only=True)
class SpeechPlace:
    """A model, and where it is.

    ``name`` is as the operator wrote it in ``variable``, ``model`` as litellm knows it; address and key are given
    where litellm is not to look for them itself.
    """

    name: str
    variable: str
    model: str
    api_base: str | None = None
    api_key: str | None = None

    @property
    def setting(self) -> str:
        """How the operator finds it again."""
        return f"{self.variable}={self.name!r}"


def speech_place(
    name: str, meant: DirectName | LitellmName, environ: Mapping[str, str], *, variable: str, such_as: str
) -> SpeechPlace:
    """Where a provider's model is asked that hears or speaks.

    Args:
        name: as the operator wrote it.
        meant: what that means.
        environ: where keys and addresses are looked up.
        variable: the setting that it stands in.
        such_as: a name that would do.

    Raises:
        DeclarationError: the provider has none, or a key is missing.
    """
    match meant:
        case DirectName(provider="openai", model=model):
            place = place_of(meant, environ)
            # A server on this machine needs no key, but litellm insists on one.
            return SpeechPlace(
                name=name,
                variable=variable,
                model=f"openai/{model}",
                api_base=place.base_url,
                api_key=place.api_key or "none",
            )
        case DirectName(provider=provider):
            raise DeclarationError(
                f"{variable}={name!r}: {provider} has no models for it that we can ask; use 'offline', or one such "
                f"as {such_as!r}"
            )
        case LitellmName(model=model):
            check_key(meant, environ)
            return SpeechPlace(name=name, variable=variable, model=model)
        case _:
            assert_never(meant)
