-- The demo shop's records. Times are local, as ISO text; amounts are exact decimals, as text.
CREATE TABLE customers (
    id TEXT PRIMARY KEY,
    name TEXT NOT NULL,
    email TEXT NOT NULL,
    phone TEXT NOT NULL,
    postcode TEXT NOT NULL
);

CREATE TABLE appointments (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    customer TEXT NOT NULL REFERENCES customers,
    starts TEXT NOT NULL,
    service TEXT NOT NULL,
    optician TEXT NOT NULL,
    cancelled INTEGER NOT NULL DEFAULT 0
);

-- An optician has one customer at a time, even if two conversations book at the same moment.
CREATE UNIQUE INDEX one_at_a_time ON appointments (starts, optician) WHERE NOT cancelled;

CREATE TABLE invoices (
    number INTEGER PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customers,
    amount TEXT NOT NULL,
    due TEXT NOT NULL,
    subject TEXT NOT NULL,
    paid INTEGER NOT NULL DEFAULT 0
);

CREATE TABLE products (id INTEGER PRIMARY KEY, name TEXT NOT NULL, price TEXT NOT NULL);

CREATE TABLE orders (
    number INTEGER PRIMARY KEY,
    customer TEXT NOT NULL REFERENCES customers,
    product INTEGER NOT NULL REFERENCES products,
    status TEXT NOT NULL CHECK (status IN ('processing', 'shipped', 'delivered', 'cancelled')),
    arrives TEXT NOT NULL
);

CREATE TABLE hours (weekday INTEGER PRIMARY KEY, opens TEXT NOT NULL, closes TEXT NOT NULL);

-- What was done under an idempotency key, so that the same write asked for twice is done once.
CREATE TABLE done (key TEXT PRIMARY KEY, result TEXT NOT NULL);

CREATE TABLE demo (fresh_until TEXT NOT NULL);

-- Failed attempts to show who one is: the order or address that was named, whether or not it exists.
CREATE TABLE failed_tries (claimed TEXT NOT NULL, at REAL NOT NULL);

CREATE INDEX failed_tries_of ON failed_tries (claimed, at);

-- The latest code of each visitor, as a fingerprint. Without a customer it was not sent.
CREATE TABLE codes (
    visitor TEXT PRIMARY KEY,
    claimed TEXT NOT NULL,
    customer TEXT REFERENCES customers,
    fingerprint TEXT NOT NULL,
    until REAL NOT NULL
);

CREATE TABLE sent_codes (claimed TEXT NOT NULL, at REAL NOT NULL);
