-- The house's tables. What boxes sent (entries) is the truth; evenings and all that is reckoned
-- from them can be made anew by `kloplei-hub rebuild`.

CREATE TABLE boxes (
    box TEXT PRIMARY KEY,               -- what the box's journal calls itself, random
    name TEXT NOT NULL DEFAULT '',      -- what the house calls the table
    number INTEGER UNIQUE,              -- the table's number in the house
    paired TIMESTAMPTZ NOT NULL DEFAULT now(),
    password TEXT,                      -- how the broker keeps it: never the password itself
    retired BOOLEAN NOT NULL DEFAULT false,
    version TEXT NOT NULL DEFAULT '',
    online BOOLEAN NOT NULL DEFAULT false,
    seen TIMESTAMPTZ
);

CREATE TABLE pairing_codes (
    code BYTEA PRIMARY KEY,             -- SHA-256 of it
    name TEXT NOT NULL DEFAULT '',
    number INTEGER,
    expires TIMESTAMPTZ NOT NULL
);

CREATE TABLE eras (
    box TEXT NOT NULL REFERENCES boxes,
    era TEXT NOT NULL,
    ordinal BIGINT GENERATED ALWAYS AS IDENTITY,
    began TIMESTAMPTZ NOT NULL DEFAULT now(),
    parent TEXT,                        -- entries up to `after` are that era's, and stand there
    after BIGINT NOT NULL DEFAULT 0,
    superseded TEXT,                    -- the era that replaced this one: somebody was forgotten
    seq BIGINT NOT NULL DEFAULT 0,      -- the last entry that is kept
    link TEXT NOT NULL DEFAULT '',      -- of the step that ends with it
    quarantined TEXT,                   -- why nothing more of it is taken; NULL: all is well
    PRIMARY KEY (box, era)
);

CREATE TABLE entries (
    box TEXT NOT NULL,
    era TEXT NOT NULL,
    seq BIGINT NOT NULL,
    month DATE NOT NULL,                -- when it came in, by the hub's clock
    step BIGINT NOT NULL,               -- number of the last entry of its step
    at DOUBLE PRECISION,                -- by the box's clock, which may be wrong
    seat SMALLINT,
    via TEXT NOT NULL,
    event TEXT NOT NULL,
    facts TEXT NOT NULL,                -- JSON, as the box sent it
    link TEXT,                          -- of its step, with the step's last entry
    PRIMARY KEY (box, era, seq, month)
) PARTITION BY RANGE (month);

-- What has no month of its own yet; `kloplei_hub.database.make_partitions` sees ahead.
CREATE TABLE entries_later PARTITION OF entries DEFAULT;

CREATE TABLE boards (
    box TEXT PRIMARY KEY REFERENCES boxes,
    board TEXT NOT NULL,                -- the scoreboard as the world sees it, JSON
    at TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- People of the house: who agreed to be sent, under an id that a box made up for the house.
CREATE TABLE people (
    person BIGINT PRIMARY KEY,
    name TEXT NOT NULL DEFAULT '',      -- empty: forgotten, or no longer agreed
    merged BIGINT REFERENCES people,
    agreed BOOLEAN NOT NULL DEFAULT true,
    seen TIMESTAMPTZ NOT NULL DEFAULT now()
);

-- Folded out of entries: nothing below is kept that could not be made anew.
CREATE TABLE folded (
    box TEXT NOT NULL,
    era TEXT NOT NULL,
    seq BIGINT NOT NULL DEFAULT 0,      -- up to here evenings are told
    trouble TEXT,                       -- why they cannot be
    PRIMARY KEY (box, era)
);

CREATE TABLE evenings (
    evening BIGINT GENERATED ALWAYS AS IDENTITY UNIQUE,
    box TEXT NOT NULL,
    era TEXT NOT NULL,
    after BIGINT NOT NULL,              -- the entry before its first
    last BIGINT NOT NULL,
    at DOUBLE PRECISION,
    told TEXT NOT NULL,                 -- `kloplei.table.history_client.Evening`, JSON
    counts TEXT NOT NULL,               -- what its games count, JSON
    PRIMARY KEY (box, era, after)
);
