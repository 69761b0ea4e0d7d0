"""``make bench``: make the environments, run every group, write the tables.

Results: ``docs/benchmarks.md`` between its markers, ``build/benchmarks/results.json``, and
``build/benchmarks/pyperf.json`` for ``python -m pyperf stats`` and ``compare_to``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
import time
from pathlib import Path

import pyperf

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))  # for `benchmarks`; our own code runs in the workers only

from benchmarks import environments, report
from benchmarks.plan import SIDES, groups
from benchmarks.rounds import ROUNDS, run_group

OUT = environments.ROOT / "build" / "benchmarks"
DOCUMENT = environments.ROOT / "docs" / "benchmarks.md"


def main() -> int:
    """Exit status 0 if every aim is reached, else 1; a shortened run writes nothing into the documentation."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", metavar="TEXT", help="groups whose section or title contains TEXT")
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("--keep-environments", action="store_true", help="use the environments as they are")
    options = parser.parse_args()
    if not options.keep_environments:
        environments.make_all()
    started = time.perf_counter()
    rows: list[report.Row] = []
    kept: list[pyperf.Benchmark] = []
    for group in groups():
        if options.only and options.only.lower() not in f"{group.section}, {group.title}".lower():
            continue
        times, values = run_group(group, options.rounds)
        found = report.rows_of(group, times, values)
        rows += found
        for row in found:
            print(
                f"{row.section}: {row.title}: {report.number(row.value)} {row.unit} ({row.measured}) {row.aim} "
                f"{'' if row.reached is None else 'yes' if row.reached else 'NO'}",
                flush=True,
            )
        kept += [_benchmark(f"{group.section}, {group.title}: {label}", found) for label, found in times.items()]
    if not rows:
        print("no group is called that", file=sys.stderr)
        return 2
    machine = _machine(kept[0], time.perf_counter() - started)
    OUT.mkdir(parents=True, exist_ok=True)
    results = {"machine": machine, "rows": [row._asdict() for row in rows]}
    (OUT / "results.json").write_text(json.dumps(results, indent=1, ensure_ascii=False), encoding="utf-8")
    pyperf.BenchmarkSuite(kept).dump(str(OUT / "pyperf.json"), replace=True)
    if options.only is None and options.rounds >= ROUNDS:
        report.put_into(DOCUMENT, report.markdown(rows, machine))
    missed = [row.title for row in rows if row.reached is False]
    print(f"{len(rows)} results, {len(missed)} aims missed" + "".join(f"\n  {title}" for title in missed))
    return 1 if missed else 0


def _benchmark(name: str, values: list[float]) -> pyperf.Benchmark:
    return pyperf.Benchmark([pyperf.Run(values, metadata={"name": name}, collect_metadata=True)])


def _machine(benchmark: pyperf.Benchmark, took: float) -> dict[str, str]:
    metadata = benchmark.get_metadata()
    load = ", ".join(f"{value:.1f}" for value in os.getloadavg())
    versions = []
    for side, (environment, _) in SIDES.items():
        if side in ("analysis", "hosts"):  # ours once more
            continue
        installed = environments.versions(environment)
        own = {
            "ours": "schemarouter",
            "0.17.0": "schemarouter",
            "pycasbin": "casbin",
            "re2 Set": "google-re2",
            "z3": "z3-solver",
        }
        versions.append(f"{side} {installed[own.get(side, side)]}")
    used = environments.versions(environments.OURS)
    versions += [f"{name} {used[name]}" for name in ("ruamel.yaml", "ruamel.yaml.clib", "jsonschema", "pydantic")]
    return {
        "Date": time.strftime("%Y-%m-%d", time.gmtime()),
        "Machine": f"{metadata.get('cpu_model_name', platform.processor())}, {os.cpu_count()} cores, "
        f"{platform.system()}; load at the end {load}; {took:.0f} s",
        "Versions": f"{platform.python_implementation()} {platform.python_version()}; " + ", ".join(versions),
    }


if __name__ == "__main__":
    sys.exit(main())
