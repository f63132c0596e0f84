-- Whose names of somebody are heeded: a box that brought that person, or was handed them by a call.
-- depends: 0030.pairing 0010.tournaments

CREATE TABLE claims (
    box TEXT NOT NULL REFERENCES boxes ON DELETE CASCADE,
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    PRIMARY KEY (box, person)
);
CREATE INDEX claims_person ON claims (person);

INSERT INTO claims (box, person) SELECT box, person FROM box_people;
INSERT INTO claims (box, person)
SELECT DISTINCT calls.box, people.person
FROM calls CROSS JOIN jsonb_array_elements(told::jsonb -> 'players') AS player
JOIN people ON people.person = (player ->> 'id')::bigint
ON CONFLICT DO NOTHING;

-- What a box calls somebody whom it has no claim on, empty where they are named nowhere; NULL: it has one.
ALTER TABLE box_people ADD COLUMN unheeded TEXT;

GRANT SELECT, INSERT ON claims TO kloplei_ingest, kloplei_web, kloplei_fold;
