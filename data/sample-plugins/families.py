"""The two families of the sample, each with its roster in data/sample-rosters."""

from strata_rag.plugins import register_family


def reference(document):
    """Return the key of a document of the port: harbor/tickets/kv20471.txt stands in the roster as KV20471."""
    return document.doc_id.rpartition("/")[2].partition(".")[0].upper()


register_family("atlas", "atlas", numbers=("year",))  # the roster's keys are paths
register_family("harbor", "harbor", column="reference", key=reference, numbers=("year",))
