-- Whose phone is told when their table is called: the house's key, who asked for it, and what waits.
-- depends: 0031.claims 0011.umpire

CREATE TABLE push_keys (
    alone BOOLEAN PRIMARY KEY DEFAULT true CHECK (alone),  -- one for the house, as long as it stands
    public TEXT NOT NULL,               -- both base64url: what browsers are told,
    private TEXT NOT NULL               -- ... and what signs; the pages may write it and never read it
);

CREATE TABLE push_subscriptions (
    subscription TEXT PRIMARY KEY,      -- SHA-256 of the endpoint, hexadecimal
    endpoint TEXT NOT NULL,             -- who knows it may push there: no page and no log tells it
    p256dh TEXT NOT NULL,
    auth TEXT NOT NULL,
    person BIGINT NOT NULL REFERENCES people ON DELETE CASCADE,
    language TEXT NOT NULL,
    made TIMESTAMPTZ NOT NULL DEFAULT now()
);
CREATE INDEX push_subscriptions_person ON push_subscriptions (person);

CREATE TABLE pushes (
    subscription TEXT NOT NULL REFERENCES push_subscriptions ON DELETE CASCADE,
    tag TEXT NOT NULL,                  -- one of the same tag takes its place
    told TEXT NOT NULL,                 -- `kloplei_hub.pushes.PushNews`, JSON: ids, no names
    until TIMESTAMPTZ NOT NULL,         -- later it is told nobody
    due TIMESTAMPTZ NOT NULL DEFAULT now(),
    tries INTEGER NOT NULL DEFAULT 0,
    PRIMARY KEY (subscription, tag)
);
CREATE INDEX pushes_due ON pushes (due);

-- Whoever forgets somebody, at a table or here: nothing is pushed to them from that moment on.
CREATE FUNCTION drop_pushes() RETURNS TRIGGER
LANGUAGE plpgsql SECURITY DEFINER SET search_path = public, pg_temp AS $$
BEGIN
    DELETE FROM push_subscriptions WHERE person = NEW.person;
    RETURN NULL;
END
$$;
REVOKE EXECUTE ON FUNCTION drop_pushes FROM PUBLIC;
CREATE TRIGGER drop_pushes AFTER UPDATE OF agreed ON people
    FOR EACH ROW WHEN (NOT NEW.agreed) EXECUTE FUNCTION drop_pushes();

GRANT SELECT (public), INSERT (public, private) ON push_keys TO kloplei_web;
GRANT SELECT ON push_keys TO kloplei_fold;
GRANT SELECT (subscription, person, made), INSERT, DELETE ON push_subscriptions TO kloplei_web;
GRANT SELECT, DELETE ON push_subscriptions TO kloplei_fold;
GRANT SELECT, INSERT, UPDATE ON pushes TO kloplei_web, kloplei_fold;
GRANT DELETE ON pushes TO kloplei_fold;
