"""One value of every command, message and event, with every field set."""

from cantstop_protocol import codes, commands, events, messages
from cantstop_protocol.table import (
    GameOptions,
    Option,
    Result,
    RoomSummary,
    Seat,
    Table,
    Turn,
)

OPTIONS = GameOptions(
    seats=3,
    target=2,
    dead_markers="kept",
    absence="wait",
    decision_seconds=30,
    bank_seconds=300,
    increment_seconds=5,
)
NOTHING = (0,) * 11
RUNNERS = (0, 0, 0, 0, 3, 1, 0, 0, 0, 0, 0)
DICE = (3, 4, 2, 4)
TABLE = Table(
    room="BADOK",
    title="Friday",
    phase="playing",
    options=OPTIONS,
    creator="Ann",
    private=True,
    locked=True,
    spectator_chat="merged",
    seats=(
        Seat("Ann", None, "keller", True, False, RUNNERS, True, 61.5, True),
        Seat("keller", "keller", None, False, False, NOTHING),
        None,
    ),
    spectators=("Cat",),
    lengths=(3, 5, 7, 9, 11, 13, 11, 9, 7, 5, 3),
    owners=(None, 1, None, None, None, None, None, None, None, None, None),
    game="k3f9x2m7qa",
    turn=Turn(
        seat=0,
        number=5,
        ply=31,
        decision="choose",
        runners=RUNNERS,
        dice=DICE,
        options=(Option((6, 7), RUNNERS, 120, 14), Option((9, 9), RUNNERS, 0, 9)),
        busting_rolls=0,
        rule_of_28=8,
        seconds_left=12.25,
    ),
    result=Result("k3f9x2m7qa", 0, 12, False),
)

SAMPLE_COMMANDS = [
    commands.Hello(id=1, name="Ann", token="a" * 64, instance="0123456789abcdef"),
    commands.ListRooms(id=2),
    commands.Create(id=3, title="Friday", password="pw", options=OPTIONS, role="spectator"),
    commands.Join(id=4, room="BADOK", password="pw", role="spectator", last_seq=17),
    commands.Leave(id=5, room="BADOK"),
    commands.Configure(id=6, options=OPTIONS),
    commands.AddBot(id=7, kind="keller", seat=1),
    commands.RemoveBot(id=8, seat=2),
    commands.Start(id=9),
    commands.Roll(id=10, ply=0),
    commands.Choose(id=11, ply=1, option=6),
    commands.Stop(id=12, ply=2),
    commands.Autopilot(id=13, kind="keller"),
    commands.Chat(id=14, text="Grüße"),
    commands.SwapSeats(id=15, seats=(0, 2)),
    commands.Kick(id=16, name="Ben"),
    commands.Lock(id=17, locked=True),
    commands.PassRoom(id=18, name="Ben"),
    commands.SetSpectatorChat(id=19, mode="muted"),
    commands.Rematch(id=20),
    commands.Resign(id=21),
]

SAMPLE_EVENTS: list[events.Event] = [
    events.Unrecognised("rain_stopped"),
    events.Created("Ann"),
    events.Joined("Ben", 1),
    events.Left("Ben", None),
    events.Away("Ben", 1),
    events.Back("Ben", 1),
    events.CreatorChanged("Ben"),
    events.Configured("Ann", OPTIONS),
    events.BotAdded("keller", 1, "keller"),
    events.BotRemoved("keller", 1),
    events.AutopilotSet("Ann", 0, None),
    events.Chatted("Cat", None, "well done"),
    events.Started("k3f9x2m7qa", OPTIONS, ("Ann", "keller", "Ben"), 2, ((0, 14), (1, 9), (2, 20))),
    events.Rolled(0, DICE, ((6, 7), (9, 9))),
    events.Busted(0, DICE, RUNNERS),
    events.Advanced(0, (9, 9), RUNNERS),
    events.Stopped(0, RUNNERS, (3,)),
    events.Resigned(2),
    events.BotFailed(1),
    events.Finished("k3f9x2m7qa", 0, 12),
    events.Abandoned("k3f9x2m7qa", 12),
    events.SeatsSwapped("Ann", (0, 2)),
    events.Kicked("Ben", 1),
    events.LockSet("Ann", True),
    events.SpectatorChatSet("Ann", "muted"),
    events.RematchAccepted("Ben", 1),
    events.TimeWarning(0, 10),
    events.TimeUp(0),
]

SAMPLE_MESSAGES = [
    messages.Unrecognised(kind="weather"),
    messages.Greeting(
        server="ab" * 16, name="Friday", software="cantstop 0.1.0", bots=("keller", "random")
    ),
    messages.Welcome(re=1, name="Ann", rooms=("BADOK",)),
    messages.Ok(re=2),
    messages.Error(re=None, code=codes.ErrorCode.MALFORMED, message="a list is no message"),
    messages.Rooms(
        re=3,
        rooms=(RoomSummary("BADOK", "Friday", "waiting", OPTIONS, False, ("Ann",), 2, 0),),
    ),
    messages.Entered(
        re=4,
        seat=0,
        seq=len(SAMPLE_EVENTS),
        events=tuple(messages.NumberedEvent(n, e) for n, e in enumerate(SAMPLE_EVENTS, 1)),
        complete=True,
        table=TABLE,
    ),
    messages.Update(seq=18, event=SAMPLE_EVENTS[13], table=TABLE),
    messages.Notice(message="the database works again"),
    messages.Aside(name="Cat", text="he should stop"),
    messages.Exit(room="BADOK", code=codes.ExitCode.ROOM_CLOSED, message="everyone has left"),
    messages.Bye(code=codes.ByeCode.SHUTDOWN, message="good night"),
]
