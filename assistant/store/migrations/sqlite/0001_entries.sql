-- Every entry of every conversation, in order. The tenant and the customer lead every key, so that no
-- question can be asked without saying whose conversations are meant.
CREATE TABLE entries (
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    seq          INTEGER NOT NULL,
    at_ms        INTEGER NOT NULL,
    turn_id      TEXT    NOT NULL,
    fence        INTEGER NOT NULL,
    kind         TEXT    NOT NULL,
    body         BLOB    NOT NULL,  -- the entry's fields, as JSON
    said         TEXT,              -- the client's own id of a customer's message
    PRIMARY KEY (tenant, customer, conversation, seq)
) WITHOUT ROWID;

-- A message that a client sends twice is kept once.
CREATE UNIQUE INDEX entries_said ON entries (tenant, customer, conversation, said) WHERE said IS NOT NULL;

-- How far each conversation has come: what can be had from its entries, kept so that nobody has to read them.
CREATE TABLE conversations (
    tenant       TEXT    NOT NULL,
    customer     TEXT    NOT NULL,
    conversation TEXT    NOT NULL,
    opened_ms    INTEGER NOT NULL,  -- when its first entry was made
    open_turn    TEXT    NOT NULL,  -- the last turn's id while it has no end, else ''
    waiting      TEXT    NOT NULL,  -- the last customer message's id while no turn has begun for it, else ''
    PRIMARY KEY (tenant, customer, conversation)
) WITHOUT ROWID;

CREATE INDEX conversations_unfinished ON conversations (tenant, customer, conversation)
    WHERE open_turn <> '' OR waiting <> '';
