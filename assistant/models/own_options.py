"""What is set for one model by its name, whichever role it plays."""

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace

from assistant.conversation.values import Json
from assistant.ports import ModelOptions


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnOptions:
    """One model's own options; see :class:`assistant.ports.ModelOptions`. None: as its role has it."""

    max_tokens: int | None = None
    temperature: float | None = None
    parallel_calls: bool | None = None
    formatted: bool | None = None
    images: bool | None = None
    extra: Mapping[str, Json] = field(default_factory=dict[str, Json])

    def over(self, options: ModelOptions) -> ModelOptions:
        """The options of a role with the model's own in their places.

        >>> OwnOptions(images=False).over(ModelOptions(max_tokens=200)).images
        False
        """
        own = {name: value for name in _OF_ITS_OWN if (value := getattr(self, name)) is not None}
        return replace(options, extra={**options.extra, **self.extra}, **own)


_OF_ITS_OWN = tuple(field.name for field in fields(OwnOptions) if field.name != "extra")
