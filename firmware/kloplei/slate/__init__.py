"""What stands on the OLED, drawn from a `Scoreboard` and nothing else."""
