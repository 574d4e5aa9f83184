-- Each tenant has bundles of its own. Until now there was one tenant.
CREATE TABLE bundles_of_tenants (
    tenant  TEXT    NOT NULL,
    bundle  TEXT    NOT NULL,
    kept_ms INTEGER NOT NULL,  -- when it was first taken up
    tools   TEXT    NOT NULL,  -- the hash of the tools' files, whose texts are not kept
    prompts BLOB    NOT NULL,  -- the prompts' texts by file name, as JSON
    PRIMARY KEY (tenant, bundle)
) WITHOUT ROWID;

INSERT INTO bundles_of_tenants SELECT 'demo', bundle, kept_ms, tools, prompts FROM bundles;

DROP TABLE bundles;

ALTER TABLE bundles_of_tenants RENAME TO bundles;
