# SPDX-License-Identifier: BSD-3-Clause
"""
attach_lammps.py SPUR FOLDER: LAMMPS runs until a file says that its ranks are recorded, then 50 steps more.
Then it does the same work again, recorded from its start: what the ranks call must end as in the first run.
ATTACH_LAMMPS_SEED=N repeats the moment of the attach.
"""

import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import openmpi  # noqa: E402
from patience import HANG_S  # noqa: E402
from seeded import Seeded  # noqa: E402

SPUR, FOLDER = sys.argv[1], pathlib.Path(sys.argv[2])
MOST_ROUNDS = 2000
tester = Seeded("ATTACH_LAMMPS", str(FOLDER))
fault, same = tester.fault, tester.same

MELT = """
units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 5 0 5 0 5
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
fix 1 all nve
thermo 10
variable round loop 2000
label again
run 10 post no
print begun file begun screen no
include state
if "${is_marked}" then "jump SELF over"
next round
jump SELF again
label over
variable round delete
run 50
"""
# What tells the time, and what the clock has to do with.
TIMES = (r"(?<=CPU = )\S+", r"(?<=Loop time of )\S+", r"(?<=Total wall time: )\S+", r"(?<=Performance: ).*",
         r"\S+% (?=CPU use)", r"(?m)(?<=^Pair|^Comm) .*", r"(?m)(?<=^Neigh|^Other) .*",
         r"(?m)(?<=^Output|^Modify) .*")


def set_mark(value):
    """At once: LAMMPS may be about to read it."""
    (FOLDER / "next").write_text(f"variable is_marked equal {value}\n")
    os.replace(FOLDER / "next", FOLDER / "state")


def start(*before):
    words = [*before, "mpirun.openmpi", "-n", "2", "lmp", "-in", "in.melt", "-log", "none"]
    env = {**tester.env, **openmpi.PATIENT, "OMP_NUM_THREADS": "1", "SPUR_VERBOSE": "0"}
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=FOLDER,
                            env=env)


def end(what, process):
    """What LAMMPS has printed, but for times."""
    try:
        out, errors = process.communicate(timeout=HANG_S)
    except subprocess.TimeoutExpired:
        process.kill()
        fault(f"{what}: it hangs")
        sys.exit(1)
    same(f"{what}: status, errors", (process.returncode, errors), (0, ""))
    for pattern in TIMES:
        out = re.sub(pattern, "*", out)
    return out


def spur(*words):
    return subprocess.run([SPUR, *map(str, words)], capture_output=True, text=True, timeout=HANG_S)


def calls_of(archive):
    """{rank: what it calls and sends, in order}"""
    got = spur("check", "--strict", archive)
    same(f"{archive.name}: check", (got.returncode, got.stdout if got.returncode else ""), (0, ""))
    text = spur("print", archive / "traces.otf2").stdout
    off, on = ([int(at) for at in re.findall(rf"^MEASUREMENT_ON_OFF +\d+ +(\d+) +Mode: {mode}$", text, re.M)]
               for mode in ("OFF", "ON"))
    if on and max(off) > min(on):
        fault(f"{archive.name}: a rank records while another one is not ready")
    calls = {}
    for record, location, rest in re.findall(r"^(ENTER|MPI_SEND|MPI_ISEND) +(\d+) +\d+ +(.*)$", text, re.M):
        said = re.search(r'"(MPI_\w+)"', rest) if record == "ENTER" else re.search(r"Length: \d+", rest)
        if said:
            calls.setdefault(int(location) >> 32, []).append(said[0])
    return calls


def attached(archive):
    """What LAMMPS prints."""
    set_mark(0)
    run = start()
    stop = time.time() + HANG_S
    while not (FOLDER / "begun").exists() and time.time() < stop:
        time.sleep(0.01)
    time.sleep(tester.draw.uniform(0, 0.3))
    ranks = subprocess.run(["pgrep", "-P", str(run.pid), "-x", "lmp"], capture_output=True, text=True)
    ranks = ranks.stdout.split()
    same("ranks", len(ranks), 2)
    got = spur("attach", "-o", archive, *ranks)
    same("attach", (got.returncode, got.stderr, got.stdout.count("\n")), (0, "", 2))
    set_mark(1)
    return end("attached", run)


def main():
    print(f"{tester.name}={tester.seed}", flush=True)
    (FOLDER / "in.melt").write_text(MELT)
    printed = attached(FOLDER / "attached")
    rounds = printed.count("Loop time") - 1
    if not 0 < rounds < MOST_ROUNDS:
        fault(f"LAMMPS has made {rounds} rounds")
    set_mark(f"v_round>={rounds}")
    plain = end("plain", start())
    same("what LAMMPS prints", printed, plain)
    whole = end("recorded", start(SPUR, "-o", "recorded"))
    same("what LAMMPS prints under spur", whole, plain)
    since, all_calls = calls_of(FOLDER / "attached"), calls_of(FOLDER / "recorded")
    same("ranks that call", (sorted(since), sorted(all_calls)), ([0, 1], [0, 1]))
    for rank, calls in since.items():
        # The last run alone sends six messages a step.
        if not 300 < len(calls) < len(all_calls[rank]):
            fault(f"rank {rank}: {len(calls)} calls and messages, of {len(all_calls[rank])} in all")
        # What the call that was under way has sent is not known.
        for i, (call, other) in enumerate(zip(reversed(calls[1:]), reversed(all_calls[rank]))):
            if call != other:
                fault(f"rank {rank}: of {len(calls)} calls, the last but {i} is {call}, and was {other}")
                break
    sys.exit(tester.faults != 0)


main()
