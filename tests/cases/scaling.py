# SPDX-License-Identifier: BSD-3-Clause
"""
What stops the scaling of a program on 1, 2 and 4 ranks is planted: the comparison names what grows in the
time that the efficiencies cover, and of the largest run the rank, the line and the gain.
"""

import json
import os
import re

from reported import Reported

of = "tools/report/compare"
mpi = ["mpich", "openmpi"]
RANKS = (1, 2, 4)
SERIAL_S, UNEVEN_S = 0.2, 0.16  # of rank 0 alone; by which the last rank does more than the others
SOURCE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "programs", "scaling.c")


def step_line():
    with open(SOURCE, encoding="utf-8") as file:
        return next(i for i, line in enumerate(file, 1) if "/* each step */" in line)


def compare(run, plant):
    program = "{programs}/scaling{mpi} " + plant
    got = [Reported(run, f"{plant}{n}", program, ["--sites"], ranks=n) for n in RANKS]
    return json.loads(run.says("report", "--json", *(one.place for one in got)))


def main(run):
    after = f"its own code after MPI_Allreduce at scaling.c:{step_line()}"
    for plant, rank, of_mpi, gain in (("serial", "rank 0", "MPI_Bcast", SERIAL_S),
                                      ("uneven", "rank 3", "MPI_Allreduce", UNEVEN_S),
                                      ("messages", None, None, 0.0)):
        value = compare(run, plant)
        stops = value["stops"]
        print(f"  {plant}: {stops}")
        run.expect("MPI_Init" not in stops and "MPI_Finalize" not in stops, f"{plant}: the frame in {stops}")
        rows = {row["region"]: row for row in value["sections"]["growth"]}
        run.expect("MPI_Init" not in rows or rows["MPI_Init"]["last"] == 0, f"{plant}: {rows}")
        if not rank:
            continue
        run.expect(f"what grows most is {of_mpi}, from " in stops, f"{plant}: {of_mpi} in {stops}")
        run.expect("With 4 CPUs the ranks wait " in stops and f"is {rank}: {after} (" in stops,
                   f"{plant}: {rank}, {after} in {stops}")
        told = re.search(r"gains up to ([0-9.]+) ms", stops)
        run.expect(told and 0.7 * gain < float(told[1]) / 1000 < 1.4 * gain, f"{plant}: {gain} s in {stops}")
