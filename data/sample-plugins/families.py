"""The two families of the sample, each with its roster in data/sample-rosters."""

from strata_rag.plugins import register_family

register_family("atlas", "atlas", numbers=("year",))
register_family("harbor", "harbor", numbers=("year",))
