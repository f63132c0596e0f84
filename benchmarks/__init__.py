"""How well Kloplei hears, and what it costs, beside others on the same recordings in one run."""
