-- Documents, whole: full results, customers' files, what the company knows. A customer of '' is everybody.
CREATE TABLE documents (
    document     bigint  GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    tenant       text    NOT NULL,
    customer     text    NOT NULL,
    ref          text    NOT NULL,
    kind         text    NOT NULL,
    title        text    NOT NULL,
    mime         text    NOT NULL,
    conversation text    NOT NULL,
    origin       text    NOT NULL,  -- where it was read
    kept_ms      bigint  NOT NULL,
    expires_ms   bigint,            -- null: never
    text         text    NOT NULL,
    characters   integer NOT NULL,
    passages     integer NOT NULL,
    embedder     text    NOT NULL,  -- who made its passages' vectors
    width        integer NOT NULL   -- how many numbers each has
);

CREATE UNIQUE INDEX documents_ref ON documents (tenant, ref);
CREATE INDEX documents_whose ON documents (tenant, customer);
CREATE INDEX documents_expiring ON documents (expires_ms) WHERE expires_ms IS NOT NULL;

-- Their pieces, each with a vector of length 1. What a search sifts by stands here again, so that it reads one table.
CREATE TABLE passages (
    document   bigint  NOT NULL REFERENCES documents (document) ON DELETE CASCADE,
    number     integer NOT NULL,
    tenant     text    NOT NULL,
    customer   text    NOT NULL,
    embedder   text    NOT NULL,
    width      integer NOT NULL,
    expires_ms bigint,
    starts     integer NOT NULL,    -- where it stands in the document, in characters
    ends       integer NOT NULL,
    place      text    NOT NULL,
    text       text    NOT NULL,
    vector     vector  NOT NULL,    -- of any width: a database outlives an embedder
    PRIMARY KEY (document, number)
);

-- A search reads every vector of a customer: they stay in the rows, and long texts move out instead.
ALTER TABLE passages ALTER COLUMN vector SET STORAGE MAIN;

-- There is no approximate index on purpose: with a tenant to sift by it would lose what should be found.
CREATE INDEX passages_whose ON passages (tenant, customer, embedder, width);
