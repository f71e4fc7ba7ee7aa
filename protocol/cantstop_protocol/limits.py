"""The bounds both sides keep. Lengths of text are terminal cells unless the name says bytes."""

from typing import Final

SUBPROTOCOL: Final = "cantstop.1"
"""The WebSocket subprotocol; the number rises when an old client could not follow any more."""

DEFAULT_PORT: Final = 7112

MAX_COMMAND_BYTES: Final = 4096
"""The largest frame a client may send."""

MAX_MESSAGE_BYTES: Final = 1024 * 1024
"""The largest frame a server may send."""

MAX_NAME_CELLS: Final = 20
MAX_TITLE_CELLS: Final = 40
MAX_CHAT_CELLS: Final = 400
MAX_BYTES_PER_CELL: Final = 4
"""A text of so many cells has at most four times as many bytes in UTF-8: marks add no cells."""
MAX_PASSWORD_CHARACTERS: Final = 64
MIN_TOKEN_CHARACTERS: Final = 32
MAX_TOKEN_CHARACTERS: Final = 128
MAX_INSTANCE_CHARACTERS: Final = 32
MAX_GAMES: Final = 50
"""How many games that have ended one list may ask for."""
MAX_CURSOR_CHARACTERS: Final = 128
MAX_ID: Final = 2**53 - 1
"""The largest command id and ply: what every language's numbers hold exactly."""

STEPS_IN_RECORD: Final = 64
"""How many steps of a past game one reply has at most."""

TAIL_EVENTS: Final = 200
"""How many of a room's latest events a returning client can still be sent."""
