"""What the strong player says about a game: hints, and reviews of decisions and luck."""
