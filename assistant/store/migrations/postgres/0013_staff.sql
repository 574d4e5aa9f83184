-- The people who work with the assistant, their sessions and one-time links, and records of what they did.
CREATE TABLE staff_accounts (
    tenant     text     NOT NULL,
    id         text     NOT NULL,
    login      text     NOT NULL,
    name       text     NOT NULL,
    roles      text     NOT NULL,  -- with blanks between
    created_ms bigint   NOT NULL,
    password   text     NOT NULL,  -- an Argon2 hash; '' is none
    disabled   smallint NOT NULL,
    language   text     NOT NULL,
    seen_ms    bigint   NOT NULL,
    PRIMARY KEY (tenant, id),
    UNIQUE (tenant, login)
);

CREATE TABLE staff_sessions (
    tenant     text   NOT NULL,
    token_hash text   NOT NULL,
    account    text   NOT NULL,
    signed_in  text   NOT NULL,  -- by what: password, link, oidc
    begun_ms   bigint NOT NULL,
    used_ms    bigint NOT NULL,
    PRIMARY KEY (tenant, token_hash)
);

CREATE TABLE staff_links (
    tenant     text   NOT NULL,
    token_hash text   NOT NULL,
    account    text   NOT NULL,
    expires_ms bigint NOT NULL,
    PRIMARY KEY (tenant, token_hash)
);

CREATE TABLE staff_audit (
    number   bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant   text   NOT NULL,
    at_ms    bigint NOT NULL,
    account  text   NOT NULL,
    login    text   NOT NULL,
    action   text   NOT NULL,
    kind     text   NOT NULL,
    object   text   NOT NULL,
    customer text   NOT NULL,
    detail   text   NOT NULL,
    address  text   NOT NULL,
    outcome  text   NOT NULL
);

CREATE INDEX staff_audit_newest ON staff_audit (tenant, number);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['staff_accounts', 'staff_sessions', 'staff_links', 'staff_audit'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY one_tenant ON %I USING (is_visible(tenant))', name);
    END LOOP;
END
$$;
