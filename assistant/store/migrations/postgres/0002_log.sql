-- A statement sees the rows of one tenant: the tenant in the setting meanwhile.tenant, for the transaction. '*' is
-- maintenance over all tenants. Without the setting it sees none. Superusers are not bound by it: serve as a plain user.
CREATE FUNCTION is_visible(tenant text) RETURNS boolean LANGUAGE sql STABLE PARALLEL SAFE
RETURN tenant = current_setting('meanwhile.tenant', true) OR current_setting('meanwhile.tenant', true) = '*';

-- One row: the format of the entries, and the secret that signs tokens.
CREATE TABLE installation (
    only_row boolean PRIMARY KEY DEFAULT true CHECK (only_row),
    format   integer NOT NULL,
    secret   text    NOT NULL,
    erasures bigint  NOT NULL DEFAULT 0  -- how often something was erased: numbers of a conversation may begin anew
);

-- Every entry of every conversation, in order.
CREATE TABLE entries (
    tenant       text    NOT NULL,
    customer     text    NOT NULL,
    conversation text    NOT NULL,
    seq          bigint  NOT NULL,
    at_ms        bigint  NOT NULL,
    turn_id      text    NOT NULL,
    fence        bigint  NOT NULL,
    kind         text    NOT NULL,
    body         text    NOT NULL,  -- the entry's fields, as JSON; text, because jsonb cannot hold every string
    said         text,              -- the client's own id of a customer's message
    identified   text,              -- whom an anonymous visitor turned out to be
    PRIMARY KEY (tenant, customer, conversation, seq)
);

-- A message that a client sends twice is kept once.
CREATE UNIQUE INDEX entries_said ON entries (tenant, customer, conversation, said) WHERE said IS NOT NULL;
CREATE INDEX entries_identified ON entries (tenant, identified) WHERE identified IS NOT NULL;
-- What expires is found by its age.
CREATE INDEX entries_aging ON entries (kind, at_ms) WHERE kind IN ('model_chunks', 'call_ended');

-- How far each conversation has come: known from its entries, kept so that they need not be read.
CREATE TABLE conversations (
    tenant       text   NOT NULL,
    customer     text   NOT NULL,
    conversation text   NOT NULL,
    opened_ms    bigint NOT NULL,  -- when its first entry was made
    last_ms      bigint NOT NULL,  -- when its last entry was made
    last_seq     bigint NOT NULL,
    open_turn    text   NOT NULL,  -- the last turn's id while it has no end, else ''
    waiting      text   NOT NULL,  -- the last customer message's id while no turn has begun for it, else ''
    handoff      text   NOT NULL,  -- the newest request for a person that has not ended, else ''
    PRIMARY KEY (tenant, customer, conversation)
);

CREATE INDEX conversations_unfinished ON conversations (tenant, customer, conversation)
    WHERE open_turn <> '' OR waiting <> '' OR handoff <> '';
CREATE INDEX conversations_last ON conversations (last_ms);

-- The servers that are alive, by the database's own clock.
CREATE TABLE servers (
    server     text        PRIMARY KEY,
    expires_at timestamptz NOT NULL
);

CREATE FUNCTION is_alive(asked text) RETURNS boolean LANGUAGE sql STABLE
RETURN EXISTS (SELECT 1 FROM servers WHERE server = asked AND expires_at > now());

-- Which server may write a conversation, as long as it is alive. The row stays when the server lets go of it, with a new
-- number, so that an old number is never valid again.
CREATE TABLE leases (
    tenant       text   NOT NULL,
    customer     text   NOT NULL,
    conversation text   NOT NULL,
    fence        bigint NOT NULL,
    holder       text   NOT NULL,  -- a server's id; '' if it has let go
    PRIMARY KEY (tenant, customer, conversation)
);

CREATE INDEX leases_holder ON leases (holder) WHERE holder <> '';

CREATE SEQUENCE fences;

-- What clients of other servers want of a conversation; its holder carries it out, in order.
CREATE TABLE commands (
    tenant       text   NOT NULL,
    customer     text   NOT NULL,
    conversation text   NOT NULL,
    number       bigint NOT NULL GENERATED ALWAYS AS IDENTITY,
    body         text   NOT NULL,  -- JSON
    PRIMARY KEY (tenant, customer, conversation, number)
);

-- What waits to become a document. The text of a result is '' here: it stands in its entry.
CREATE TABLE writes (
    tenant       text    NOT NULL,
    customer     text    NOT NULL,  -- '' is every customer
    ref          text    NOT NULL,
    number       bigint  PRIMARY KEY GENERATED ALWAYS AS IDENTITY,  -- a new one when it is asked for anew
    kind         text    NOT NULL,
    title        text    NOT NULL,
    mime         text    NOT NULL,
    conversation text    NOT NULL,
    origin       text    NOT NULL,
    kept_ms      bigint  NOT NULL,
    expires_ms   bigint,            -- null: never
    characters   integer NOT NULL,
    due_ms       bigint,            -- not before then; null: it failed for good
    tries        integer NOT NULL DEFAULT 0,
    problem      text    NOT NULL DEFAULT '',  -- why the last try failed
    text         text    NOT NULL,
    claimed_by   text    NOT NULL DEFAULT '',  -- the server that is writing it; no other begins before then:
    claimed_until timestamptz NOT NULL DEFAULT '-infinity'
);

CREATE UNIQUE INDEX writes_ref ON writes (tenant, ref);
CREATE INDEX writes_whose ON writes (tenant, customer);
CREATE INDEX writes_due ON writes (due_ms) WHERE due_ms IS NOT NULL;
CREATE INDEX writes_expiring ON writes (expires_ms) WHERE expires_ms IS NOT NULL;

-- Stores the entries of many callers in one transaction. A caller whose entries are refused changes nothing, and the
-- others are stored. The result has one text for each caller: '' is stored, else the reason and its detail.
--
-- The first four arrays have one value for each caller; item firsts[i] to item firsts[i + 1] - 1 of the entries are
-- theirs. The queued documents, by caller, are full results whose snapshot is among the entries.
CREATE FUNCTION append_entries(
    tenants text[], customers text[], conversations_ text[], firsts integer[],
    seqs bigint[], times bigint[], turns text[], fences_ bigint[], kinds text[], bodies text[], saids text[],
    names text[], others text[],
    queued integer[], refs text[], titles text[], kept bigint[]
) RETURNS text[] LANGUAGE plpgsql AS $$
DECLARE
    verdicts text[] := '{}';
    known    conversations%ROWTYPE;
    is_new   boolean;
    held     bigint;
    a        integer;
    b        integer;
    verdict  text;
BEGIN
    FOR i IN 1 .. cardinality(tenants) LOOP
        a := firsts[i];
        b := coalesce(firsts[i + 1], cardinality(seqs) + 1) - 1;
        verdict := '';
        PERFORM set_config('meanwhile.tenant', tenants[i], true);
        BEGIN
            SELECT fence INTO held FROM leases
            WHERE tenant = tenants[i] AND customer = customers[i] AND conversation = conversations_[i] FOR SHARE;
            IF FOUND AND held <> fences_[a] THEN
                RAISE EXCEPTION 'fenced %', held USING ERRCODE = 'MW001';
            END IF;

            SELECT * INTO known FROM conversations
            WHERE tenant = tenants[i] AND customer = customers[i] AND conversation = conversations_[i] FOR UPDATE;
            is_new := NOT FOUND;
            IF is_new THEN
                known := (tenants[i], customers[i], conversations_[i], times[a], times[a], 0, '', '', '');
            END IF;
            IF seqs[a] <> known.last_seq + 1 THEN
                RAISE EXCEPTION 'next %', known.last_seq + 1 USING ERRCODE = 'MW001';
            END IF;

            SELECT 'said ' || said INTO verdict FROM (
                SELECT said FROM unnest(saids[a:b]) AS added (said)
                WHERE said IS NOT NULL GROUP BY said HAVING count(*) > 1
                UNION ALL
                SELECT said FROM entries
                WHERE tenant = tenants[i] AND customer = customers[i] AND conversation = conversations_[i]
                    AND said = ANY (saids[a:b])
            ) AS repeated LIMIT 1;
            IF FOUND THEN
                RAISE EXCEPTION '%', verdict USING ERRCODE = 'MW001';
            END IF;
            verdict := '';

            INSERT INTO entries
                (tenant, customer, conversation, seq, at_ms, turn_id, fence, kind, body, said, identified)
            SELECT tenants[i], customers[i], conversations_[i], seq, at_ms, turn, fence, kind, body, said,
                CASE WHEN kind = 'identified' THEN name END
            FROM unnest(
                seqs[a:b], times[a:b], turns[a:b], fences_[a:b], kinds[a:b], bodies[a:b], saids[a:b], names[a:b]
            ) AS added (seq, at_ms, turn, fence, kind, body, said, name);

            -- The rules of assistant.store.memory_log.progress_after.
            FOR e IN a .. b LOOP
                CASE kinds[e]
                    WHEN 'customer_message' THEN
                        known.waiting := names[e];
                    WHEN 'turn_started' THEN
                        known.open_turn := names[e];
                        known.waiting := CASE WHEN known.waiting = others[e] THEN '' ELSE known.waiting END;
                    WHEN 'forwarded_to_agent' THEN
                        known.waiting := CASE WHEN known.waiting = names[e] THEN '' ELSE known.waiting END;
                    WHEN 'handoff' THEN
                        known.handoff := CASE WHEN others[e] = 'ended' THEN '' ELSE names[e] END;
                    WHEN 'turn_ended' THEN
                        known.open_turn := CASE WHEN known.open_turn = names[e] THEN '' ELSE known.open_turn END;
                    ELSE
                        NULL;
                END CASE;
            END LOOP;

            IF is_new THEN
                INSERT INTO conversations VALUES (
                    known.tenant, known.customer, known.conversation, known.opened_ms, times[b], seqs[b],
                    known.open_turn, known.waiting, known.handoff
                );
            ELSE
                UPDATE conversations SET last_ms = times[b], last_seq = seqs[b],
                    open_turn = known.open_turn, waiting = known.waiting, handoff = known.handoff
                WHERE tenant = tenants[i] AND customer = customers[i] AND conversation = conversations_[i];
            END IF;

            DELETE FROM writes USING unnest(queued, refs) AS asked (item, name)
            WHERE asked.item = i AND tenant = tenants[i] AND ref = asked.name;
            INSERT INTO writes
                (tenant, customer, ref, kind, title, mime, conversation, origin, kept_ms, characters, due_ms, text)
            SELECT tenants[i], customers[i], name, 'result', title, 'application/json', conversations_[i], '',
                at_ms, 0, at_ms, ''
            FROM unnest(queued, refs, titles, kept) AS asked (item, name, title, at_ms) WHERE asked.item = i;
        EXCEPTION
            WHEN SQLSTATE 'MW001' THEN verdict := SQLERRM;
            WHEN unique_violation THEN verdict := 'next ?';  -- another server was faster
            -- Anything else is this caller's own: a value that cannot be stored, for example.
            WHEN data_exception OR integrity_constraint_violation THEN verdict := 'error ' || SQLERRM;
        END;
        verdicts := verdicts || verdict;
    END LOOP;
    RETURN verdicts;
END
$$;

DO $$
DECLARE
    name text;
BEGIN
    FOREACH name IN ARRAY ARRAY['entries', 'conversations', 'leases', 'commands', 'writes', 'documents', 'passages'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', name);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', name);  -- the tables' owner, too
        EXECUTE format('CREATE POLICY one_tenant ON %I USING (is_visible(tenant))', name);
    END LOOP;
END
$$;
