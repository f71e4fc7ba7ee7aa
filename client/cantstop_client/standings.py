"""A player's record and the list of leaders in words and plots. Pure; wide enough from 60 cells."""

from collections.abc import Iterable, Sequence
from typing import Final

from cantstop_client.glyphs import Glyphs
from cantstop_client.plots import bar_lines, line_plot
from cantstop_client.widths import cut, wrapped
from cantstop_client.wording import FIRST_COLUMN
from cantstop_protocol.messages import Leaders, Stats
from cantstop_protocol.standings import Habits, PlayerStats, Rated, RunnerSet, SolitaireBest
from cantstop_protocol.text import cells, visible

_PLOT_HEIGHT: Final = 8
_WIDEST_PLOT: Final = 100
_SETS_SHOWN: Final = 12
_HUNG: Final = 20
_NAME: Final = 20

NO_RATINGS: Final = (
    "No rated game has ended yet: `cantstop play --rated`, or a room without hints, plays one"
)


def stats_page(stats: PlayerStats, width: int, glyphs: Glyphs) -> list[str]:
    """All that is known of a player, in lines of at most ``width`` cells."""
    plot = min(width, _WIDEST_PLOT)
    lines = [_headline(stats), *_rating_lines(stats), *_score_lines(stats)]
    if stats.habits is not None:
        lines += ["", *_habit_lines(stats.habits, solitaire=bool(stats.solitaire))]
    lines = [part for line in lines for part in wrapped(line, width, " " * _HUNG)]
    if len(stats.history) > 1:
        points = [(float(p.number), p.mu - 3 * p.sigma) for p in stats.history]
        lines += ["", "Rating over rated games", *line_plot(points, plot, _PLOT_HEIGHT, glyphs)]
    if any(stats.claims):
        claims = [
            (str(column), float(times), str(times))
            for column, times in enumerate(stats.claims, FIRST_COLUMN)
        ]
        lines += ["", "Columns claimed", *bar_lines(claims, plot, glyphs)]
    if stats.runner_sets:
        shown = stats.runner_sets[:_SETS_SHOWN]
        lines += ["", "Busts by runners, those rolled from most often first"]
        lines += bar_lines([_set_bar(runners) for runners in shown], plot, glyphs)
    return lines


def reply_lines(reply: Stats | Leaders, width: int, glyphs: Glyphs) -> list[str]:
    """What a server tells of a player, or of the best."""
    if isinstance(reply, Leaders):
        return leaders_page(reply.rated, reply.solitaire, width)
    if reply.player is None:
        return ["Nobody of that name is on record"]
    return stats_page(reply.player, width, glyphs)


def leaders_page(
    rated: Sequence[Rated], solitaire: Sequence[SolitaireBest], width: int
) -> list[str]:
    """The best players, and the best solitaire scores for each target."""
    lines = [] if rated else wrapped(NO_RATINGS, width)
    if rated:
        lines.append(f"{'':>4}  {'':<{_NAME}}  rating     mu  sigma  games")
        lines += [
            f"{player.rank:>4}  {_padded(player.name)}  {player.rating:>6.1f} {player.mu:>6.1f}"
            f" {player.sigma:>6.1f} {player.games:>6}{' computer' if player.bot else ''}"
            for player in rated
        ]
    for target in sorted({best.target for best in solitaire}):
        columns = "1 column" if target == 1 else f"{target} columns"
        lines += ["", f"Solitaire, {columns}, fewest turns"]
        lines += [
            f"{best.best_turns:>4}  {_padded(best.name)}  {_count(best.games, 'game')}"
            for best in solitaire
            if best.target == target
        ]
    return [cut(line, width) for line in lines]


def _headline(stats: PlayerStats) -> str:
    kind = " (computer player)" if stats.bot else ""
    return f"{visible(stats.name)}{kind}: {_won(stats.wins, stats.games)}, {stats.losses} lost"


def _rating_lines(stats: PlayerStats) -> Iterable[str]:
    rating = stats.rating
    if rating is None:
        yield _row("rating", "none yet: no rated game")
    else:
        yield _row(
            "rating",
            f"{rating.rating:.1f} (mu {rating.mu:.1f}, sigma {rating.sigma:.1f}),"
            f" rank {rating.rank}, {_count(rating.games, 'rated game')}",
        )
    if stats.streak:
        what = "win" if stats.streak > 0 else "defeat"
        yield _row(
            "streak",
            f"{_count(abs(stats.streak), what)} in a row; the longest:"
            f" {_count(stats.longest_wins, 'win')}, {_count(stats.longest_losses, 'defeat')}",
        )


def _score_lines(stats: PlayerStats) -> Iterable[str]:
    for score in stats.by_seats:
        if score.seats > 1:
            yield _row(f"{score.seats} seats", _won(score.wins, score.games))
    for best in stats.solitaire:
        columns = "1 column" if best.target == 1 else f"{best.target} columns"
        turns = _count(best.best_turns, "turn")
        yield _row("solitaire", f"{columns}: {turns} at best, {_count(best.games, 'game')}")
    for opponent in stats.opponents:
        yield _row(
            f"against {visible(opponent.name)}",
            f"{_won(opponent.wins, opponent.games)}, {opponent.losses} lost to them",
        )


def _habit_lines(habits: Habits, *, solitaire: bool) -> Iterable[str]:
    how = "How they play, solitaire included" if solitaire else "How they play"
    yield f"{how}: {_count(habits.turns, 'turn')}, {_count(habits.rolls, 'roll')}"
    if habits.turns_to_finish is not None:
        won = _count(habits.finishes, "game")
        yield _row("turns to finish", f"{habits.turns_to_finish:.1f} of their own, in {won} won")
    yield _row("bust rate", f"{100 * habits.bust_rate:.1f} % of turns")
    yield _row("steps a turn", f"{habits.kept_per_turn:.2f} kept, {habits.lost_per_turn:.2f} lost")
    yield _row("rolls a turn", f"{habits.rolls_per_turn:.2f}")
    if habits.stop_count is not None:
        yield _row("Rule of 28", f"stops at a count of {habits.stop_count:.1f} on average")
    ripe = habits.ripe_stops + habits.rolls_past
    if ripe:
        past = "" if habits.past_excess is None else f", by {habits.past_excess:.1f} on average"
        yield _row("", f"rolls on past 28 in {habits.rolls_past} of {ripe} decisions{past}")
    yield _row("luck", _luck(habits))


def _luck(habits: Habits) -> str:
    which = "fewer" if habits.luck >= 0 else "more"
    return (
        f"{abs(habits.luck):.1f} busts {which} than the odds: {habits.busts}, where"
        f" {habits.expected_busts:.1f} +- {habits.deviation:.1f} were due"
    )


def _set_bar(runners: RunnerSet) -> tuple[str, float, str]:
    share = 100 * runners.busts / runners.rolls
    said = f"{runners.busts} of {_count(runners.rolls, 'roll')} ({share:.0f} %)"
    return "-".join(map(str, runners.columns)), float(runners.busts), said


def _row(label: str, text: str) -> str:
    room = _HUNG - 4
    label = cut(label, room) if cells(label) > room + 1 else label
    return f"  {label}{' ' * max(1, _HUNG - 2 - cells(label))}{text}"


def _won(wins: int, games: int) -> str:
    share = f" ({100 * wins / games:.0f} %)" if games else ""
    return f"{wins} of {games} won{share}"


def _count(number: int, what: str) -> str:
    return f"{number} {what}{'' if number == 1 else 's'}"


def _padded(name: str) -> str:
    shown = visible(name)
    return shown + " " * (_NAME - cells(shown))
