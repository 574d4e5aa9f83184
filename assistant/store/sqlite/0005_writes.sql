-- What waits to become a document. A result waits from the moment its snapshot is kept, and its text stands in the
-- entries until then; what was uploaded is kept here whole.
CREATE TABLE writes (
    tenant   TEXT    NOT NULL,
    customer TEXT    NOT NULL,
    ref      TEXT    NOT NULL,
    asked_ms INTEGER NOT NULL,
    due_ms   INTEGER NOT NULL,      -- not before then; later after each try that failed
    tries    INTEGER NOT NULL,
    problem  TEXT    NOT NULL,      -- why the last try failed, '' for no try
    document BLOB,                  -- as JSON; null for a result
    PRIMARY KEY (tenant, ref)
);

CREATE INDEX writes_due ON writes (due_ms);
CREATE INDEX writes_whose ON writes (tenant, customer);
