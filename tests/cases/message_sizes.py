# SPDX-License-Identifier: BSD-3-Clause
"""
How large messages are: the program counts its own by powers of two. SPUR_TEST_SEED sets the seed,
which the output has.
"""

import collections
import csv
import io
import os
import random
import re

of = "wrappers/mpi tools/report/topics"
mpi = ["mpich", "openmpi"]


def counted(rows):
    """{(communicator, kind, bits): [count, bytes]}"""
    return {(row["communicator"], row["kind"], int(row["from_bytes"]).bit_length()):
            [int(row["count"]), int(row["bytes"])] for row in rows}


def main(run):
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    command = run.command(["{programs}/message_sizes{mpi}"])
    result, place = run.record("sizes", [*run.launcher(2), *command, seed])
    run.spur_check(place, False)
    truth, seconds = collections.defaultdict(lambda: [0, 0]), {}
    for comm, kind, bits, count, volume in map(str.split, result.stdout.splitlines()):
        if comm == "time":
            seconds[int(bits)] = int(count) * 1e-9
            continue
        truth[comm, kind, int(bits)][0] += int(count)
        truth[comm, kind, int(bits)][1] += int(volume)

    found = run.report(place)["sections"]
    rows = found["sizes"]
    got = counted(rows)
    # MPI_Init, MPI_Finalize, MPI_Comm_dup and MPI_Comm_free are operations of all ranks without bytes.
    for comm, least in (("MPI_COMM_WORLD", 4), ("pairs", 2)):
        key = (comm, "collective", 0)
        beside = got[key][0] - truth[key][0]
        run.expect(beside >= least and beside % 2 == 0, f"{beside} other operations without bytes")
        truth[key][0] += beside
    run.equal(got, dict(truth), "sizes")
    run.equal([(row["from_bytes"], row["below_bytes"]) for row in rows],
              [(1 << bits - 1 if bits else 0, 1 << bits) for bits in
               (row["from_bytes"].bit_length() for row in rows)], "powers of two")
    for comm, kind, _ in got:
        parts = [row["count_percent"] for row in rows if (row["communicator"], row["kind"]) == (comm, kind)]
        run.expect(abs(sum(parts) - 100) < 1e-6, f"percent of {kind} on {comm}: {parts}")
    # All calls that count once: those that only post a receive, or a collective, have no size.
    calls = {row["function"]: row["time"] for row in found["mpi_functions"]}
    sized = sum(time for name, time in calls.items() if name not in
                ("MPI_Comm_rank", "MPI_Comm_size", "MPI_Comm_set_name", "MPI_Irecv", "MPI_Ibcast"))
    timed = sum(row["time"] for row in rows)
    run.expect(abs(timed - sized) < 1e-6 + 0.02 * sized, f"{timed} s by size, {sized} s by function")
    of_program = sum(row["time"] for row in rows if row["kind"] == "point-to-point")
    run.expect(0 < of_program <= sum(seconds.values()), f"{of_program} s of messages, {seconds}")

    said = run.says("report", place, "--csv", "--by", "sizes", "--threads", "2")
    by_csv = list(csv.DictReader(io.StringIO(said)))
    run.equal(counted(by_csv), got, "CSV, by two threads")
    text = run.says("report", place, "--by", "sizes")
    run.expect(re.search(r"Message sizes\n +communicator +kind +from +below +count", text), text)
    parts = collections.defaultdict(lambda: [0, 0])
    for rank in "01":
        alone = run.report(place, "--process", rank)["sections"]["sizes"]
        for key, (count, volume) in counted(alone).items():
            run.expect(count < got[key][0] or key[2] or key[1] == "point-to-point", f"{key} of rank {rank}")
            parts[key] = [parts[key][0] + count, parts[key][1] + volume]
    run.equal(dict(parts), got, "both ranks")
