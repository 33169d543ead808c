"""``python -m strata_rag``."""

from strata_rag.cli.app import main

if __name__ == "__main__":
    main()
