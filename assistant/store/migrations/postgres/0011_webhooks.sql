-- Several receivers get events of a conversation, and each has a position. Until now there was the helpdesk alone.
ALTER TABLE deliveries RENAME TO delivery_positions;
ALTER TABLE delivery_positions ADD COLUMN receiver text NOT NULL DEFAULT 'handoff';
ALTER TABLE delivery_positions ALTER COLUMN receiver DROP DEFAULT;
ALTER TABLE delivery_positions ADD COLUMN ended bigint NOT NULL DEFAULT 0;  -- the last entry of a conversation whose end was delivered
ALTER TABLE delivery_positions ALTER COLUMN ended DROP DEFAULT;
ALTER TABLE delivery_positions ADD COLUMN rested_ms bigint;  -- since when nothing is left to deliver; null: something may be
ALTER TABLE delivery_positions DROP CONSTRAINT deliveries_pkey;
ALTER TABLE delivery_positions ADD PRIMARY KEY (receiver, tenant, customer, conversation);

-- A log of the newest tries to deliver events.
CREATE TABLE delivery_attempts (
    number       bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant       text    NOT NULL,
    customer     text    NOT NULL,
    conversation text    NOT NULL,
    receiver     text    NOT NULL,
    event_id     text    NOT NULL,
    event        text    NOT NULL,
    at_ms        bigint  NOT NULL,
    status       integer NOT NULL,
    took_ms      integer NOT NULL,
    problem      text    NOT NULL
);

CREATE INDEX delivery_attempts_newest ON delivery_attempts (tenant, number);

ALTER TABLE delivery_attempts ENABLE ROW LEVEL SECURITY;
ALTER TABLE delivery_attempts FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON delivery_attempts USING (is_visible(tenant));
