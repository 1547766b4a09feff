# SPDX-License-Identifier: BSD-3-Clause
"""Operations that one thread starts and another completes, each under its own file and id."""

of = "wrappers/mpi"
command = ["{programs}/file_threads{mpi}"]
ranks = 2

BYTES = 40
N = 6


def check(trace, run):
    for rank in range(ranks):
        begun = [values for name, _, values, _ in trace.events(rank << 32)
                 if name == "IoOperationBegin"]
        done = [values for name, _, values, _ in trace.events(rank << 32 | 1)
                if name == "IoOperationComplete"]
        run.equal(len(begun), N, f"operations that rank {rank} begins")
        run.equal(sorted((handle, number, BYTES) for handle, _, _, _, number in begun),
                  sorted((handle, number, count) for handle, count, number in done),
                  f"operations that the other thread of rank {rank} completes")
        run.equal(len({handle for handle, *_ in begun}), 2, "files")
        # The last ones first, of both files in turn.
        of = [[number for handle, *_, number in begun if handle == one]
              for one in sorted({handle for handle, *_ in begun})]
        run.equal([number for _, _, number in done],
                  [numbers[i] for i in (2, 1, 0) for numbers in of], "the order of completion")
