"""What a server is started with."""

from dataclasses import dataclass, field

from cantstop_protocol.limits import DEFAULT_PORT


@dataclass(frozen=True, slots=True)
class Limits:
    """Bounds of a server. Rates are per second and connection; times are in seconds."""

    connections: int = 1000
    rooms: int = 1000
    rooms_per_person: int = 8
    spectators_per_room: int = 50
    command_rate: float = 50.0
    command_burst: int = 100
    chat_rate: float = 1.0
    chat_burst: int = 5
    list_rate: float = 2.0
    list_burst: int = 10
    game_rate: float = 4.0
    game_burst: int = 40
    """How often a part of a past game may be asked for."""
    password_rate: float = 1.0
    password_burst: int = 5
    """How often a room's password may be tried."""
    refusal_rate: float = 5.0
    refusal_burst: int = 500
    """Who is refused more often than this is dismissed."""
    buffered_bytes: int = 256 * 1024
    """What may wait for a client that does not read, before it is cut off."""
    hello_timeout: float = 10.0
    ping_interval: float = 10.0
    ping_timeout: float = 15.0
    thinkers: int = 2
    """How many computer players that take long over a decision may think at a time."""
    thinking_seconds: float = 15.0
    """How long such a decision may take, the wait for its turn included."""
    absence_grace: float = 30.0
    """How long the player to move may be away before the room's rule for it holds."""
    seat_grace: float = 120.0
    """How long a seat is held for somebody who is away between games."""
    room_grace: float = 600.0
    """How long a room without a running game waits when everyone is away."""
    game_grace: float = 86_400.0
    """How long a running game waits when everyone is away, before it is abandoned."""
    connections_per_address: int = 64
    witness_seconds: float = 3.0
    """How long a roll waits for the next person's client to witness it."""


@dataclass(frozen=True, slots=True)
class ServerConfig:
    """``port`` 0 is any free one; ``database`` a path or SQLAlchemy URL; ``bot_delay`` in seconds.

    A ``private`` server is one person's own: its rooms end with it, and are not taken up again.
    """

    database: str
    bind: str = "127.0.0.1"
    port: int = DEFAULT_PORT
    name: str = "cantstop"
    bot_delay: float = 0.8
    private: bool = False
    busy_timeout: float = 5.0
    """How many seconds to wait for another program's lock on the database."""
    password: str = field(default="", repr=False)
    """What everyone must know who wants in; empty for nothing."""
    tls_cert: str = ""
    tls_key: str = ""
    """Files in PEM form, both or neither."""
    admin_token: str = field(default="", repr=False)
    """What ``cantstop admin`` proves itself with; empty for one that is made at each start."""
    compression: bool = False
    """Whether messages are compressed for those who ask for it: for slow links. It costs up to half
    the moves a second, and several times the memory for each connection."""
    metrics_public: bool = False
    """Whether ``/healthz`` and ``/metrics`` answer others than this machine."""
    limits: Limits = Limits()
