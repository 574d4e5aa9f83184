-- The long calls that a server has to run, or to give to what runs them: "t1/c1.1 t3/c1.2".
ALTER TABLE conversations ADD COLUMN long_calls text NOT NULL DEFAULT '';

DROP INDEX conversations_unfinished;
CREATE INDEX conversations_unfinished ON conversations (tenant, customer, conversation)
    WHERE open_turn <> '' OR waiting <> '' OR handoff <> '' OR long_calls <> '';

-- Stores the entries of many callers in one transaction. A caller whose entries are refused changes nothing, and the
-- others are stored. The result has one text for each caller: '' is stored, else the reason and its detail.
--
-- The first four arrays have one value for each caller; item firsts[i] to item firsts[i + 1] - 1 of the entries are
-- theirs. The queued documents, by caller, are full results whose snapshot is among the entries.
CREATE OR REPLACE FUNCTION append_entries(
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
                known := (tenants[i], customers[i], conversations_[i], times[a], times[a], 0, '', '', '', '');
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
                    WHEN 'long_call_started' THEN
                        known.long_calls := trim(known.long_calls || ' ' || turns[e] || '/' || names[e]);
                    WHEN 'long_call_accepted', 'call_ended' THEN
                        -- A call that did not end late has no name here.
                        IF known.long_calls <> '' AND names[e] IS NOT NULL THEN
                            known.long_calls := array_to_string(array_remove(
                                string_to_array(known.long_calls, ' '), turns[e] || '/' || names[e]
                            ), ' ');
                        END IF;
                    ELSE
                        NULL;
                END CASE;
            END LOOP;

            IF is_new THEN
                INSERT INTO conversations VALUES (
                    known.tenant, known.customer, known.conversation, known.opened_ms, times[b], seqs[b],
                    known.open_turn, known.waiting, known.handoff, known.long_calls
                );
            ELSE
                UPDATE conversations SET last_ms = times[b], last_seq = seqs[b],
                    open_turn = known.open_turn, waiting = known.waiting, handoff = known.handoff,
                    long_calls = known.long_calls
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
