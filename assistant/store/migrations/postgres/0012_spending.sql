-- What was spent on each day, for budgets: all servers add to it. Two days are kept.
CREATE TABLE spending (
    tenant    text   NOT NULL,
    day       text   NOT NULL,  -- of the company's time zone, such as 2026-11-27
    customer  text   NOT NULL,  -- '' is all customers together
    tokens    bigint NOT NULL,
    micro_usd bigint NOT NULL,
    PRIMARY KEY (tenant, day, customer)
);

ALTER TABLE spending ENABLE ROW LEVEL SECURITY;
ALTER TABLE spending FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON spending USING (is_visible(tenant));
