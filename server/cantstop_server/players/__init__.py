"""Computer players: a decision from a position, and nothing else."""
