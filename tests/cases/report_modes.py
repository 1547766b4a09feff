# SPDX-License-Identifier: BSD-3-Clause
"""
One program of two ranks, recorded in several ways: what its calls of MPI and its own work took is the
same in all reports, and what the program itself has measured; or the report has no number.
"""

import os

from reported import Reported

of = "tools/report/topics"
mpi = ["mpich", "openmpi"]


def efficiency(truth):
    work = [truth[f"all{rank}"] - truth[f"mpi{rank}"] for rank in (0, 1)]
    return 100.0 * sum(work) / 2 / max(truth["all0"], truth["all1"])


def as_measured(run, got):
    """Time in MPI, and how well the ranks use theirs."""
    truth, sections = got.truth, got.json["sections"]
    calls = {row["function"]: row["time"] for row in sections["mpi_functions"]}
    inside = sum(time for name, time in calls.items()
                 if name in ("MPI_Send", "MPI_Recv", "MPI_Allreduce"))
    got.near("calls of MPI", inside, truth["mpi0"] + truth["mpi1"], 0.05, 0.1)
    figures = {row["figure"]: row["percent"] for row in sections["efficiency"]}
    got.near("parallel efficiency", figures.get("parallel efficiency"), efficiency(truth), 0.0, 8.0)
    late = sum(row["late_sender"] for row in sections["messages"])
    run.expect(late > 0.5 * truth["mpi1"] * 0.3, f"waits for late sends, got {late}\n{got.text}")
    return calls


def sampled(run):
    got = Reported(run, "sampled", "{programs}/phases{mpi}", ["--sample", "100"], ranks=2)
    as_measured(run, got)
    sampled_time = sum(row["self"] or 0 for row in got.rows.values() if row["paradigm"] == "SAMPLING")
    work = got.truth["work0"] + got.truth["work1"]
    got.near("work", got.total("work"), work, 0.2, 0.1)
    got.near("CPU time outside of MPI", sampled_time, work, 0.2, 0.1)
    own = ("work", "truth_", "[vdso]", "main", "(program)", "MPI_", "Reading", "rank", "The load")
    for finding in got.json["findings"]:
        run.expect(any(name in finding["text"] for name in own), f"a finding of the program: {finding}")


def unknown(run, got, what):
    """Calls of MPI are missing, and no number needs them."""
    sections = got.json["sections"]
    run.equal(sections["efficiency"], [], f"efficiencies without {what}")
    run.equal({row["work"] for row in sections["mpi_processes"]}, {None}, "work of the ranks")
    run.equal({row["mpi_percent"] for row in sections["processes"]}, {None}, "time in MPI")
    run.expect(what in "".join(got.json["remarks"]), f"{what} in the remarks {got.json['remarks']}")
    run.expect("imbalance" not in {finding["kind"] for finding in got.json["findings"]},
               f"no word on what ranks do outside of MPI: {got.json['findings']}")


def left_out(run):
    """The call in which ranks wait for each other is not there: what looks like work may be waiting."""
    rules = os.path.join(run.scratch, "filter")
    with open(rules, "w", encoding="utf-8") as file:
        file.write("SCOREP_REGION_NAMES_BEGIN\nEXCLUDE MPI_Recv\nSCOREP_REGION_NAMES_END\n")
    got = Reported(run, "filtered", "{programs}/phases{mpi}", ["--filter", rules], ranks=2)
    run.equal(got.json["missing"], ["MPI_Recv"], "what was left out")
    unknown(run, got, "MPI_Recv")
    run.equal({row["late_sender"] for row in got.json["sections"]["messages"]}, {None}, "waits")
    got = Reported(run, "groups", "{programs}/phases{mpi}", ranks=2, env={"SPUR_MPI": "env,coll"})
    unknown(run, got, "env,coll")
    got = Reported(run, "default", "{programs}/phases{mpi}", ranks=2, env={"SPUR_MPI": "default,type"})
    as_measured(run, got)
    got = Reported(run, "short", "{programs}/phases{mpi}", ["--min-duration", "1us"], ranks=2)
    as_measured(run, got)  # what is that short does not matter


def ring(run):
    """The chat before is dropped, so what was before the first record is not known; the rest is."""
    got = Reported(run, "ring", "{programs}/phases{mpi} chat", ranks=2,
                   env={"SPUR_FLUSH": "ring", "SPUR_BUFFER": "256K"})
    as_measured(run, got)


def paused(run):
    """As much again that was not recorded is in no number, but told apart."""
    got = Reported(run, "paused", "{programs}/phases{mpi} pause", ranks=2)
    as_measured(run, got)
    run.expect(got.json["not_recorded"] > got.truth["all0"], f"not recorded: {got.json['not_recorded']}")


def limited(run):
    """The chat is all that is recorded: no number speaks of the rest."""
    got = Reported(run, "limited", "{programs}/phases{mpi} chat", ranks=2, env={"SPUR_LIMIT": "256K"})
    said = "".join(got.json["remarks"])
    run.expect("stopped recording" in said, f"the limit in the remarks: {said}")
    functions = {row["function"] for row in got.json["sections"]["mpi_functions"]}
    run.expect("MPI_Sendrecv" in functions and "MPI_Allreduce" not in functions,
               f"calls of the chat alone, not {functions}")
    run.expect(got.json["not_recorded"] > got.truth["all0"], f"not recorded: {got.json['not_recorded']}")


def main(run):
    ring(run)
    paused(run)
    limited(run)
    as_measured(run, Reported(run, "plain", "{programs}/phases{mpi}", ranks=2))
    sampled(run)
    as_measured(run, Reported(run, "stacked", "{programs}/phases{mpi}", ["--unwind", "20"], ranks=2))
    left_out(run)
