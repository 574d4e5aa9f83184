-- What staff have paused: the assistant, a channel, a tool, or a configuration version.
CREATE TABLE pauses (
    tenant   text   NOT NULL,
    kind     text   NOT NULL,
    name     text   NOT NULL,  -- '' for the whole assistant
    account  text   NOT NULL,
    person   text   NOT NULL,
    since_ms bigint NOT NULL,
    why      text   NOT NULL,
    PRIMARY KEY (tenant, kind, name)
);

ALTER TABLE pauses ENABLE ROW LEVEL SECURITY;
ALTER TABLE pauses FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON pauses USING (is_visible(tenant));
