-- Who may do what: each program has a user of its own, with the least that it needs. Whoever sets up
-- the house may have made them already, with passwords or not; nothing of that is changed.

DO $$
BEGIN
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'kloplei_ingest') THEN
        CREATE ROLE kloplei_ingest LOGIN;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'kloplei_fold') THEN
        CREATE ROLE kloplei_fold LOGIN;
    END IF;
    IF NOT EXISTS (SELECT 1 FROM pg_roles WHERE rolname = 'kloplei_web') THEN
        CREATE ROLE kloplei_web LOGIN;
    END IF;
END
$$;

REVOKE CREATE ON SCHEMA public FROM PUBLIC;

ALTER TABLE pairing_codes ADD COLUMN tries INTEGER NOT NULL DEFAULT 0;

-- Who is known at which box; who is known at none any more has no name in the house.
CREATE TABLE box_people (
    box TEXT NOT NULL REFERENCES boxes ON DELETE CASCADE,
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    PRIMARY KEY (box, person)
);
CREATE INDEX box_people_person ON box_people (person);

ALTER TABLE people ADD COLUMN forgotten BOOLEAN NOT NULL DEFAULT false;  -- by the house, for good
ALTER TABLE people ADD COLUMN renamed BOOLEAN NOT NULL DEFAULT false;    -- by the house

-- Makes room for a month of entries, as the owner, whoever asks: programs may not make tables.
CREATE FUNCTION make_month(month DATE) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    first DATE := date_trunc('month', month);
    part TEXT := 'entries_' || to_char(first, 'YYYY_MM');
BEGIN
    IF to_regclass(part) IS NULL THEN
        EXECUTE format(
            'CREATE TABLE %I PARTITION OF entries FOR VALUES FROM (%L) TO (%L)',
            part, first, (first + interval '1 month')::date
        );
    END IF;
END
$$;
REVOKE EXECUTE ON FUNCTION make_month FROM PUBLIC;

GRANT EXECUTE ON FUNCTION make_month TO kloplei_ingest;
GRANT SELECT, INSERT, UPDATE ON boxes, boards, people TO kloplei_ingest;
GRANT SELECT, INSERT, UPDATE, DELETE ON eras, entries, box_people TO kloplei_ingest;
GRANT SELECT, UPDATE, DELETE ON pairing_codes TO kloplei_ingest;

GRANT SELECT (box, name, number, retired) ON boxes TO kloplei_fold;
GRANT SELECT ON eras, entries, people TO kloplei_fold;
GRANT SELECT, INSERT, UPDATE, DELETE ON folded, evenings TO kloplei_fold;

GRANT SELECT (box, name, number, paired, retired, version, online, seen) ON boxes TO kloplei_web;
GRANT UPDATE (name, number) ON boxes TO kloplei_web;
GRANT SELECT ON eras, boards, people, box_people, folded, evenings TO kloplei_web;
GRANT INSERT, DELETE ON pairing_codes TO kloplei_web;
GRANT SELECT (name, number, expires) ON pairing_codes TO kloplei_web;
