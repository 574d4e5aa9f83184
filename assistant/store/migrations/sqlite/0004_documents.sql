-- Documents, whole: full results, customers' files, what the company knows.
--
-- What a person could be known by stands behind a margin of zeros, on pages of the row's own: those are overwritten
-- whole when the row is deleted, while SQLite leaves copies of short rows behind when it moves them between pages.
-- For the same reason the indexes hold digests.
CREATE TABLE documents (
    document   INTEGER PRIMARY KEY AUTOINCREMENT,  -- never given twice: what stands under it never changes
    named      BLOB    NOT NULL,                   -- the digest of its tenant and its ref
    whose      BLOB    NOT NULL,                   -- the digest of its tenant and its customer
    tenant     TEXT    NOT NULL,
    embedder   TEXT    NOT NULL,                   -- whose vectors its passages have
    kept_ms    INTEGER NOT NULL,
    expires_ms INTEGER,                            -- null: never
    passages   INTEGER NOT NULL,
    characters INTEGER NOT NULL,
    margin     BLOB    NOT NULL,
    about      BLOB    NOT NULL,                   -- ref, customer, kind, title and the like, as JSON
    text       BLOB    NOT NULL,                   -- UTF-8
    filler     BLOB    NOT NULL
);

CREATE UNIQUE INDEX documents_named ON documents (named);
CREATE INDEX documents_whose ON documents (whose, embedder, passages, expires_ms);
CREATE INDEX documents_tenant ON documents (tenant);
CREATE INDEX documents_expiring ON documents (expires_ms) WHERE expires_ms IS NOT NULL;

-- Their passages, some neighbours in a row.
CREATE TABLE passages (
    pack     INTEGER PRIMARY KEY,
    document INTEGER NOT NULL REFERENCES documents (document),
    margin   BLOB    NOT NULL,
    vectors  BLOB    NOT NULL,  -- one behind the other: float32, little-endian, of length 1
    about    BLOB    NOT NULL,  -- number, start, end, place and text of each, as JSON
    filler   BLOB    NOT NULL
);

CREATE INDEX passages_document ON passages (document);

-- All documents of one customer, or of everybody, are a shelf: its number grows with every change, so that whoever
-- holds its vectors in memory sees that they are old. An empty shelf has no row.
CREATE TABLE shelves (
    change INTEGER PRIMARY KEY AUTOINCREMENT,
    whose  BLOB    NOT NULL UNIQUE
);
