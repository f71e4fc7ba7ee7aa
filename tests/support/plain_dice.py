"""The check of a game's dice, written from ``docs/dice.md`` alone."""

import hashlib
import hmac
import json
import re


def check(game, setup, course, ending, proof_text):
    """None if all holds, otherwise the number of the first roll that does not, or "seal".

    ``setup`` is (seats, target, dead markers, first seat), ``ending`` (word, winner, turns).
    """
    proof = json.loads(proof_text)
    seed = bytes.fromhex(proof["seed"])
    if hashlib.sha256(seed).hexdigest() != proof["commitment"]:
        return 1
    terms = f"nonces {dashed(proof['nonces'])}\n"
    known = {}
    if proof["kind"] == "witnessed":
        terms += f"chains {dashed(proof['chains'])}\n"
        known = {seat: (0, tip) for seat, tip in enumerate(proof["chains"], -1)}
        root = hmac.new(seed, b"cantstop chain 1\n", hashlib.sha256).digest()
        if sha(root, 4096) != proof["chains"][0]:
            return 1
    due = [(dice, "-", "committed") for dice in proof["draw"]]
    words = iter(proof.get("rolls", []))
    due += [
        (roll[0], course[: roll.start()] or "-", next(words, "committed"))
        for roll in re.finditer("[1-6]{4}", re.sub("-[1-4]", "--", course))
    ]
    for number, (dice, before, word) in enumerate(due, 1):
        kind, key, more = "committed", seed, ""
        if word != "committed":
            kind, key = "witnessed", bytes.fromhex(word["server"])
            more = f"witness {word['witness']} {word['link']}\n"
            for seat, link in ((-1, word["server"]), (word["witness"], word["link"])):
                earlier, shown = known[seat]
                if sha(bytes.fromhex(link), number - earlier) != shown:
                    return number
                known[seat] = (number, link)
        text = f"cantstop dice 1\nkind {kind}\n{terms}roll {number}\ncourse {before}\n{more}"
        if rolled(key, text) != dice:
            return number
    end = "{} {} {}".format(*("-" if part is None else part for part in ending))
    text = (
        f"cantstop seal 1\ngame {game}\n{terms}setup {' '.join(map(str, setup))}\n"
        f"draw {' '.join(proof['draw']) or '-'}\ncourse {course or '-'}\nresult {end}\n"
    )
    if hmac.new(seed, text.encode(), hashlib.sha256).hexdigest() != proof["seal"]:
        return "seal"
    return None


def rolled(key, text):
    dice, block = "", 0
    while len(dice) < 4:
        for byte in hmac.new(key, f"{text}block {block}\n".encode(), hashlib.sha256).digest():
            if byte < 252:
                dice += str(byte % 6 + 1)
        block += 1
    return dice[:4]


def sha(value, times):
    for _ in range(times):
        value = hashlib.sha256(value).digest()
    return value.hex()


def dashed(values):
    return " ".join(value or "-" for value in values)
