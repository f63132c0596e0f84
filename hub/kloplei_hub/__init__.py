"""The house's side: all tables of a pub, a league or a festival.

Boxes send the steps of their journals (`kloplei.uplink.wire`); Mosquitto carries them, PostgreSQL
keeps them, and the commit acknowledges. Three programs share the database and nothing else:

- `ingest` takes steps from the wire into ``entries``, and answers with what is on the disk;
- `folding` tells the evenings out of them, by the same games and history as a box does; beside
  that it lets tournaments go on (`referee`) and sends what is pushed to phones (`pushes`);
- `web` shows walls, people, seasons and tournaments, and keeps roles apart.

What boxes sent is the truth; all that is reckoned from it can be made anew (``kloplei-hub
rebuild``). Read `database` first, then `ingest`.
"""
