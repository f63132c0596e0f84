-- A twin that is told anew takes nothing from another era that went on behind what is kept of it.
-- depends: 0040.pushes 0032.bar

-- Lets a box go on that was set apart, anew or with what is kept; returns how many entries go.
CREATE OR REPLACE FUNCTION release_box(held TEXT, anew BOOLEAN) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    apart TEXT[];
    gone BIGINT := 0;
BEGIN
    PERFORM FROM boxes WHERE box = held FOR NO KEY UPDATE;  -- as ingest holds it while it judges
    apart := ARRAY(SELECT era FROM eras WHERE box = held AND quarantined IS NOT NULL);
    UPDATE eras SET quarantined = NULL WHERE box = held AND era = ANY(apart);
    IF anew THEN
        -- Of an era that another one has its beginning from, all stays.
        WITH RECURSIVE needed AS (
            SELECT parent AS era FROM eras WHERE box = held AND era <> ALL(apart)
            UNION
            SELECT eras.parent FROM eras JOIN needed USING (era) WHERE box = held
        )
        SELECT ARRAY(
            SELECT era FROM unnest(apart) AS one (era)
            WHERE NOT EXISTS (SELECT FROM needed WHERE needed.era = one.era)
        ) INTO apart;
        DELETE FROM entries WHERE box = held AND era = ANY(apart);
        GET DIAGNOSTICS gone = ROW_COUNT;
        UPDATE eras SET seq = 0, link = '', parent = NULL, after = 0
        WHERE box = held AND era = ANY(apart);
    END IF;
    PERFORM pg_notify('steps', held);
    RETURN gone;
END
$$;
