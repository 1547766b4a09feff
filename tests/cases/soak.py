# SPDX-License-Identifier: BSD-3-Clause
"""
Random programs (tests/soak) do the same with the agent as without: status, output, files; none hangs,
and each archive is true; of every tenth all commands tell the same. The seed says also whose allocator the
program has, in which namespace the program runs, what the agent is asked for, and who makes the archive.

    SOAK=500           so many programs in place of 50
    SEED=1000          the first seed; the others follow it
    OPS="3 7"          only the operations 3 to 7 of the script, to find the one that matters;
                       OPS=keys: nothing but one operation of this name
    WAY=agent          by this way only (tests/lib/matrix.py)
"""

import concurrent.futures
import glob
import os
import random
import shutil

import matrix
from agree import agree
from patience import HANG_S

of = "agent"
SOAK, SEED = int(os.environ.get("SOAK", "50")), int(os.environ.get("SEED", "0"))
OPS, WAY = os.environ.get("OPS", "").split(), os.environ.get("WAY")
WORKERS = 2
# A sample is a signal: on whatever stack the thread has it takes what the kernel saves there. Other
# allocators need more of the stack than the C library's, where a thread begins.
ROOM = {"SOAK_ROOM": "16384"}

# (likelihood in percent, variable, values)
SETTINGS = [
    (60, "SPUR_BUFFER", ["512K"]),
    (30, "SPUR_FLUSH", ["ring", "stop"]),
    (25, "SPUR_PTHREAD", ["all", "contended", "lifetime"]),
    (30, "SPUR_MEMORY", ["on", "1", "64K"]),
    (30, "SPUR_IO", ["posix", "all"]),
    (15, "SPUR_SITES", ["on"]),
    (20, "SPUR_SAMPLE", ["500", "page-faults:10"]),
    (15, "SPUR_UNWIND", ["8"]),
    (20, "SPUR_METRICS", ["rusage:minflt", "rusage:maxrss,rusage:utime"]),
    (15, "SPUR_MIN_DURATION", ["1us"]),
    (20, "SPUR_WRAP", ["pthread", "process,pthread"]),
    (10, "SPUR_LIMIT", ["1M"]),
    (10, "SPUR_CLOCK", ["monotonic"]),
]

# (of a hundred, what): the program's file, the library before the agent, what stands before the command
PROGRAMS = [(70, "soak"), (30, "soak_own")]
PRELOADED = [(75, ""), (10, "libjemalloc.so.2"), (10, "libtcmalloc_minimal.so.4"), (5, "libomp.so.5")]
PLACES = [(80, ()),
          (10, ("unshare", "-m", "sh", "-c", 'umount -l /proc && exec "$@"', "sh")),
          # The first process of a namespace of pids cannot be killed by its own signals: the shell is that.
          (10, ("unshare", "-p", "-f", "--mount-proc", "sh", "-c", '"$@"; exit $?', "sh"))]


def one_of(draw, rows):
    shares, values = zip(*rows)
    return draw.choices(values, shares)[0]


def drawn(seed):
    """The way, the settings, and how the program is started."""
    draw = random.Random(seed)
    settings = {}
    for percent, name, values in SETTINGS:
        value = draw.choice(values)
        if draw.randrange(100) < percent:
            settings[name] = value
    way = WAY or draw.choice(sorted(matrix.WAYS))
    return way, settings, [one_of(draw, rows) for rows in (PROGRAMS, PRELOADED, PLACES)]


def try_seed(run, seed):
    """None, or what is wrong."""
    for left in glob.glob(os.path.join(run.scratch, f"{seed}.*")):
        shutil.rmtree(left, ignore_errors=True)
    way, settings, (name, preloaded, place) = drawn(seed)
    program = os.path.join(run.build, "tests", "soak", name)
    env = dict(ROOM if "SPUR_SAMPLE" in settings or preloaded else {})
    if preloaded:
        env["LD_PRELOAD"] = preloaded
    try:
        cell, = matrix.cells(run, f"{seed}", [*place, program, str(seed), *OPS], [way], settings=settings,
                             archive=None, env=env, timeout=HANG_S)
        for path in cell.archives if seed % 10 == 0 else ():
            agree(run, path)
    except (run.Failed, OSError) as failure:
        said = " ".join(f"{name}={value}" for name, value in settings.items())
        return f"seed {seed}, {way}, {name} {preloaded} {' '.join(place)} {said}: {failure}\n" \
               f"  again: SOAK=1 SEED={seed} tests/run_case.py {run.build} soak\n" \
               f"  script: {program} --list {seed}"
    print(f"seed {seed}, {way}, {len(settings)} settings: {cell.traced.status}", flush=True)
    for path in cell.archives + [os.path.join(run.scratch, folder)
                                 for folder in (cell.folder, f"{seed}.plain")]:
        shutil.rmtree(path)
    return None


def main(run):
    seeds = range(SEED, SEED + SOAK)
    with concurrent.futures.ThreadPoolExecutor(WORKERS) as pool:
        wrong = {seed: line for seed, line in
                 zip(seeds, pool.map(lambda seed: try_seed(run, seed), seeds)) if line}
    print(f"{SOAK} programs, {len(wrong)} of them not as without the agent", *wrong.values(), sep="\n")
    run.expect(not wrong, "the same as without the agent")
