-- Where telling the evenings of an era goes on after a restart: behind what nobody can take back.

ALTER TABLE folded ADD COLUMN link TEXT NOT NULL DEFAULT '';    -- of the step that ends with seq
ALTER TABLE folded ADD COLUMN after BIGINT NOT NULL DEFAULT 0;  -- evenings before it stay as told
ALTER TABLE folded ADD COLUMN state TEXT NOT NULL DEFAULT '';   -- the table as it stood then
ALTER TABLE folded ADD COLUMN titles TEXT NOT NULL DEFAULT '[]'; -- of the last evenings before it
ALTER TABLE folded ADD COLUMN first BIGINT NOT NULL DEFAULT 0;  -- what is before it a newer era tells
ALTER TABLE pairing_codes DROP COLUMN tries;
