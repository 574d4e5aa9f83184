-- Agents name a conversation without its customer.
CREATE INDEX conversations_named ON conversations (tenant, conversation);

-- How much a client has asked for lately, on all servers. Unlogged: it is worth a minute, and nothing after a crash.
CREATE UNLOGGED TABLE rates (
    tenant text             NOT NULL,
    name   text             NOT NULL,  -- what is counted, and a hash of whose
    spent  double precision NOT NULL,
    at     timestamptz      NOT NULL,  -- spent goes down from then on
    PRIMARY KEY (tenant, name)
);

ALTER TABLE rates ENABLE ROW LEVEL SECURITY;
ALTER TABLE rates FORCE ROW LEVEL SECURITY;
CREATE POLICY one_tenant ON rates USING (is_visible(tenant));

-- Counts one more request under each of these names, unless one of them has had all that a minute allows.
CREATE FUNCTION count_requests(whose text, names text[], per_minute integer[]) RETURNS boolean LANGUAGE plpgsql AS $$
DECLARE
    moment timestamptz := clock_timestamp();
BEGIN
    -- In one order, so that two calls never wait for each other.
    INSERT INTO rates
    SELECT whose, asked, 0, moment FROM unnest(names) AS asked ORDER BY asked ON CONFLICT DO NOTHING;
    PERFORM 1 FROM rates WHERE tenant = whose AND name = ANY (names) ORDER BY name FOR UPDATE;

    UPDATE rates SET at = moment, spent = greatest(0, spent - asked.rate * extract(epoch FROM moment - at) / 60)
    FROM unnest(names, per_minute) AS asked (name, rate)
    WHERE tenant = whose AND rates.name = asked.name AND at < moment;
    IF EXISTS (
        SELECT 1 FROM rates JOIN unnest(names, per_minute) AS asked (name, rate) USING (name)
        WHERE tenant = whose AND spent + 1 > asked.rate
    ) THEN
        RETURN false;
    END IF;
    UPDATE rates SET spent = spent + 1 WHERE tenant = whose AND name = ANY (names);
    RETURN true;
END
$$;
