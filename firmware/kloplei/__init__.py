"""Kloplei: hears a knock on the wood and keeps the slate of a card table.

A blow comes in at `devices`, `knock` judges whether it was a knock and whose, `table` asks the
`games` what it means, writes it down and shows it; `slate` paints that, the panel (a package and
a process of its own) sends it to phones, and `words` makes the sentences. `unit` builds all of
this and closes it again; `config` says what is fitted. Around the evening stand `review` (what
was heard, and tuning), `diagnostics`, `recordings`, `replay`, `simulation` and `demo`; `network`,
`keys`, `backup`, `export`, `systemd` and `power_off` look after the box; `cli` names them all.

Whatever changes the evening goes through one queue to the one thread of `table.session`, and is on
disk before anybody sees it. Read `table/core` first, then one game, then `unit`; imports run one
way (docs/architecture.md).
"""

__version__ = "0.1.0"
