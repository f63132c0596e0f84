-- Tournaments are their trails: what is written there is never changed, only followed by more.
-- depends: 0002.rights

CREATE TABLE tournaments (
    tournament BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    opened TIMESTAMPTZ NOT NULL DEFAULT now(),
    over BOOLEAN NOT NULL DEFAULT false
);

CREATE TABLE tournament_trail (
    tournament BIGINT NOT NULL REFERENCES tournaments,
    number INTEGER NOT NULL,            -- from 1, without a gap
    at TIMESTAMPTZ NOT NULL DEFAULT now(),
    event TEXT NOT NULL,
    facts TEXT NOT NULL,                -- JSON
    PRIMARY KEY (tournament, number)
);

-- Who is called to a table now, the newest only; ingest tells the box.
CREATE TABLE calls (
    box TEXT PRIMARY KEY REFERENCES boxes,
    told TEXT NOT NULL,                 -- `kloplei.table.uplink_client.TableCall`, JSON
    until TIMESTAMPTZ NOT NULL
);

GRANT SELECT, INSERT, UPDATE (over) ON tournaments TO kloplei_web, kloplei_fold;
GRANT SELECT, INSERT ON tournament_trail TO kloplei_web, kloplei_fold;
GRANT SELECT, INSERT, UPDATE, DELETE ON calls TO kloplei_web, kloplei_fold;
GRANT SELECT ON calls TO kloplei_ingest;
