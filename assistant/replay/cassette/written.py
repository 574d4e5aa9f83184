"""What all parts of a cassette have in common."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field


class Written(BaseModel):
    """A part of a file: nothing in it may be unknown, and nothing changes it."""

    model_config = ConfigDict(extra="forbid", frozen=True)


Text = Annotated[str, Field(min_length=1)]

Ms = Annotated[int, Field(ge=0)]
"""Milliseconds."""
