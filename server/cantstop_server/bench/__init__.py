"""Benchmarks: how much this machine can do, measured the same way everywhere."""
