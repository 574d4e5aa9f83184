-- One row: the last restore of a backup. An empty id: there was none. Sign-in tokens that were signed
-- before it are refused: the list of used ones may have lost them.
CREATE TABLE restores (id TEXT NOT NULL, restored_ms INTEGER NOT NULL);

INSERT INTO restores VALUES ('', 0);

-- The number of the last entry that the restored backup had. Later entries may repeat numbers of the lost history.
ALTER TABLE conversations ADD COLUMN restored_seq INTEGER NOT NULL DEFAULT 0;

-- On which machine a recording is: the name of its data folder; '' is this one. A backup of a database has several.
CREATE TABLE recordings_of_places (
    tenant       TEXT NOT NULL,
    customer     TEXT NOT NULL,
    conversation TEXT NOT NULL,
    place        TEXT NOT NULL,
    path         TEXT NOT NULL,
    PRIMARY KEY (tenant, customer, conversation, place, path)
) WITHOUT ROWID;

INSERT INTO recordings_of_places SELECT tenant, customer, conversation, '', path FROM recordings;

DROP TABLE recordings;

ALTER TABLE recordings_of_places RENAME TO recordings;
