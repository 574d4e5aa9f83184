-- Documents, whole: full results, customers' files, what the company knows. A customer of '' is everybody.
CREATE TABLE documents (
    document     INTEGER PRIMARY KEY,
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    ref          TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    mime         TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    origin       TEXT    NOT NULL,  -- where it was read
    kept_ms      INTEGER NOT NULL,
    expires_ms   INTEGER,           -- null: never
    text         TEXT    NOT NULL
);

CREATE UNIQUE INDEX documents_ref ON documents (tenant, ref);
CREATE INDEX documents_whose ON documents (tenant, customer);
CREATE INDEX documents_expiring ON documents (expires_ms) WHERE expires_ms IS NOT NULL;

-- Their pieces, each with a vector: float32, little-endian, of length 1.
CREATE TABLE passages (
    tenant     TEXT    NOT NULL,
    customer   TEXT    NOT NULL,
    document   INTEGER NOT NULL REFERENCES documents (document),
    number     INTEGER NOT NULL,
    starts     INTEGER NOT NULL,   -- where it stands in the document, in characters
    ends       INTEGER NOT NULL,
    place      TEXT    NOT NULL,
    text       TEXT    NOT NULL,
    vector     BLOB    NOT NULL,
    PRIMARY KEY (tenant, customer, document, number)
) WITHOUT ROWID;
