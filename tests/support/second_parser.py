"""Game records read by docs/record.md alone: nothing of the program is used here."""

import json
import re

NAME = r'("(?:[^"\\]|\\.)*")'
SEAT = re.compile(rf"{NAME} (?:computer ([a-z0-9_-]+)|person(?: {NAME})?)")


def parse(text: str) -> list[dict]:
    records, proof = [], None
    for line in text.removeprefix("\ufeff").split("\n"):
        line = line.rstrip(" \t\r")
        if line == "Can't Stop game record 1":
            records.append({"headers": {}, "seats": [], "turns": [], "proof": (proof := [])})
            in_proof = False
        elif line == "Proof:" or in_proof:
            proof += [line] if in_proof else []
            in_proof = True
        elif line and not line.startswith("#"):
            name, value = line.split(": ", 1)
            if turn := re.fullmatch(r"(\d+)\. ([A-D])", name):
                records[-1]["turns"].append(parse_turn(int(turn[1]), turn[2], value.split(", ")))
            elif name.startswith("Seat "):
                records[-1]["seats"].append(parse_seat(value))
            else:
                records[-1]["headers"][name] = value
    for record in records:
        record["proof"] = json.loads("\n".join(record["proof"]) or "null")
    return records


def parse_seat(value: str) -> dict:
    name, kind, registered = SEAT.fullmatch(value).groups()
    person = None if kind else json.loads(registered or name)
    return {"name": json.loads(name), "computer": kind, "person": person}


def parse_turn(number: int, seat: str, phrases: list[str]) -> dict:
    actions = []
    turn = {"number": number, "seat": seat, "actions": actions, "at": None, "claims": []}
    for phrase in phrases:
        word, _, rest = phrase.partition(" ")
        if re.fullmatch("[1-6]{4}", word):
            actions.append(("roll", tuple(map(int, word))))
            if rest:
                actions.append(("bust",) if rest == "bust" else ("choose", steps(rest)))
        elif rest == "resigns":
            actions.append(("resign", word))
        elif word == "at":
            turn["at"] = float(rest)
        elif word in ("keeps", "claims"):
            turn[word] = rest.split()
        else:
            actions.append(("stop",) if word == "stop" else ("choose", steps(word)))
    return turn


def steps(text: str) -> tuple[int, ...]:
    return tuple(map(int, text.split("+")))
