-- Which person of an identity provider has which account of the console.
CREATE TABLE staff_identities (
    tenant  text NOT NULL,
    issuer  text NOT NULL,  -- an identity provider
    subject text NOT NULL,  -- a person there
    account text NOT NULL,
    PRIMARY KEY (tenant, issuer, subject),
    UNIQUE (tenant, issuer, account)
);

ALTER TABLE staff_identities ENABLE ROW LEVEL SECURITY;
ALTER TABLE staff_identities FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON staff_identities USING (is_visible(tenant));
