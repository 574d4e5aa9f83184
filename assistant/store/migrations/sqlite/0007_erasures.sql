-- How often something was erased or forgotten: a conversation that was may begin anew, and its numbers with it.
CREATE TABLE erasures (count INTEGER NOT NULL);

INSERT INTO erasures VALUES (0);

-- Visitors who turned out to be a customer of the company's are found by that, when the customer is to be erased.
CREATE INDEX entries_identified ON entries (tenant) WHERE kind = 'identified';
