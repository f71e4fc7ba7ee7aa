"""The rules of Can't Stop as pure functions over frozen values; standard library only."""
