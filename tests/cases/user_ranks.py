# SPDX-License-Identifier: BSD-3-Clause
"""SPUR_START=off, and the program switches recording on for one iteration of its ranks."""

of = "wrappers/user include/spur"
command = ["{programs}/user_ranks{mpi}"]
ranks = 4
env = {"SPUR_START": "off"}


def stdout(text):
    return sorted(text.splitlines())


def check(trace, run, wanted):
    run.equal(trace.regions(), {"iteration": 4, "MPI_Sendrecv": 4, "MPI_Allreduce": 4}, "regions")
    kinds = trace.kinds()
    run.equal((kinds["MpiSend"], kinds["MpiRecv"]), (4, 4), "messages")
    for stream in trace.streams:
        events = [(name, values) for name, _, values, _ in trace.events(stream.location)]
        modes = [values[0] for name, values in events if name == "MeasurementOnOff"]
        run.equal(modes, [2, 1, 2], "off from the start, on, off")
        told = [(trace.archive.name_of("Parameter", values[0]), values[1]) for name, values in events
                if name == "ParameterUnsignedInt"]
        number = [value for name, value in told if name == "number"]
        run.equal(number, [wanted(stream.process)], "the iteration that was wanted")
        missed = [value for name, value in told if name == "MPI not recorded"]
        # A message each way and an operation before it; and MPI_Init, or what follows.
        run.expect(missed.count(number[0]) >= 3, f"what was left out before: {told}")


def main(run):
    for label, more, wanted in (("even", [], lambda rank: 10),
                                ("uneven", ["uneven"], lambda rank: 10 + rank % 2)):
        words = run.launcher() + run.command() + more
        check(run.standard(label, words)[1], run, wanted)
