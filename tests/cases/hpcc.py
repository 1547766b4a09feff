# SPDX-License-Identifier: BSD-3-Clause
"""The HPC Challenge benchmark as Debian ships it, on a tiny problem."""

import os
import re
import shutil

from call_places import check_places

of = "wrappers/mpi"
command = ["hpcc"]
ranks = 4
mpi = ["openmpi"]
env = {"OMP_NUM_THREADS": "1", "SPUR_SITES": "on"}
files = {"hpccinf.txt": """HPLinpack benchmark input file
Innovative Computing Laboratory, University of Tennessee
HPL.out      output file name (if any)
8            device out (6=stdout,7=stderr,file)
1            # of problems sizes (N)
96           Ns
1            # of NBs
16           NBs
0            PMAP process mapping (0=Row-,1=Column-major)
1            # of process grids (P x Q)
2            Ps
2            Qs
16.0         threshold
1            # of panel fact
2            PFACTs (0=left, 1=Crout, 2=Right)
1            # of recursive stopping criterium
4            NBMINs (>= 1)
1            # of panels in recursion
2            NDIVs
1            # of recursive panel fact.
1            RFACTs (0=left, 1=Crout, 2=Right)
1            # of broadcast
1            BCASTs (0=1rg,1=1rM,2=2rg,3=2rM,4=Lng,5=LnM)
1            # of lookahead depth
1            DEPTHs (>=0)
2            SWAP (0=bin-exch,1=long,2=mix)
64           swapping threshold
0            L1 in (0=transposed,1=no-transposed) form
0            U  in (0=transposed,1=no-transposed) form
1            Equilibration (0=no,1=yes)
8            memory alignment in double (> 0)
"""}


def output(folder):
    """Which tests passed, and the sizes that follow from the input; no times."""
    with open(os.path.join(folder, "hpccoutf.txt"), encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [re.sub(r"PASSED.*", "PASSED", line) for line in lines
            if re.match(r"(Success|\w+_N|\w+Procs|\w+Errors)=", line) or "residual checks" in line]


def check(trace, run):
    run.expect("Success=1" in output(os.path.join(run.scratch, "outer")), "success")
    run.equal(trace.processes(), list(range(ranks)), "processes")
    run.expect(trace.kinds()["MpiRecv"] > 100, "more than 100 receives")
    check_places(run, trace, "MPI_", module=os.path.realpath(shutil.which("hpcc")))
