"""The engines' part of the composition root: from a config to its collections."""

from __future__ import annotations

from strata_rag.config import ExperimentConfig
from strata_rag.experiment.workspace import Workspace
from strata_rag.index import EmbeddedCollections, ServerAddress, ServerClient, ServerCollections, ServerLayout

LOCAL_SERVER = "http://localhost:6333"
"""What ``index.url: null`` means."""


def embedded_collections(config: ExperimentConfig, workspace: Workspace) -> EmbeddedCollections:
    """Return the collections of the embedded engine in the workspace."""
    index = config.index
    return EmbeddedCollections(
        workspace.collections,
        lock_timeout=index.lock_timeout,
        m=index.hnsw.m,
        ef_construct=index.hnsw.ef_construct,
        ef_search=config.retrieval.ef_search,
    )


def server_collections(config: ExperimentConfig, workspace: Workspace) -> ServerCollections:
    """Return the collections on the config's server; nothing is asked of it yet."""
    index = config.index
    address = ServerAddress(
        index.url or LOCAL_SERVER,
        api_key=workspace.environ.get(index.api_key_env) or None,
        api_key_env=index.api_key_env,
        grpc=index.grpc,
        timeout=index.timeout,
    )
    layout = ServerLayout(
        m=index.hnsw.m,
        ef_construct=index.hnsw.ef_construct,
        shard_number=index.shard_number,
        replication_factor=index.replication_factor,
        write_consistency_factor=index.write_consistency_factor,
        on_disk=index.on_disk,
        quantization=index.quantization,
    )
    return ServerCollections(
        ServerClient(address),
        workspace.collections,
        lock_timeout=index.lock_timeout,
        layout=layout,
        ef_search=config.retrieval.ef_search,
        oversampling=index.oversampling,
    )
