"""How fast the rules are: whole games between two computer players in one process.

The dice come from a seed, so that each round plays the same games and only the time differs.
They serve this measurement alone; a room never sees them.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from time import perf_counter
from typing import Final

from cantstop_server.bench.rate import Rate, rate_of
from cantstop_server.players.registry import make_player
from cantstop_server.rules.setup import DEFAULT_TARGET, make_setup
from cantstop_server.simulate import play_game, seeded_dice

ROUNDS: Final = 5
_SEATS: Final = 2


@dataclass(frozen=True, slots=True)
class RulesBench:
    """What a benchmark found.

    ``games``, ``rolls``, ``decisions`` and ``turns`` are those of one round, the same in each;
    ``decisions`` are the choices of an option and the stops or rolls that players were asked for.
    ``first_seat_wins`` counts games won by the seat that began.
    """

    kind: str
    seed: int
    rounds: int
    games: int
    turns: int
    rolls: int
    decisions: int
    first_seat_wins: int
    games_per_second: Rate
    decisions_per_second: Rate

    def as_dict(self) -> dict[str, object]:
        """The same as plain values that JSON can hold."""
        return asdict(self)


@dataclass(frozen=True, slots=True)
class _Round:
    turns: int
    rolls: int
    decisions: int
    first_seat_wins: int


def run_rules_bench(
    games: int,
    kind: str,
    seed: int,
    rounds: int = ROUNDS,
    *,
    clock: Callable[[], float] = perf_counter,
) -> RulesBench:
    """Play ``games`` games of two seats to the usual target, ``rounds`` times over, and time it.

    ``clock`` gives seconds. The seats take turns to begin. Raises ``ValueError`` for fewer than
    one game or round, and ``UnknownKind`` for a kind of player that does not exist.
    """
    if games < 1 or rounds < 1:
        raise ValueError(f"a benchmark plays at least 1 game and 1 round, not {games} and {rounds}")
    played = _play_round(1, kind, seed)  # Fills the tables, which a server does once.
    seconds = []
    for _ in range(rounds):
        start = clock()
        played = _play_round(games, kind, seed)
        seconds.append(clock() - start)
    return RulesBench(
        kind=kind,
        seed=seed,
        rounds=rounds,
        games=games,
        turns=played.turns,
        rolls=played.rolls,
        decisions=played.decisions,
        first_seat_wins=played.first_seat_wins,
        games_per_second=_rate(games, seconds),
        decisions_per_second=_rate(played.decisions, seconds),
    )


def format_report(result: RulesBench) -> str:
    """The result as a short table for people."""
    games = result.games
    lines = [
        f"{games:,} games of {result.kind} against {result.kind}, two seats, target"
        f" {DEFAULT_TARGET}, seed {result.seed}, {result.rounds} rounds",
        "",
        f"{'per second':<12}{'median':>12}{'lowest':>12}{'highest':>12}",
        _row("games", result.games_per_second),
        _row("decisions", result.decisions_per_second),
        "",
        f"a game: {result.turns / games:.1f} turns, {result.rolls / games:.1f} rolls,"
        f" {result.decisions / games:.1f} decisions; the first seat won"
        f" {100 * result.first_seat_wins / games:.1f} %",
    ]
    return "\n".join(lines)


def _play_round(games: int, kind: str, seed: int) -> _Round:
    player = make_player(kind)
    roll_dice = seeded_dice(seed)
    turns = rolls = decisions = first_seat_wins = 0
    for number in range(games):
        setup = make_setup(_SEATS, first=number % _SEATS)
        played = play_game(setup, (player,) * _SEATS, roll_dice)
        turns += played.game.turn
        rolls += played.rolls
        decisions += played.decisions
        first_seat_wins += played.game.winner == setup.first
    return _Round(turns, rolls, decisions, first_seat_wins)


def _rate(count: int, seconds: list[float]) -> Rate:
    return rate_of([count / taken for taken in seconds])


def _row(name: str, rate: Rate) -> str:
    return f"{name:<12}{rate.median:>12,.0f}{rate.lowest:>12,.0f}{rate.highest:>12,.0f}"
