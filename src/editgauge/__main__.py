"""`python -m editgauge` is `editgauge`."""

from editgauge.cli.main import main

main()
