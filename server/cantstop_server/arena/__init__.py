"""Matches between computer players, to measure how strong they are."""
