-- The replies that agents insert in the inbox.
CREATE TABLE canned_replies (
    tenant     text   NOT NULL,
    id         text   NOT NULL,
    title      text   NOT NULL,
    text       text   NOT NULL,
    locale     text   NOT NULL,  -- '' for any language
    person     text   NOT NULL,
    changed_ms bigint NOT NULL,
    PRIMARY KEY (tenant, id)
);

ALTER TABLE canned_replies ENABLE ROW LEVEL SECURITY;
ALTER TABLE canned_replies FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON canned_replies USING (is_visible(tenant));
