"""What models are told about documents: one typed input for each template."""

from dataclasses import dataclass
from typing import ClassVar

from assistant.prompts.prompt import Instruction


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchTool(Instruction):
    """Tells the decision model what the tool is for that searches documents by meaning."""

    template: ClassVar[str] = "search_tool.j2"


@dataclass(frozen=True, slots=True, kw_only=True)
class LoadTool(Instruction):
    """Tells the decision model what the tool is for that loads a document or a result in full.

    ``characters`` is how much of it one call gives at most.
    """

    template: ClassVar[str] = "load_tool.j2"
    characters: int


@dataclass(frozen=True, slots=True, kw_only=True)
class FromDocuments(Instruction):
    """Tells the narrator how answers from documents are given."""

    template: ClassVar[str] = "from_documents.j2"
