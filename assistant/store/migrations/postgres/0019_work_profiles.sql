-- How people of the company work: teams, skills, conversations at a time, and whether they are there.
CREATE TABLE work_profiles (
    tenant   text     NOT NULL,
    account  text     NOT NULL,
    teams    text     NOT NULL,  -- with commas between
    skills   text     NOT NULL,  -- so, too
    capacity integer  NOT NULL,
    away     smallint NOT NULL,
    here_ms  bigint   NOT NULL,
    PRIMARY KEY (tenant, account)
);

ALTER TABLE work_profiles ENABLE ROW LEVEL SECURITY;
ALTER TABLE work_profiles FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON work_profiles USING (is_visible(tenant));
