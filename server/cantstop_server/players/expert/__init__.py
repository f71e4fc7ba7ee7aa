"""The strong player: a learned value between turns, and an exact solution of the turn on top."""
