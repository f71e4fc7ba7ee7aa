"""What finished games say of their players: habits, places, ratings. Pure."""
