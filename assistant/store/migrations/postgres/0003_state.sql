-- What each bundle of prompts held that a conversation may have begun on; the conversation's log names it.
CREATE TABLE bundles (
    bundle  text   PRIMARY KEY,
    kept_ms bigint NOT NULL,  -- when it was first used
    tools   text   NOT NULL,  -- the hash of the tools' files, whose texts are not kept
    prompts text   NOT NULL   -- the prompts' texts by file name, as JSON
);

-- How far the entries of a conversation were delivered to the helpdesk.
CREATE TABLE deliveries (
    tenant       text   NOT NULL,
    customer     text   NOT NULL,
    conversation text   NOT NULL,
    seq          bigint NOT NULL,  -- the last entry that needs no delivery
    PRIMARY KEY (tenant, customer, conversation)
);

-- The customers' own credentials, encrypted with the installation's secret.
CREATE TABLE credentials (
    tenant       text   NOT NULL,
    customer     text   NOT NULL,
    conversation text   NOT NULL,
    expires_ms   bigint NOT NULL,
    sealed       bytea  NOT NULL,  -- nonce, then token and claims by AES-256-GCM
    PRIMARY KEY (tenant, customer, conversation)
);

CREATE INDEX credentials_expire ON credentials (expires_ms);

-- Sign-in tokens that were used, until they would be too old anyway.
CREATE TABLE used_tokens (id text PRIMARY KEY, until_ms bigint NOT NULL);

CREATE INDEX used_tokens_until ON used_tokens (until_ms);

-- Where each recording of a conversation was written, so that it can be erased with its customer.
CREATE TABLE recordings (
    tenant       text NOT NULL,
    customer     text NOT NULL,
    conversation text NOT NULL,
    path         text NOT NULL,
    PRIMARY KEY (tenant, customer, conversation, path)
);

-- What an erasure leaves of each receipt: a salted hash, which says nothing without the receipt itself.
CREATE TABLE commitments (commitment bytea PRIMARY KEY, erased_ms bigint NOT NULL);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['deliveries', 'credentials', 'recordings'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY one_tenant ON %I USING (is_visible(tenant))', name);
    END LOOP;
END
$$;
