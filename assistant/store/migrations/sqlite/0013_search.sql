-- The index of conversations: made from the entries, and made again if it is lost. It goes with its conversation.
CREATE TABLE searchable (
    id           INTEGER PRIMARY KEY,
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    seq          INTEGER NOT NULL,  -- the last entry that was read
    form         TEXT    NOT NULL,  -- how the row was made
    opened_ms    INTEGER NOT NULL,
    last_ms      INTEGER NOT NULL,  -- its last activity
    busy         INTEGER NOT NULL,  -- 1: the assistant, or an agent, still has to answer
    outcome      TEXT    NOT NULL,
    cost_usd     REAL,              -- null: not known
    marks        TEXT    NOT NULL,  -- a JSON list: what it can be selected by exactly
    about        TEXT    NOT NULL,  -- JSON: what a list shows
    UNIQUE (tenant, customer, conversation)
);

CREATE INDEX searchable_newest ON searchable (tenant, last_ms, conversation);
CREATE INDEX conversations_by_id ON conversations (tenant, conversation);
CREATE VIRTUAL TABLE searchable_words USING fts5 (words, who, prefix = '2 3 4');

CREATE TRIGGER searchable_with_conversation AFTER DELETE ON conversations BEGIN
    DELETE FROM searchable
    WHERE tenant = OLD.tenant AND customer = OLD.customer AND conversation = OLD.conversation;
END;

CREATE TRIGGER searchable_with_words AFTER DELETE ON searchable BEGIN
    DELETE FROM searchable_words WHERE rowid = OLD.id;
END;
