"""What every test relies on."""

import signal

# A shell starts background jobs with SIGINT ignored, and programs inherit that: then no test could
# press Ctrl-C. A handler of our own is not inherited, children begin with the default.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
