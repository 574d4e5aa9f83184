-- What grows old by itself, and is looked for by its age.
CREATE INDEX entries_aging ON entries (kind, at_ms) WHERE kind IN ('model_chunks', 'call_ended');

-- Where each recording of a conversation was written, so that it can be erased with its customer.
CREATE TABLE recordings (
    tenant       TEXT NOT NULL,
    customer     TEXT NOT NULL,
    conversation TEXT NOT NULL,
    path         TEXT NOT NULL,
    PRIMARY KEY (tenant, customer, conversation, path)
) WITHOUT ROWID;
