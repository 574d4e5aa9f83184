"""What is asked of the database. Every question and every order begins with whose documents are meant."""

DOCUMENT_COLUMNS = "ref, tenant, customer, kind, title, text, mime, conversation, origin, kept_ms, expires_ms"

PUT = f"""
INSERT INTO documents ({DOCUMENT_COLUMNS}, characters, passages, embedder, width)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15)
ON CONFLICT (tenant, ref) DO UPDATE SET
    customer = excluded.customer, kind = excluded.kind, title = excluded.title, text = excluded.text,
    mime = excluded.mime, conversation = excluded.conversation, origin = excluded.origin,
    kept_ms = excluded.kept_ms, expires_ms = excluded.expires_ms,
    characters = excluded.characters, passages = excluded.passages,
    embedder = excluded.embedder, width = excluded.width
RETURNING document
"""  # noqa: S608 - constants

FORGET_PASSAGES = "DELETE FROM passages WHERE document = $1"

PUT_PASSAGE = """
INSERT INTO passages
    (document, number, tenant, customer, embedder, width, expires_ms, starts, ends, place, text, vector)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
"""

# What somebody may read is sifted out first, and read to the end: MATERIALIZED keeps the planner, and any index
# that somebody may add, from taking the nearest of all tenants first and sifting those.
SEARCH = """
WITH readable AS MATERIALIZED (
    SELECT document, number, -(vector <#> $4) AS score
    FROM passages
    WHERE tenant = $1 AND customer IN ($2, '') AND embedder = $3 AND width = $7
        AND (expires_ms IS NULL OR expires_ms > $5)
), nearest AS (
    SELECT document, number, score FROM readable ORDER BY score DESC, document, number LIMIT $6
)
SELECT ref, kind, title, score, number, starts, ends, place, passages.text
FROM nearest JOIN passages USING (document, number) JOIN documents USING (document)
ORDER BY score DESC, document, number
"""

GET = f"""
SELECT {DOCUMENT_COLUMNS} FROM documents
WHERE tenant = $1 AND customer IN ($2, '') AND ref = $3 AND (expires_ms IS NULL OR expires_ms > $4)
"""  # noqa: S608 - constants

_LISTED = "ref, customer, kind, title, mime, passages, characters, origin, kept_ms, expires_ms"
_OLDEST_FIRST = "ORDER BY kept_ms, ref"
LIST_OF_TENANT = f"SELECT {_LISTED} FROM documents WHERE tenant = $1 {_OLDEST_FIRST}"  # noqa: S608
LIST_OF_CUSTOMER = f"SELECT {_LISTED} FROM documents WHERE tenant = $1 AND customer = $2 {_OLDEST_FIRST}"  # noqa: S608

STALE = """
SELECT tenant, customer, ref FROM documents
WHERE embedder <> $1 OR width <> $2
ORDER BY kept_ms, tenant, ref
"""

_COUNTED = "WITH gone AS (DELETE FROM documents WHERE {} RETURNING 1) SELECT count(*) FROM gone"
DELETE = _COUNTED.format("tenant = $1 AND ref = $2")
ERASE = _COUNTED.format("tenant = $1 AND customer = $2")
EXPIRE = _COUNTED.format("expires_ms <= $1")
