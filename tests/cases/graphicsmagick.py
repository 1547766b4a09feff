# SPDX-License-Identifier: BSD-3-Clause
"""GraphicsMagick, which Debian builds with OpenMP, on two threads: the pixels stay the same."""

import hashlib
import os

of = "wrappers/openmp"
command = ["gm", "convert", "-size", "400x300", "gradient:blue-yellow", "-blur", "0x3",
           "-resize", "50%", "-rotate", "30", "picture.ppm"]
env = {"OMP_NUM_THREADS": "2", "OMP_WAIT_POLICY": "passive", "SPUR_PTHREAD": "all"}


def output(folder):
    with open(os.path.join(folder, "picture.ppm"), "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()


def check(trace, run):
    run.equal(len(trace.streams), 2, "threads")
    kinds, regions = trace.kinds(), trace.regions()
    of = {construct: sum(n for name, n in regions.items() if name.startswith(f"!$omp {construct} @"))
          for construct in ("parallel", "for")}
    # A loop in each parallel region, of both threads; one region has but one of them.
    run.expect(of["parallel"] >= 10, f"parallel regions in {regions}")
    run.equal(of["for"], of["parallel"], "loops")
    run.expect(regions.get("!$omp parallel @GradientImage", 0) >= 2, "the gradient")
    run.equal(kinds["ThreadTeamBegin"], of["parallel"], "ThreadTeamBegin")
    run.equal(kinds["ThreadFork"], kinds["ThreadJoin"], "joins")
    run.expect(kinds["ThreadTeamBegin"] > kinds["ThreadFork"], "teams of two")
    run.equal(kinds["ThreadAcquireLock"], regions["pthread_mutex_lock"], "locks taken")
    run.equal(kinds["ThreadReleaseLock"], regions["pthread_mutex_unlock"], "given back")
