"""`python -m editgauge` is `editgauge`."""

import sys


def main() -> None:
    """The program `editgauge`: a Ctrl-C while it is still loading ends it like any later one."""
    try:
        from editgauge.cli.main import main as command_line
    except KeyboardInterrupt:
        print("interrupted before anything was done", file=sys.stderr)
        sys.exit(130)
    command_line()


if __name__ == "__main__":
    main()
