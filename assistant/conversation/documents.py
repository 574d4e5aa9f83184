"""Documents that can be searched later: full results, customers' files, and the company's knowledge."""

from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

DocumentKind: TypeAlias = Literal["result", "upload", "knowledge"]
ALL_CUSTOMERS = ""
"""The value of ``customer`` for documents that all customers of a tenant may read."""

SEARCH_DOCUMENTS: Final = "search_documents"
LOAD_IN_FULL: Final = "load_in_full"
LOOKUPS: Final = frozenset({SEARCH_DOCUMENTS, LOAD_IN_FULL})
"""The built-in tools that read documents. Their results are stored already, and are not stored again."""

Vector: TypeAlias = bytes
"""Numbers as float32, little-endian. A vector has length 1, so a dot product is a cosine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """One whole text with its owner.

    ``ref`` is unique for its tenant: ``result:<conversation>/<turn>/<call>`` or ``document:<id>``.
    ``customer`` is the only customer who may read it, or :data:`ALL_CUSTOMERS`. ``title`` is the source that
    an answer names: a file's name, or a page's title. ``conversation`` is the conversation from which it
    came, "" for none. ``origin`` is a path or an address; reading the same origin again replaces the
    document. Times are Unix milliseconds; None: it does not expire.
    """

    ref: str
    tenant: str
    customer: str
    kind: DocumentKind
    title: str
    text: str
    mime: str = "text/plain"
    conversation: str = ""
    origin: str = ""
    kept_ms: int = 0
    expires_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a document that is small enough to have one meaning. Consecutive passages overlap.

    ``number`` counts from 0. ``start`` and ``end`` are its position in the document's text, in characters.
    ``place`` describes it as text: "Returns, How long you have", "page 3"; it may be "".
    """

    number: int
    start: int
    end: int
    text: str
    place: str = ""
    vector: Vector = b""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """A passage that was found, with its document. ``score`` is a cosine, from -1 to 1."""

    ref: str
    kind: DocumentKind
    title: str
    passage: Passage
    score: float


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentInfo:
    """A document without its text; ``passages`` and ``characters`` are its size."""

    ref: str
    customer: str
    kind: DocumentKind
    title: str
    mime: str
    passages: int
    characters: int
    origin: str = ""
    kept_ms: int = 0
    expires_ms: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Attached:
    """A file of a customer's message: the reference of its text, and the name of the file."""

    ref: str
    name: str


def result_ref(conversation: str, turn_id: str, call_id: str) -> str:
    """Returns the reference of a call's full result. It can be computed before the result is stored.

    >>> result_ref("0190", "t2", "c1.1")
    'result:0190/t2/c1.1'
    """
    return f"result:{conversation}/{turn_id}/{call_id}"


def parse_result_ref(ref: str) -> tuple[str, str, str] | None:
    """Returns the conversation, turn and call of a result's reference, or None for any other reference.

    >>> parse_result_ref("result:0190/t2/c1.1")
    ('0190', 't2', 'c1.1')
    """
    kind, _, rest = ref.partition(":")
    parts = rest.rsplit("/", 2)
    return (parts[0], parts[1], parts[2]) if kind == "result" and len(parts) == 3 and all(parts) else None


def place_of(finding: Finding) -> str:
    """Returns the place of a finding, without the document's title. It is "" if the place is only the title.

    >>> from assistant.conversation.documents import Passage
    >>> passage = Passage(number=0, start=0, end=1, text="x", place="Returns, How long you have")
    >>> place_of(Finding(ref="r", kind="knowledge", title="Returns", passage=passage, score=0.5))
    'How long you have'
    """
    place = finding.passage.place
    return "" if place == finding.title else place.removeprefix(f"{finding.title}, ")


@dataclass(frozen=True, slots=True, kw_only=True)
class QueuedDocument:
    """A queued document without its text.

    ``number`` is its position in the queue; a document that is queued again gets a new one. The next attempt
    is at ``due_ms``; None: it has failed permanently. ``tries`` attempts have failed, the last one with
    ``problem``, a text for the operator.
    """

    number: int
    tenant: str
    listed: DocumentInfo
    due_ms: int | None
    tries: int = 0
    problem: str = ""

    @property
    def key(self) -> tuple[str, str]:
        """The tenant and the reference, which identify the document."""
        return self.tenant, self.listed.ref

    @property
    def whose(self) -> tuple[str, str, str]:
        """The tenant, the customer and the reference."""
        return self.tenant, self.listed.customer, self.listed.ref
