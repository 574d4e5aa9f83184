-- Each tenant has bundles and used tokens of its own. Until now there was one tenant.
ALTER TABLE bundles ADD COLUMN tenant text NOT NULL DEFAULT 'demo';
ALTER TABLE bundles ALTER COLUMN tenant DROP DEFAULT;
ALTER TABLE bundles DROP CONSTRAINT bundles_pkey;
ALTER TABLE bundles ADD PRIMARY KEY (tenant, bundle);

ALTER TABLE used_tokens ADD COLUMN tenant text NOT NULL DEFAULT 'demo';
ALTER TABLE used_tokens ALTER COLUMN tenant DROP DEFAULT;
ALTER TABLE used_tokens DROP CONSTRAINT used_tokens_pkey;
ALTER TABLE used_tokens ADD PRIMARY KEY (tenant, id);

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['bundles', 'used_tokens'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);
        EXECUTE format('CREATE POLICY one_tenant ON %I USING (is_visible(tenant))', name);
    END LOOP;
END
$$;
