-- Who has a name at the house's pages, and the seasons that its keeper began.

CREATE TABLE users (
    name TEXT PRIMARY KEY,
    password TEXT NOT NULL,             -- scrypt, as werkzeug writes it
    role TEXT NOT NULL CHECK (role IN ('player', 'referee', 'landlord')),
    seal TEXT NOT NULL,                 -- another with each password: who signed in by the old one is out
    made TIMESTAMPTZ NOT NULL DEFAULT now()
);

CREATE TABLE seasons (
    season BIGINT GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    name TEXT NOT NULL,
    since DOUBLE PRECISION NOT NULL,
    rule TEXT NOT NULL,
    points INTEGER NOT NULL,
    best INTEGER NOT NULL
);

GRANT SELECT ON users TO kloplei_web;
GRANT SELECT, INSERT, DELETE ON seasons TO kloplei_web;
GRANT UPDATE (retired) ON boxes TO kloplei_web;
