-- How far a table was when its board was told: with what is kept of it that is how far it is behind.
-- depends: 0002.rights

ALTER TABLE boards ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;
