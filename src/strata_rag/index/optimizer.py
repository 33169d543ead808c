"""The child process that optimises a shard: ``python -m strata_rag.index.optimizer FOLDER``."""

from __future__ import annotations

import ctypes
import signal
import sys

_PR_SET_PDEATHSIG = 1


def main(folder: str) -> None:
    """Optimise the shard in `folder` until nothing is left to do."""
    import qdrant_edge

    if sys.platform == "linux":  # a parent that is killed takes its child along, so that no two write at once
        ctypes.CDLL(None).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the group; the parent decides
    shard = qdrant_edge.EdgeShard.load(folder)
    shard.optimize()
    shard.flush()
    shard.close()


if __name__ == "__main__":
    main(sys.argv[1])
