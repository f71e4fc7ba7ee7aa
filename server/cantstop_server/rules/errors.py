"""What the rules refuse."""


class RulesError(Exception):
    """Something the rules do not allow; the text says what to do instead."""


class InvalidSetup(RulesError):
    """A game that could not be played to an end, or has values out of range."""


class NotAllowed(RulesError):
    """An action that is not possible in this position."""


class IllegalDice(RulesError):
    """A roll that is not four dice of 1 to 6."""


class BadCourse(RulesError):
    """The course of a game that cannot be read or does not replay."""
