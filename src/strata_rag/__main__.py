"""``python -m strata_rag``, and where the command ``strata`` begins."""

import sys


def main() -> None:
    """Run the command line."""
    try:
        from strata_rag.cli.app import main as run
    except KeyboardInterrupt:  # before there is a command line that could tell it
        sys.stderr.write("error: interrupted\nhint: nothing was begun; run the same command again\n")
        sys.exit(130)
    run()


if __name__ == "__main__":
    main()
