"""Storage: live rooms, the archive of games, and the records counted from it."""
