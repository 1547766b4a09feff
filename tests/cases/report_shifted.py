# SPDX-License-Identifier: BSD-3-Clause
"""
Messages and collective operations of ranks whose records begin at different ones: in a ring, behind
pauses of different length. Who waited for whom is as the program knows, and where one side is missing
nothing is said of clocks. Where all is shifted by one, hardly anybody waits.

The program measures with what the processor does in between; and it also waits in the phases before.
"""

from reported import Reported

of = "tools/report/causes"
mpi = ["mpich", "openmpi"]
PROGRAM = "{programs}/shifted{mpi}"
OTHERS = 0.25  # of what was measured is waiting for the other rank, even where processors are scarce


def waits(got):
    """The second rank's, by what for."""
    row = [row for row in got.json["sections"]["mpi_processes"] if row["process"] == "rank 1"]
    return (row[0]["late_sender"], row[0]["collectives"]) if row else (0, 0)


def check(run, got, are_missing):
    times = {row["function"]: row["time"] for row in got.json["sections"]["mpi_functions"]}
    late, meeting = waits(got)
    print(f"    late senders: {late}, collectives: {meeting}")
    for name, value, most in (("receiving", late, times["MPI_Recv"]),
                              ("meeting", meeting, sum(times.values()))):
        run.expect(OTHERS * got.truth[name] < value <= most, f"{name}: {value}\n{got.text}")
    said = "".join(got.json["remarks"])
    run.expect("clock" not in said and "before" not in said, f"one clock: {said}")
    run.equal("other side was not recorded" in said, are_missing, f"remarks: {said}")


def limited(run):
    """It ends before the phase that counts."""
    got = Reported(run, "limited", PROGRAM, ranks=2, env={"SPUR_LIMIT": "256K"})
    said = "".join(got.json["remarks"])
    run.expect("stopped recording" in said and "clock" not in said, f"remarks: {said}")
    run.expect(max(waits(got)) < got.truth["receiving"], f"not recorded: {waits(got)}")


def main(run):
    ring = {"SPUR_FLUSH": "ring", "SPUR_BUFFER": "256K"}
    check(run, Reported(run, "plain", PROGRAM, ranks=2), False)
    got = Reported(run, "ring", PROGRAM, ranks=2, env=ring)
    run.expect(got.json["events"] < 115000, "records that were dropped")
    check(run, got, True)
    for label, options, env in (("paused", [], None), ("both", [], ring),
                                ("sampled", ["--sample", "100"], None),
                                ("stacked", ["--unwind", "10"], None)):
        check(run, Reported(run, label, PROGRAM + " pause", options, ranks=2, env=env), True)
    limited(run)
