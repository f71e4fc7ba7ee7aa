"""The game record: an archived game as text for people and programs (docs/record.md)."""
