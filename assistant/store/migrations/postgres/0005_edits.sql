-- Which bundle came after which, by an edit of prompts on any server. A server that began on the first goes on to the last.
CREATE TABLE edits (
    tenant text        NOT NULL,
    before text        NOT NULL,
    bundle text        NOT NULL,
    at     timestamptz NOT NULL,
    PRIMARY KEY (tenant, before)
);

ALTER TABLE edits ENABLE ROW LEVEL SECURITY;
ALTER TABLE edits FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON edits USING (is_visible(tenant));
