-- A box that is known here comes again only where it is the same one, or where a code was made for it.
-- depends: 0003.web 0020.board-seq

ALTER TABLE boxes ADD COLUMN proof BYTEA;   -- `wire.proof_key` of its password; NULL: paired before
ALTER TABLE pairing_codes ADD COLUMN box TEXT REFERENCES boxes;     -- for that box alone

-- No two boxes come to one table: the newest code holds.
DELETE FROM pairing_codes AS older USING pairing_codes AS newer
WHERE older.number = newer.number
    AND (older.expires, older.code) < (newer.expires, newer.code);
ALTER TABLE pairing_codes ADD UNIQUE (number), ADD UNIQUE (box);

GRANT SELECT (box) ON pairing_codes TO kloplei_web;
