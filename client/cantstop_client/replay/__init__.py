"""A game that has ended, seen again: step by step, turn by turn, or played at a speed."""
