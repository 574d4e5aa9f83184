"""What an erasure has come to, and what it could not reach."""

from dataclasses import dataclass, field
from pathlib import Path

from assistant.errors import StoreError


@dataclass(frozen=True, slots=True, kw_only=True)
class Erased:
    """What was erased. ``left``: recordings that lie elsewhere, which whoever put them there must delete."""

    conversations: int
    documents: int
    recordings: tuple[Path, ...] = ()
    left: tuple[Path, ...] = ()

    @property
    def nothing(self) -> bool:
        """Whether nothing was known of this customer."""
        return not (self.conversations or self.documents or self.recordings or self.left)

    def __str__(self) -> str:
        return (
            f"{self.conversations} conversations, {self.documents} documents, "
            f"{len(self.recordings)} recordings"
        )


@dataclass(slots=True, kw_only=True)
class Erasing:
    """An erasure under way. ``problem``: why the documents could not be erased."""

    conversations: int = 0
    documents: int = 0
    recordings: list[Path] = field(default_factory=list[Path])
    left: list[Path] = field(default_factory=list[Path])
    problem: StoreError | None = None

    def ended(self) -> Erased:
        """What was erased, when that is all. Raises ``StoreError`` when it is not, and says what is left."""
        erased = Erased(
            conversations=self.conversations,
            documents=self.documents,
            recordings=tuple(self.recordings),
            left=tuple(self.left),
        )
        if self.problem is None:
            return erased
        told = [
            f"not everything is erased: the documents are still where they were: {self.problem}",
            f"erased: {erased}",
            *(
                f"also recorded in {path}, which is not in the data folder: delete it yourself"
                for path in self.left
            ),
            "ask again when they can be reached: that finishes it",
        ]
        raise StoreError("\n".join(told)) from self.problem
