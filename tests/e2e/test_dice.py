"""Witnessed dice between programs of their own: what each client does without being told to."""

import json
import subprocess
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from program import COMMAND, environment, hosting, run

PLAYED = ("rolled", "busted")


class Bot:
    """A program that plays over JSON lines, and knows nothing of how the dice come about."""

    def __init__(self, home: Path, *arguments: str) -> None:
        self.heard: list[dict[str, Any]] = []
        self._process = subprocess.Popen(
            [COMMAND, "join", "--json", *arguments],
            env=environment(home),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )

    def __enter__(self) -> "Bot":
        return self

    def __exit__(self, *_: object) -> None:
        if self._process.poll() is None:
            self._process.kill()
        with self._process:
            pass

    def say(self, kind: str, **fields: Any) -> None:
        assert self._process.stdin is not None
        print(json.dumps({"type": kind, **fields}), file=self._process.stdin, flush=True)

    def until(self, condition: Callable[[dict[str, Any]], Any]) -> dict[str, Any]:
        return next(message for message in self._messages() if condition(message))

    def play(self) -> None:
        """Play plainly until the dice of the game are shown."""
        answered = None
        for message in self._messages():
            turn = (message.get("table") or {}).get("turn")
            if message["type"] == "update" and message["event"]["type"] == "revealed":
                return
            if turn and turn["seat"] == self.seat and turn["ply"] != answered:
                answered = turn["ply"]
                if turn["options"]:
                    self.say("choose", ply=answered, option=1)
                elif turn["decision"] == "roll" or turn["rule_of_28"] < 20:
                    self.say("roll", ply=answered)
                else:
                    self.say("stop", ply=answered)

    @property
    def seat(self) -> int:
        return next(message["seat"] for message in self.heard if message["type"] == "entered")

    def end(self) -> int:
        assert self._process.stdin is not None
        self._process.stdin.close()
        for _ in self._messages():
            pass
        return self._process.wait(60)

    def events(self, *kinds: str) -> list[dict[str, Any]]:
        told = [message["event"] for message in self.heard if message["type"] == "update"]
        return [event for event in told if event["type"] in kinds]

    def _messages(self) -> Iterator[dict[str, Any]]:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            self.heard.append(json.loads(line))
            yield self.heard[-1]


def has_both_numbers(heard: dict[str, Any]) -> bool:
    return heard["type"] == "update" and heard["table"]["dice"]["contributed"] == [True, True]


def test_two_programs_witness_each_others_rolls_and_the_database_proves_it(tmp_path: Path) -> None:
    homes = [tmp_path / name for name in ("ann", "ben")]
    for home in homes:
        home.mkdir()
    database = str(tmp_path / "games.db")
    with hosting(tmp_path, "--database", database) as host:
        where = ("--server", host.address)
        with Bot(homes[0], *where, "--name", "Ann", "--create", "dice=witnessed target=1") as ann:
            room = ann.until(lambda heard: heard["type"] == "entered")["table"]["room"]
            with Bot(homes[1], room, *where, "--name", "Ben") as ben:
                ann.until(has_both_numbers)
                ann.say("start")
                with ThreadPoolExecutor(2) as pool:
                    list(pool.map(Bot.play, (ann, ben)))
                assert [ann.end(), ben.end()] == [0, 0]
    rolls = len(ann.events(*PLAYED))
    words = ann.events("witnessed")
    assert len(words) == rolls > 0
    assert {word["seat"] for word in words} <= {0, 1}
    for bot in (ann, ben):
        checked = [message for message in bot.heard if message["type"] == "dice_checked"]
        assert [
            (one["ok"], f"{rolls} of {rolls} in the game" in one["text"]) for one in checked
        ] == [(True, True)]
    verdict = run(tmp_path, "verify", "--json", "--database", database)
    assert verdict.returncode == 0
    values = json.loads(verdict.stdout)
    assert (values["kind"], values["witnessed"], values["missing"]) == ("witnessed", rolls, [])
