-- Who lets tournaments go on by itself sees who has sat down; the referee's page takes in newcomers.
-- depends: 0010.tournaments

GRANT SELECT ON boards TO kloplei_fold;
GRANT INSERT (person, name) ON people TO kloplei_web;
