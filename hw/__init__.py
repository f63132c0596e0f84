"""Hardware as source: circuits, wiring and case of the box, and what checks them."""
