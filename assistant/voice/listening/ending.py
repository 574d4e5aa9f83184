"""What the words say about whether somebody has finished."""

from typing import Literal, TypeAlias

Ending: TypeAlias = Literal["unknown", "finished", "unclear", "unfinished", "dictated"]
"""``unknown``: it is not written down yet. ``dictated``: a number or a spelled word that may go on."""
