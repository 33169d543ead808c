"""Whether a collection is the one that a config and its model would make."""

from __future__ import annotations

from strata_rag.errors import CollectionError
from strata_rag.index import CollectionRecord


def require_own(record: CollectionRecord | None, expected: CollectionRecord) -> None:
    """Refuse a collection of another config that bears this one's name, or of another dimension."""
    if record is None:
        return
    if record.says != expected.says:
        raise CollectionError(
            f"{record.name}: expected a collection of this config, found one made by another that has the same name",
            hint="give the experiment another name",
        )
    if record.dimension != expected.dimension:
        raise _dimension_mismatch(record, expected)


def require_same(record: CollectionRecord, expected: CollectionRecord) -> None:
    """Refuse to search a collection that another config, model or version of our stages has made."""
    if record.dimension != expected.dimension:
        raise _dimension_mismatch(record, expected)
    if differences := record.differences(expected):
        shown = "; ".join(differences[:3]) + (" ..." if len(differences) > 3 else "")
        raise CollectionError(
            f"{record.name}: expected a collection made by this config and model, found other origins ({shown})",
            hint="run `strata ingest CONFIG`; it rewrites what is affected",
        )


def _dimension_mismatch(record: CollectionRecord, expected: CollectionRecord) -> CollectionError:
    """Return the error for a collection whose vectors have another length than the model's."""
    return CollectionError(
        f"{record.name}: expected vectors of dimension {record.dimension}, as the collection holds, "
        f"found a model of dimension {expected.dimension} ({expected.model['id']})",
        hint="give the experiment a new name, or run `strata ingest CONFIG --recreate` to replace the collection",
    )
