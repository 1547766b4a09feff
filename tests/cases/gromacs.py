# SPDX-License-Identifier: BSD-3-Clause
"""GROMACS moves water in two ranks of its thread-MPI, each with two OpenMP threads."""

import glob
import hashlib
import os

from call_places import check_places

of = "wrappers/openmp"
GMX = "gmx -quiet"
STEPS = 10

command = ["sh", "-e", "water.sh"]
# hwloc would look for devices: an OpenCL library makes threads and calls functions of its own.
env = {"OMP_WAIT_POLICY": "passive", "SPUR_SITES": "on", "HWLOC_COMPONENTS": "-opencl,-gl"}
files = {
    # -reprod: the same steps on the same threads, so that all bits are the same.
    "water.sh": f"""
{GMX} grompp -f md.mdp -c /usr/share/gromacs/top/spc216.gro -p water.top -o water.tpr \\
    -maxwarn 5 >grompp.log 2>&1
{GMX} mdrun -s water.tpr -deffnm md -ntmpi 2 -ntomp 2 -reprod -nb cpu -pin off -c end.gro \\
    >mdrun.log 2>&1
""",
    "md.mdp": f"""
integrator = md
dt = 0.002
nsteps = {STEPS}
nstenergy = 5
nstcalcenergy = 5
coulombtype = PME
rcoulomb = 0.7
rvdw = 0.7
fourierspacing = 0.16
gen-vel = yes
gen-temp = 300
gen-seed = 1
""",
    "water.top": """
#include "oplsaa.ff/forcefield.itp"
#include "oplsaa.ff/spc.itp"
[ system ]
water
[ molecules ]
SOL 216
"""}


def is_refused(folder):
    """GROMACS ends at once on a processor without an instruction that its packages are built for."""
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as cpus:
        flags = cpus.read().split()
    with open(os.path.join(folder, "mdrun.log"), encoding="utf-8") as file:
        log = file.read()
    return "rdtscp" not in flags and "compiled to use the rdtscp CPU instruction" in log


def output(folder):
    """Energies and places; the logs have times."""
    if is_refused(folder):
        return ["refused"]
    hashes = []
    for name in ("md.edr", "end.gro"):
        with open(os.path.join(folder, name), "rb") as file:
            hashes.append(hashlib.sha256(file.read()).hexdigest())
    return hashes


def regions_of(trace, construct, function):
    """How often a thread was in the construct in a function, whose parameters do not matter."""
    return sum(n for name, n in trace.regions().items()
               if name.startswith(f"!$omp {construct} @{function}("))


def check(trace, run):
    if is_refused(os.path.join(run.scratch, "outer")):
        run.equal((run.plain.status != 0, len(trace.processes())), (True, 3), "a refusal, of three processes")
        print("not tried: ranks and threads of GROMACS, which this processor (without rdtscp) does not run")
        return
    with open(os.path.join(run.scratch, "outer", "md.log"), encoding="utf-8") as file:
        log = file.read()
    run.expect("Using 2 MPI threads" in log, "two ranks")
    run.expect("Using 2 OpenMP threads" in log, "two threads each")
    # The ranks are threads of pthread_create(), and so are, for libgomp, their helpers.
    md = max(trace.processes(), key=lambda p: sum(s.process == p for s in trace.streams))
    streams = [stream for stream in trace.streams if stream.process == md]
    kinds = trace.kinds(streams)
    run.equal(len(streams), 4, "threads")
    run.equal(kinds["ThreadCreate"], 3, "ThreadCreate")
    run.equal(kinds["ThreadFork"], kinds["ThreadJoin"], "joins")
    run.equal(kinds["ThreadTeamBegin"], 2 * kinds["ThreadFork"], "members of teams")
    # A function that ends with a barrier jumps to it: it returns to the agent, whose name is not meant.
    own = [name for name in trace.regions() if "gomp_" in name or "libspur" in name]
    run.equal(own, [], "regions of the agent's own")
    # Both ranks, both threads, every step and the first.
    for function in ("nonbonded_verlet_t::dispatchNonbondedKernel", "gmx_pme_do"):
        count = regions_of(trace, "parallel", function)
        run.expect(count and count % (4 * (STEPS + 1)) == 0, f"all steps in {function}, not {count}")
    library, = glob.glob("/usr/lib/*/libgromacs.so.7")
    check_places(run, trace, "pthread_", library=library)
