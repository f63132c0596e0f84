"""The house's pages: the wall, tables, evenings, people, seasons and what the landlord sees.

They are the panel's pages where those say the same (`kloplei_panel.pages.history` and the slate's
templates), over `evenings.HouseHistory` instead of a box. What moves is followed once a process
(`live.LiveHouse`), whoever looks. A page of its own is a module in `pages`, named in its `PAGES`.
"""
