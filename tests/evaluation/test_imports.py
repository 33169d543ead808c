import os
import subprocess
import sys

HEAVY = {"scipy", "torch", "pandas", "matplotlib", "qdrant_client", "pytrec_eval", "ir_measures"}


def test_the_package_imports_nothing_heavy_and_nothing_above_it():
    code = "import sys, strata_rag.evaluation; print(*sorted(sys.modules))"
    env = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    child = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=env)
    loaded = child.stdout.split()
    assert not HEAVY & {name.split(".")[0] for name in loaded}
    ours = {name.split(".")[1] for name in loaded if name.startswith("strata_rag.")}
    assert not ours & {"cli", "experiment", "report", "config"}
