"""The rules of the game in one page, as ``/rules`` shows them."""

from typing import Final

RULES: Final[tuple[str, ...]] = (
    "CAN'T STOP",
    "Be the first to claim three columns (or as many as the table says).",
    "",
    "YOUR TURN",
    "Roll four dice and make two pairs of them. Each pair's total is a column, 2 to 12: your"
    " runners take a step in both. A new runner starts one step above your marker, or at the"
    " bottom. If both pairs have the same total, that runner takes two steps.",
    "There are three runners. When all are out, only their columns can be used; when one is"
    " left and the two totals need two, you pick one of them. One usable total is enough.",
    "Then roll again, or stop.",
    "Stop: your markers go where your runners stand. A runner on the top step claims its"
    " column: nobody moves there any more.",
    "Bust: a roll that no runner can use. The runners come off, and the turn is lost.",
    "",
    "THE BOARD",
    "Columns have 3 5 7 9 11 13 11 9 7 5 3 steps: 7 is easy to roll and long, 2 and 12 are"
    " hard and short. Markers may share a step. A column counts when you stop, not before: a"
    " runner on the top step is lost by a bust like any other, and takes no more steps.",
    "The player who stops with enough columns wins at once.",
    "",
    "THE RULE OF 28 (Michael Keller)",
    "A step counts, by column: 7: 1; 6, 8: 2; 5, 9: 3; 4, 10: 4; 3, 11: 5; 2, 12: 6. The first"
    " step of a runner counts double. With three runners out: +2 if all columns are odd, -2 if"
    " all are even, +4 if all are 7 or below, or all 7 or above. At 28 or more, stop.",
)
