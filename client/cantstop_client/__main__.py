"""``python -m cantstop_client`` is the ``cantstop`` command."""

from cantstop_client.cli import main

main()
