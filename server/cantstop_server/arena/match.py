"""A match between two kinds of computer player: many games, on all cores."""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import asdict, dataclass
from functools import lru_cache
from math import sqrt
from multiprocessing import get_context
from time import perf_counter
from typing import Final, NamedTuple

from cantstop_server.arena.contender import contender
from cantstop_server.players.player import Player
from cantstop_server.rules.game import Game
from cantstop_server.rules.setup import DEFAULT_TARGET, make_setup
from cantstop_server.simulate import play_game, seeded_dice

CONFIDENCE: Final = 1.959964
"""Standard errors on each side of a 95 % interval."""

_CHUNK: Final = 25
_SEEDS: Final = 1 << 32

Progress = Callable[[int, int], None]
"""Called with the games played so far and those to play."""


@dataclass(frozen=True, slots=True)
class Match:
    """What a match is about: one ``a`` against ``b`` in all other seats.

    The seats take turns to begin. In solitaire both play alone, with the same dice at first, and
    fewer turns win; equal turns count half.
    """

    a: str
    b: str
    games: int
    seats: int = 2
    target: int = DEFAULT_TARGET
    seed: int = 1


@dataclass(frozen=True, slots=True)
class MatchResult:
    """How a match ended.

    ``win_rate`` is that of ``a``, 0..1, with its 95 % ``interval``; ``fair_share`` is what it
    would be between equals. ``turns`` is the mean number of turns a game, busts included; in
    solitaire ``turns_a`` and ``turns_b`` are the means of each. Decisions are timed in
    milliseconds, on average over all that the player was asked.
    """

    a: str
    b: str
    games: int
    seats: int
    target: int
    seed: int
    win_rate: float
    interval: tuple[float, float]
    fair_share: float
    turns: float
    turns_a: float | None
    turns_b: float | None
    decision_ms_a: float
    decision_ms_b: float
    seconds: float

    def as_dict(self) -> dict[str, object]:
        """The same as plain values that JSON can hold."""
        return asdict(self)


def play_match(
    match: Match, jobs: int | None = None, progress: Progress | None = None
) -> MatchResult:
    """Play a match on so many processes, by default one for each core.

    The result but for its times depends on the match alone. Raises ``InvalidSetup``, and
    ``ValueError`` for an unknown kind or fewer than one game.
    """
    if match.games < 1:
        raise ValueError(f"a match has at least 1 game, not {match.games}")
    make_setup(match.seats, match.target)
    for kind in (match.a, match.b):
        _contender(kind)
    start = perf_counter()
    total = _Tally(0.0, 0, 0, 0, _Timing(0.0, 0), _Timing(0.0, 0))
    played = 0
    for games, tally in _tallies(match, jobs or os.cpu_count() or 1):
        total = total.plus(tally)
        played += games
        if progress is not None:
            progress(played, match.games)
    return _result(match, total, perf_counter() - start)


def interval(wins: float, games: int) -> tuple[float, float]:
    """Wilson's 95 % interval for a share of games."""
    share, spread = wins / games, CONFIDENCE**2 / games
    middle = (share + spread / 2) / (1 + spread)
    width = CONFIDENCE * sqrt(share * (1 - share) / games + spread / games / 4) / (1 + spread)
    return max(0.0, middle - width), min(1.0, middle + width)


class _Timing(NamedTuple):
    seconds: float
    decisions: int

    def plus(self, other: "_Timing") -> "_Timing":
        return _Timing(self.seconds + other.seconds, self.decisions + other.decisions)

    @property
    def milliseconds(self) -> float:
        return 1000 * self.seconds / self.decisions if self.decisions else 0.0


class _Tally(NamedTuple):
    wins: float
    turns: int
    turns_a: int
    turns_b: int
    a: _Timing
    b: _Timing

    def plus(self, other: "_Tally") -> "_Tally":
        return _Tally(
            self.wins + other.wins,
            self.turns + other.turns,
            self.turns_a + other.turns_a,
            self.turns_b + other.turns_b,
            self.a.plus(other.a),
            self.b.plus(other.b),
        )


class _Timed:
    """A player that is timed."""

    def __init__(self, player: Player) -> None:
        self._player = player
        self.timing = _Timing(0.0, 0)

    @property
    def kind(self) -> str:
        return self._player.kind

    def choose(self, game: Game) -> int:
        start = perf_counter()
        answer = self._player.choose(game)
        self.timing = self.timing.plus(_Timing(perf_counter() - start, 1))
        return answer

    def stop(self, game: Game) -> bool:
        start = perf_counter()
        answer = self._player.stop(game)
        self.timing = self.timing.plus(_Timing(perf_counter() - start, 1))
        return answer


def _tallies(match: Match, jobs: int) -> Iterator[tuple[int, _Tally]]:
    chunks = [range(i, min(i + _CHUNK, match.games)) for i in range(0, match.games, _CHUNK)]
    jobs = min(jobs, len(chunks))
    if jobs == 1:
        for chunk in chunks:
            yield len(chunk), _play_chunk(match, chunk)
        return
    # Processes of their own from the start: what compiles code does not survive a fork.
    with ProcessPoolExecutor(jobs, mp_context=get_context("spawn")) as pool:
        tasks = {pool.submit(_play_chunk, match, chunk): len(chunk) for chunk in chunks}
        try:
            for task in as_completed(tasks):
                yield tasks[task], task.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


@lru_cache(maxsize=4)
def _contender(kind: str) -> Player:
    return contender(kind)


def _play_chunk(match: Match, numbers: range) -> _Tally:
    a, b = _Timed(_contender(match.a)), _Timed(_contender(match.b))
    wins, turns, turns_a, turns_b = 0.0, 0, 0, 0
    for number in numbers:
        if match.seats == 1:
            alone = [_play(match, number, (player,)).turn for player in (a, b)]
            turns_a, turns_b = turns_a + alone[0], turns_b + alone[1]
            wins += 1.0 if alone[0] < alone[1] else 0.5 if alone[0] == alone[1] else 0.0
        else:
            end = _play(match, number, (a, *(b for _ in range(match.seats - 1))))
            wins += end.winner == 0
            turns += end.turn
    return _Tally(wins, turns, turns_a, turns_b, a.timing, b.timing)


def _play(match: Match, number: int, players: tuple[Player, ...]) -> Game:
    setup = make_setup(match.seats, match.target, first=number % match.seats)
    return play_game(setup, players, seeded_dice(match.seed * _SEEDS + number)).game


def _result(match: Match, total: _Tally, seconds: float) -> MatchResult:
    solitaire = match.seats == 1
    turns = (total.turns_a + total.turns_b) / 2 if solitaire else total.turns
    return MatchResult(
        a=match.a,
        b=match.b,
        games=match.games,
        seats=match.seats,
        target=match.target,
        seed=match.seed,
        win_rate=total.wins / match.games,
        interval=interval(total.wins, match.games),
        fair_share=0.5 if solitaire else 1 / match.seats,
        turns=turns / match.games,
        turns_a=total.turns_a / match.games if solitaire else None,
        turns_b=total.turns_b / match.games if solitaire else None,
        decision_ms_a=total.a.milliseconds,
        decision_ms_b=total.b.milliseconds,
        seconds=seconds,
    )


def format_match(result: MatchResult) -> str:
    """The result for people."""
    low, high = result.interval
    others = f"{result.seats - 1} x {result.b}" if result.seats > 2 else result.b
    lines = [
        f"{result.a} against {others}: {result.games:,} games, {result.seats} seats, target"
        f" {result.target}, seed {result.seed}",
        f"{result.a} wins {100 * result.win_rate:.1f} %, 95 % interval {100 * low:.1f} to"
        f" {100 * high:.1f} % (equals would win {100 * result.fair_share:.0f} %)",
    ]
    if result.turns_a is None or result.turns_b is None:
        lines.append(f"turns a game: {result.turns:.1f}")
    else:
        lines.append(
            f"turns a game: {result.a} {result.turns_a:.2f}, {result.b} {result.turns_b:.2f}"
        )
    lines.append(
        f"time a decision: {result.a} {result.decision_ms_a:.2f} ms, {result.b}"
        f" {result.decision_ms_b:.2f} ms"
    )
    return "\n".join(lines)
