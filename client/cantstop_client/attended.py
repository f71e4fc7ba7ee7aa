"""``python -m cantstop_client.attended``: the command line, until standard input ends.

For a server behind another program: it ends with that program, in whatever way that ends.
"""

import os
import signal
import threading

from cantstop_client.cli import main


def _watch() -> None:
    # Not sys.stdin: its lock would keep the program from ending.
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    threading.Thread(target=_watch, daemon=True).start()
    main()
