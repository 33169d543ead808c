"""Options that ``strata compare`` and ``strata report`` share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

if TYPE_CHECKING:
    from strata_rag.evaluation import Correction

Primary = Annotated[
    str | None,
    typer.Option(
        "--measure", help="The primary measure; by default nDCG@10, or the first that all runs have."
    ),
]
Method = Annotated[
    str, typer.Option("--correction", metavar="holm|max", help="How p-values of several pairs are corrected.")
]
Alpha = Annotated[float, typer.Option("--alpha", help="Level of the decisions over all pairs.")]
Seed = Annotated[int, typer.Option("--seed", min=0, help="Of all random draws.")]
Common = Annotated[
    bool, typer.Option("--common", help="Compare the questions that runs over different golden sets share.")
]


def check_alpha(alpha: float) -> float:
    """Return a level between 0 and 1.

    Raises:
        BadParameter: It is none.
    """
    if not 0 < alpha < 1:
        raise typer.BadParameter(f"--alpha: expected a number between 0 and 1, found {alpha:g}")
    return alpha


def check_correction(name: str) -> Correction:
    """Return the correction of this name.

    Raises:
        BadParameter: There is none.
    """
    from strata_rag.evaluation import CORRECTIONS

    found = next((known for known in CORRECTIONS if known == name), None)
    if found is None:
        raise typer.BadParameter(f"--correction: expected {' or '.join(CORRECTIONS)}, found {name!r}")
    return found
