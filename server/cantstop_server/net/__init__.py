"""The network around the rooms: connections, limits, start and shutdown."""
