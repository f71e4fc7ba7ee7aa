"""The commands of ``cantstop bench``. Each loads what it needs when it runs."""

from typing import Any

from cyclopts import App

from cantstop_client.cli_parts import Flag, print_json, print_lines
from cantstop_client.errors import ClientError

bench_app = App(name="bench", help="Measure how fast things are; without a part, all of them.")


@bench_app.default
def everything(*, quick: Flag = False, json: Flag = False) -> int:
    """Measure everything: about a quarter of an hour.

    Parameters
    ----------
    quick
        Fewer sizes, once each: about a minute.
    json
        Print one JSON object.
    """
    from cantstop_client import local
    from cantstop_client.bench import format_client, run_client_bench
    from cantstop_client.output import standard_output

    def tell(report: str) -> None:
        if not json:
            standard_output().lines(report.splitlines())

    values = local.bench_everything(quick, tell)
    try:
        client = run_client_bench(1 if quick else 5)
    except ClientError as error:  # where there is no pseudo-terminal
        tell(f"== client\n{error}")
    else:
        values["client"] = client.as_dict()
        tell(f"== client\n{format_client(client)}")
    if json:
        print_json(values)
    return 0


@bench_app.command
def rules(*, games: int = 1000, player: str = "keller", seed: int = 1, json: Flag = False) -> int:
    """Play whole games between computer players without a network, and time them.

    Parameters
    ----------
    games
        How many games a round has.
    player
        The kind of computer player.
    seed
        Where the dice start.
    json
        Print one JSON object.
    """
    from cantstop_client import local

    return _report(local.bench_rules(games, player, seed), json)


@bench_app.command
def thinking(
    *, games: int = 10, rooms: int = 20, moves: int = 500, seed: int = 1, json: Flag = False
) -> int:
    """Time the strong player's turns, and moves in a room while it plays in others.

    Parameters
    ----------
    games
        How many games of it against itself to time.
    rooms
        How many rooms it plays in.
    moves
        How many moves of another room to time.
    seed
        Where the dice start.
    json
        Print one JSON object.
    """
    from cantstop_client import local

    return _report(local.bench_thinking(games, rooms, moves, seed), json)


@bench_app.command
def server(
    *,
    rooms: list[int] | None = None,
    seats: int = 4,
    spectators: int = 0,
    rounds: int = 3,
    seconds: float = 4.0,
    json: Flag = False,
) -> int:
    """Measure how many moves a server carries, beside a bare relay in the same run.

    Parameters
    ----------
    rooms
        How many rooms play at once; may be given several times. By default 1 and 50.
    seats
        People in each room, 1 to 4.
    spectators
        People who watch each room.
    rounds
        How often server and relay are measured in turn.
    seconds
        How long each is measured.
    json
        Print one JSON array.
    """
    from cantstop_client import local

    sizes = rooms or [1, 50]
    if not 1 <= seats <= 4 or spectators < 0 or rounds < 1 or min(sizes) < 1 or seconds <= 0:
        raise ClientError("a benchmark needs 1 to 4 seats, and at least 1 room and 1 round")
    return _report(local.bench_server(sizes, seats, spectators, rounds, seconds), json)


@bench_app.command
def codec(*, rounds: int = 5, json: Flag = False) -> int:
    """Time what lies between the bytes of a command and those of its update.

    Parameters
    ----------
    rounds
        How often each step is measured in turn.
    json
        Print one JSON array.
    """
    return _part("codec", json, rounds=rounds)


@bench_app.command
def memory(*, rooms: int = 300, rounds: int = 3, json: Flag = False) -> int:
    """Measure what idle connections and idle rooms take, beside a bare server's.

    Parameters
    ----------
    rooms
        How many rooms of four are opened.
    rounds
        How often each is measured in turn.
    json
        Print one JSON array.
    """
    return _part("memory", json, rooms=rooms, rounds=rounds)


@bench_app.command
def journal(*, rooms: int = 50, seconds: float = 2.0, rounds: int = 3, json: Flag = False) -> int:
    """Measure how many moves become durable, and how long one takes, beside SQLite's driver.

    Parameters
    ----------
    rooms
        How many rooms write at once.
    seconds
        How long each is measured.
    rounds
        How often each is measured in turn.
    json
        Print one JSON array.
    """
    return _part("journal", json, rooms=rooms, seconds=seconds, rounds=rounds)


@bench_app.command
def resume(*, rooms: int = 1000, rounds: int = 1, json: Flag = False) -> int:
    """Measure how long after kill -9 and a new start live rooms are playable.

    Parameters
    ----------
    rooms
        How many rooms of two are playing when the server is killed.
    rounds
        How often it is done.
    json
        Print one JSON array.
    """
    return _part("resume", json, rooms=rooms, rounds=rounds)


@bench_app.command
def startup(*, rounds: int = 5, json: Flag = False) -> int:
    """Time a server from its start until it listens, beside a bare one.

    Parameters
    ----------
    rounds
        How often both are started in turn.
    json
        Print one JSON array.
    """
    return _part("startup", json, rounds=rounds)


@bench_app.command
def client(*, rounds: int = 7, json: Flag = False) -> int:
    """Time the client to its first board, and its help, beside the least there is.

    Parameters
    ----------
    rounds
        How often each is measured in turn.
    json
        Print one JSON object.
    """
    from cantstop_client.bench import format_client, run_client_bench

    result = run_client_bench(rounds)
    return _report((format_client(result), result.as_dict()), json)


def _part(name: str, json: bool, **sizes: Any) -> int:
    from cantstop_client import local

    return _report(local.bench_part(name, sizes), json)


def _report(found: tuple[str, Any], json: bool) -> int:
    report, values = found
    if json:
        print_json(values)
    else:
        print_lines(report.splitlines())
    return 0
