"""Which keys a place in a file may have."""

from collections.abc import Iterator, Sequence
from typing import get_args

from pydantic import BaseModel


def known_keys(root: type[BaseModel], place: Sequence[str | int]) -> list[str]:
    """The keys that may stand where this path's last step does, in the order of the code.

    ``place`` is pydantic's: keys, numbers in lists, and names of classes where one of several is meant.
    """
    found = [root]
    for step in place[:-1]:
        if named := [model for model in found if model.__name__ == step]:
            found = named
        elif isinstance(step, str):
            fields = [model.model_fields[step] for model in found if step in model.model_fields]
            found = [model for field in fields for model in _models(field.annotation)]
    return list(dict.fromkeys(name for model in found for name in model.model_fields))


def _models(annotation: object) -> Iterator[type[BaseModel]]:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for part in get_args(annotation):
        yield from _models(part)
