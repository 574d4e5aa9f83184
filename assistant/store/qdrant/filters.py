"""Which points are meant."""

from qdrant_client.models import (
    FieldCondition,
    Filter,
    MatchAny,
    MatchValue,
    Range,
)

from assistant.conversation.documents import EVERYBODY


def readable_by(tenant: str, customer: str, now_ms: int) -> Filter:
    """What a customer may read: their own and everybody's, unless it has expired."""
    theirs = FieldCondition(key="customer", match=MatchAny(any=[customer, EVERYBODY]))
    return Filter(must=[_is("tenant", tenant), theirs], must_not=[_expired(now_ms)])


def of_tenant(tenant: str) -> Filter:
    """All that is a tenant's."""
    return Filter(must=[_is("tenant", tenant)])


def of_customer(tenant: str, customer: str) -> Filter:
    """All that is one customer's alone."""
    return Filter(must=[_is("tenant", tenant), _is("customer", customer)])


def of_document(tenant: str, ref: str) -> Filter:
    """All that belongs to a document, whichever version."""
    return Filter(must=[_is("tenant", tenant), _is("ref", ref)])


def of_other_versions(tenant: str, ref: str, version: str) -> Filter:
    """All that belongs to a document but not to this version of it."""
    return Filter(must=[_is("tenant", tenant), _is("ref", ref)], must_not=[_is("version", version)])


def expired_at(now_ms: int) -> Filter:
    """What has expired, whosever it is."""
    return Filter(must=[_expired(now_ms)])


def of_other_embedders(embedder: str, width: int) -> Filter:
    """What another embedder was used for, whosever it is."""
    return Filter(must_not=[Filter(must=[_is("embedder", embedder), _is("width", width)])])


def _is(key: str, value: str | int) -> FieldCondition:
    return FieldCondition(key=key, match=MatchValue(value=value))


def _expired(now_ms: int) -> FieldCondition:
    # Points that never expire have no such field, and are in no range.
    return FieldCondition(key="expires_ms", range=Range(lte=now_ms))
