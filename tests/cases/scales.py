# SPDX-License-Identifier: BSD-3-Clause
"""
Efficiencies side by side, of a program on 1, 2 and 4 ranks that measures its own; and what changed
between two of these runs, by call site and by waits.
"""

import json
import os

from compare_model import Model
from report_schema import report_faults
from reported import Reported

of = "tools/report/compare"
mpi = ["mpich", "openmpi"]
RANKS = (1, 2, 4)
PART = 0.1  # of a figure; what happens between the program's clock and the agent's is in both


def report(run, *words):
    value = json.loads(run.says("report", "--json", *words))
    run.equal(report_faults(value), [], "the schema")
    return value


def check(run, value, truths, places):
    run.equal([(one["ranks"], one["cpus"], one["no_split"]) for one in value["compared"]],
              [(n, n, None) for n in RANKS], "runs")
    rows = {(row["ranks"], row["figure"]): row["value"] for row in value["sections"]["scaling"]}
    for n, truth in truths.items():
        works = [truth[f"work{rank}"] for rank in range(n)]
        truth["runtime"] = max(truth[f"runtime{rank}"] for rank in range(n))
        truth["work"], truth["most"] = sum(works), max(works)
        wanted = {"runtime": truth["runtime"], "work": truth["work"],
                  "load_balance": 100 * truth["work"] / n / truth["most"],
                  "communication_efficiency": 100 * truth["most"] / truth["runtime"],
                  "speedup": truths[1]["runtime"] / truth["runtime"]}
        got = {figure: rows[n, figure] for figure in wanted}
        print(f"  {n} ranks: {got}, serialisation {rows[n, 'serialisation']}")
        for figure in wanted:
            run.expect(abs(got[figure] - wanted[figure]) <= PART * wanted[figure],
                       f"{figure} of {n} ranks: {got[figure]}, not {wanted[figure]}")
        figures = Model(os.path.join(places[n], "traces.otf2")).figures()
        for figure in ("load_balance", "communication_efficiency", "serialisation", "transfer"):
            run.expect(abs(rows[n, figure] - figures[figure]) < 1e-6,
                       f"{figure} of {n} ranks: {rows[n, figure]}, not {figures[figure]} of the model")


def main(run):
    got = {n: Reported(run, f"ranks{n}", "{programs}/scales{mpi}", ["--sites"], ranks=n) for n in RANKS}
    check(run, report(run, *(got[n].place for n in reversed(RANKS))),
          {n: one.truth for n, one in got.items()}, {n: one.place for n, one in got.items()})
    value = report(run, got[1].place, "--diff", got[4].place, "--by", "sites,waits")["sections"]
    sites = {(row["site"].partition(":")[0], row["region"]) for row in value["diff_sites"]}
    run.expect(("scales.c", "MPI_Recv") in sites, f"sites {sites}")
    late = [row for row in value["diff_waits"] if (row["region"], row["why"]) == ("MPI_Recv", "late sender")]
    run.expect(late and late[0]["change"] > 0.02 and late[0]["before"] == 0, f"waits {late}")
