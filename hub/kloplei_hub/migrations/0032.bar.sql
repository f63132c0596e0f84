-- What a landlord does on the page as well: as the owner, whoever asks, and no more than that.
-- depends: 0031.claims 0003.web

-- Lets a box go; ingest hears it, and lets the broker know.
CREATE FUNCTION retire_box(gone TEXT) RETURNS VOID
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    UPDATE boxes SET retired = true, password = NULL, proof = NULL, number = NULL, online = false
    WHERE box = gone;
    DELETE FROM pairing_codes WHERE box = gone;
    PERFORM pg_notify('broker', gone);
END
$$;

-- Lets a box go on that was set apart, anew or with what is kept; returns how many entries go.
CREATE FUNCTION release_box(held TEXT, anew BOOLEAN) RETURNS BIGINT
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
DECLARE
    apart TEXT[];
    gone BIGINT := 0;
BEGIN
    PERFORM FROM eras WHERE box = held AND quarantined IS NOT NULL FOR UPDATE;
    apart := ARRAY(SELECT era FROM eras WHERE box = held AND quarantined IS NOT NULL);
    IF anew THEN
        DELETE FROM entries WHERE box = held AND era = ANY(apart);
        GET DIAGNOSTICS gone = ROW_COUNT;
        UPDATE eras SET seq = 0, link = '', parent = NULL, after = 0
        WHERE box = held AND era = ANY(apart);
    END IF;
    UPDATE eras SET quarantined = NULL WHERE box = held AND era = ANY(apart);
    PERFORM pg_notify('steps', held);
    RETURN gone;
END
$$;

REVOKE EXECUTE ON FUNCTION retire_box, release_box FROM PUBLIC;
GRANT EXECUTE ON FUNCTION retire_box, release_box TO kloplei_web;
REVOKE UPDATE (retired) ON boxes FROM kloplei_web;
