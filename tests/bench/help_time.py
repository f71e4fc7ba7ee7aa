"""What ``cantstop --help`` costs beside ``python -c pass``: run it by hand, it is no test.

Prints the best of several runs of each, the ratio, and the command's own work in milliseconds.
"""

import subprocess
import sys
from time import perf_counter

ROUNDS = 15
EMPTY = [sys.executable, "-c", "pass"]
HELP = [sys.executable, "-m", "cantstop_client", "--help"]


def seconds(command: list[str]) -> float:
    """The time of one run."""
    begun = perf_counter()
    subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
    return perf_counter() - begun


def main() -> None:
    """Alternate the two, so that a busy moment hits both."""
    pairs = [(seconds(EMPTY), seconds(HELP)) for _ in range(ROUNDS)]
    empty, shown = (min(times) for times in zip(*pairs, strict=True))
    print(f"python -c pass    {1000 * empty:6.1f} ms")
    print(f"cantstop --help   {1000 * shown:6.1f} ms")
    print(f"ratio             {shown / empty:6.2f}")
    print(f"own work          {1000 * (shown - empty):6.1f} ms")


if __name__ == "__main__":
    main()
