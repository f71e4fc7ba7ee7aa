"""``python -m cantstop_client`` is ``cantstop``."""

from cantstop_client.entry import main

if __name__ == "__main__":
    main()
