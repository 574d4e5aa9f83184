-- What waits to become a document. A result waits from the moment its snapshot is kept, and its text stands in the
-- entries until then; what was uploaded is kept here whole. A customer of '' is everybody.
CREATE TABLE writes (
    number       INTEGER PRIMARY KEY AUTOINCREMENT,  -- a new one whenever the same document is asked for anew
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    ref          TEXT    NOT NULL,
    kind         TEXT    NOT NULL,
    title        TEXT    NOT NULL,
    mime         TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    origin       TEXT    NOT NULL,
    kept_ms      INTEGER NOT NULL,
    expires_ms   INTEGER,           -- null: never
    characters   INTEGER NOT NULL,
    due_ms       INTEGER,           -- not before then, later after each try that failed; null: it failed for good
    tries        INTEGER NOT NULL DEFAULT 0,
    problem      TEXT    NOT NULL DEFAULT '',  -- why the last try failed
    text         TEXT    NOT NULL   -- '' for a result, whose text is in its entry
);

CREATE UNIQUE INDEX writes_ref ON writes (tenant, ref);
CREATE INDEX writes_whose ON writes (tenant, customer);
CREATE INDEX writes_due ON writes (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX writes_expiring ON writes (expires_ms) WHERE expires_ms IS NOT NULL;
