-- The index of conversations: made from the entries, and made again if it is lost. It goes with its conversation.
CREATE TABLE searchable (
    tenant       text     NOT NULL,
    customer     text     NOT NULL,
    conversation text     NOT NULL,
    seq          bigint   NOT NULL,  -- the last entry that was read
    form         text     NOT NULL,  -- how the row was made
    opened_ms    bigint   NOT NULL,
    last_ms      bigint   NOT NULL,  -- its last activity
    busy         smallint NOT NULL,  -- 1: the assistant, or an agent, still has to answer
    outcome      text     NOT NULL,
    cost_usd     double precision,   -- null: not known
    marks        text[]   NOT NULL,  -- what it can be selected by exactly
    words        tsvector NOT NULL,
    who          tsvector NOT NULL,
    about        text     NOT NULL,  -- JSON: what a list shows
    PRIMARY KEY (tenant, customer, conversation),
    FOREIGN KEY (tenant, customer, conversation) REFERENCES conversations ON DELETE CASCADE
);

CREATE INDEX searchable_newest ON searchable (tenant, last_ms, conversation COLLATE "C");
CREATE INDEX searchable_marks ON searchable USING gin (marks);
CREATE INDEX searchable_words ON searchable USING gin (words);
CREATE INDEX searchable_who ON searchable USING gin (who);
CREATE INDEX conversations_by_id ON conversations (tenant, conversation);

ALTER TABLE searchable ENABLE ROW LEVEL SECURITY;
ALTER TABLE searchable FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON searchable USING (is_visible(tenant));
