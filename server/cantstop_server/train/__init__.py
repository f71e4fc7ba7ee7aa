"""Training of the strong player: the same turn solution compiled, self-play, and the network.

The only package that needs the ``train`` extra, which brings a compiler.
"""
