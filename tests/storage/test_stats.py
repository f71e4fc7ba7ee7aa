"""One player's record and the leaders: what they say, and that they are found by index."""

from dataclasses import replace
from datetime import datetime, timedelta
from itertools import pairwise

import pytest
from longrun import seeded
from played import random_game
from sqlalchemy import Engine, event

from cantstop_server.rules.setup import Setup
from cantstop_server.storage.stats import spread

START = datetime.fromisoformat("2026-03-01T12:00:00+00:00")


async def test_a_record_has_the_results_by_seats_and_by_opponent(
    store, archive, people, make_game, seat_person, seat_bot
):
    ann, bob, cyd = (seat_person(player, name) for player, name in people)
    keller = seat_bot("keller")
    await archive(
        make_game("1", ann, bob, winner=0, minute=1),
        make_game("2", bob, ann, winner=0, minute=2),
        make_game("3", ann, keller, cyd, winner=1, minute=3),
        make_game("4", ann, keller, keller, winner=2, minute=4),
        make_game("5", ann, winner=0, minute=5),
    )
    (found,) = await store.stats("ANN")
    assert (found.games, found.wins, found.losses) == (4, 1, 3)
    assert [(s.seats, s.games, s.wins) for s in found.by_seats] == [(1, 1, 1), (2, 2, 1), (3, 2, 0)]
    assert [(v.name, v.bot, v.games, v.wins, v.losses) for v in found.opponents] == [
        ("keller", "keller", 2, 0, 2),
        ("Bob", None, 2, 1, 1),
        ("Cyd", None, 1, 0, 0),
    ]
    assert (found.streak, found.longest_wins, found.longest_losses) == (-3, 1, 3)
    assert [(b.target, b.games, b.best_turns) for b in found.solitaire] == [(3, 1, 17)]


async def test_the_sums_of_many_games_agree_with_each_other(store, archive, people):
    random = seeded()
    games = [random_game(random, n, people, START + timedelta(minutes=n)) for n in range(50)]
    await archive(*games)
    for name in ("Ann", "keller"):
        (found,) = await store.stats(name)
        habits = found.habits
        assert habits is not None
        assert habits.busts == round(habits.bust_rate * habits.turns)
        assert habits.luck == pytest.approx(habits.expected_busts - habits.busts)
        assert habits.deviation > 0
        assert habits.rolls >= habits.turns
        assert habits.finishes <= found.wins + sum(best.games for best in found.solitaire)
        assert 0 < habits.kept_per_turn < 20
        assert all(runners.busts <= runners.rolls for runners in found.runner_sets)
        assert found.rating is not None
        assert found.history[-1].mu == found.rating.mu
        assert [point.number for point in found.history] == [*range(1, found.rating.games + 1)]


async def test_luck_is_measured_by_the_exact_odds(store, archive, people, make_game, seat_person):
    # Runners on 2, 3 and 12 bust with 91 of 162 rolls (56.2 %); with a free runner none does.
    game = replace(make_game("1", seat_person(*people[0])), setup=Setup(1, 3))
    await archive(replace(game, course="1166a" + "1112a"))
    (found,) = await store.stats("Ann")
    assert found.habits is None, "the turn has not ended"
    await archive(replace(game, id="2", course="1166a" + "1112a" + "4444"))
    (found,) = await store.stats("Ann")
    habits = found.habits
    assert habits is not None
    chance = 91 / 162
    assert (habits.turns, habits.rolls, habits.busts, habits.lost_per_turn) == (1, 3, 1, 4.0)
    assert habits.expected_busts == pytest.approx(chance)
    assert habits.deviation == pytest.approx((chance * (1 - chance)) ** 0.5)
    assert habits.luck == pytest.approx(chance - 1)
    assert [(s.columns, s.rolls, s.busts) for s in found.runner_sets] == [((2, 3, 12), 1, 1)]


async def test_how_far_past_the_rule_of_28(store, archive, people, make_game, seat_person):
    # 2 twice and 3 and 12 once count 18 + 10 + 12: 40, and nothing for odd, even or one side.
    game = replace(make_game("1", seat_person(*people[0])), setup=Setup(1, 3))
    await archive(replace(game, course="1166a" + "1112a" + "."))
    await archive(replace(game, id="2", course="1166a" + "1112a" + "1166a" + "."))
    (found,) = await store.stats("Ann")
    assert found.habits is not None
    assert (found.habits.ripe_stops, found.habits.rolls_past) == (2, 1)
    assert found.habits.past_excess == 40 - 28
    assert found.habits.stop_count == (40 + 52) / 2


async def test_leaders_are_ranked_by_rating_and_solitaire_by_turns(
    store, archive, people, make_game, seat_person
):
    ann, bob, cyd = (seat_person(player, name) for player, name in people)
    await archive(
        *(replace(make_game(f"{n}", ann, bob, minute=n), rated=True) for n in range(3)),
        *(
            replace(make_game(f"s{n}", one), setup=Setup(1, 2), turns=9 - n)
            for n, one in enumerate((bob, ann, cyd))
        ),
    )
    rated, solitaire = await store.leaders()
    assert [(player.rank, player.name, player.games) for player in rated] == [
        (1, "Ann", 3),
        (2, "Bob", 3),
    ]
    assert rated[0].rating == pytest.approx(rated[0].mu - 3 * rated[0].sigma)
    assert [(best.name, best.best_turns) for best in solitaire] == [
        ("Cyd", 7),
        ("Ann", 8),
        ("Bob", 9),
    ]
    few, fewest = await store.leaders(limit=1)
    assert [player.name for player in few] == ["Ann"]
    assert [best.name for best in fewest] == ["Cyd"]
    (second,) = await store.stats("Bob")
    assert second.rating == rated[1]


def test_points_are_spread_with_both_ends() -> None:
    assert list(spread(3, 100)) == [1, 2, 3]
    many = list(spread(100_000, 100))
    assert (len(set(many)), many[0], many[-1]) == (100, 1, 100_000)
    gaps = [after - before for before, after in pairwise(many)]
    assert max(gaps) - min(gaps) <= 1


async def test_a_record_and_the_leaders_are_found_without_reading_the_games(
    file, store, archive, people
):
    random = seeded()
    await archive(*(random_game(random, n, people, START + timedelta(minutes=n)) for n in range(9)))
    plans = []

    def explain(connection, cursor, statement, parameters, context, executemany):
        if statement.startswith("SELECT"):
            connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            plans.extend(
                row[3]
                for row in connection.exec_driver_sql(f"EXPLAIN QUERY PLAN {statement}", parameters)
            )

    event.listen(Engine, "before_cursor_execute", explain)
    try:
        await store.stats("Ann")
        of_one = list(plans)
        await store.leaders()
    finally:
        event.remove(Engine, "before_cursor_execute", explain)
    assert len(of_one) > 8
    assert [step for step in of_one if step.startswith("SCAN")] == []
    for step in plans:
        assert not any(table in step for table in ("games", "game_seats")), step
    by_rating = [step for step in plans if step.startswith("SCAN") and "ratings" in step]
    assert all("USING INDEX ix_ratings_rating" in step for step in by_rating)
