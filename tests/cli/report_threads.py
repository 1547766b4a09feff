#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
spur report prints the same for any number of threads: `report_threads.py BUILD [N]`, of N archives that
are drawn (12), of those of report_archives.py, and of one that is read in several rounds. The seed is
printed; SPUR_TEST_SEED sets it.
"""

import os
import random
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
THREADS = (2, 3, 7)
FORMS = (["--json"], [], ["--by", "callpath,messages,locks"], ["--csv", "--by", "region"],
         ["--process", "1", "--wide"], ["--csv", "--by", "cost"],
         ["--by", "sizes"], ["--by", "causes,critical", "--wide"], ["--json", "--causes", "1"])


def run(report, *words):
    done = subprocess.run([report, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def cut(folder):
    """A copy of an archive with one event file that ends too early."""
    copy = folder + ".cut"
    shutil.copytree(folder, copy)
    files = os.path.join(copy, "traces")
    name = max((name for name in os.listdir(files) if name.endswith(".evt")),
               key=lambda name: os.path.getsize(os.path.join(files, name)))
    with open(os.path.join(files, name), "r+b") as file:
        file.truncate(os.path.getsize(file.name) // 2)
    return copy


def main():
    build, n = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "12"
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    report = os.path.join(build, "libexec", "spur", "spur-report")
    rng = random.Random(seed)
    faults = 0
    with tempfile.TemporaryDirectory() as folder:
        known, drawn = os.path.join(folder, "known"), os.path.join(folder, "drawn")
        for script, *words in (("report_archives.py", known), ("report_random.py", drawn, seed, n)):
            subprocess.run([sys.executable, "-B", os.path.join(HERE, script), *words], check=True)
        archives = [os.path.join(base, name) for base in (known, drawn) for name in sorted(os.listdir(base))]
        archives += [cut(archives[-1]), os.path.join(folder, "many")]
        subprocess.run([os.path.join(build, "tests", "fixture-many"), archives[-1], "16", "40000"],
                       stdout=subprocess.DEVNULL, check=True)
        wanted = [[archive, *form] for archive in archives for form in rng.sample(FORMS, 2)]
        wanted += [["--diff", archives[-3], archives[0]]]
        wanted += [[os.path.join(known, "ranks"), os.path.join(known, "teams"), "--any-program", *form]
                   for form in ([], ["--json"])]
        for words in wanted:
            alone = run(report, "--threads", "1", *words)
            threads = rng.choice(THREADS)
            if run(report, "--threads", str(threads), *words) != alone:
                print(f"FAULT: {threads} threads and one differ: spur report", *words)
                faults += 1
            if alone[0] and not words[0].endswith(".cut") and b"no process" not in alone[2]:
                print("FAULT: status", alone[0], "of spur report", *words, alone[2])
                faults += 1
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
