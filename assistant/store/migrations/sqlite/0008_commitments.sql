-- What an erasure leaves of each receipt: a salted hash, which says nothing without the receipt itself.
CREATE TABLE commitments (
    commitment BLOB    NOT NULL PRIMARY KEY,
    erased_ms  INTEGER NOT NULL
) WITHOUT ROWID;
