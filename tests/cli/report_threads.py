#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
spur report prints the same for any number of threads: `report_threads.py BUILD [N]`, of N archives that
are drawn (12), as many that are drawn for causes of waiting, those of report_archives.py, one that is
read in several rounds, and compressed ones. The seed is printed; SPUR_TEST_SEED sets it.
"""

import json
import os
import random
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from faults import shortened  # noqa: E402
import report_causes  # noqa: E402

THREADS = (2, 3, 7)
CAUSES = ["--json", "--by", "causes,critical"]  # whose findings have causes, too
FORMS = (["--json"], [], ["--by", "callpath,messages,locks"], ["--csv", "--by", "region"],
         ["--process", "1", "--wide"], ["--csv", "--by", "cost"],
         ["--by", "sizes,memory"], ["--by", "causes,critical", "--wide"], ["--json", "--causes", "1"])
# Seed and number of an archive in which a location begins with two files at one time.
TWO_FILES = ("383564", "4")
PACKED = (("3", "6000"), ("16", "40000"))  # locations and events of each


def run(report, *words):
    done = subprocess.run([report, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    return done.returncode, done.stdout, done.stderr


def made(script, place, *words):
    """The folder that a script fills with archives."""
    subprocess.run([sys.executable, "-B", os.path.join(HERE, script), place, *words], check=True)
    return place


def packed(build, folder):
    """Compressed archives."""
    for name, (locations, events) in zip("ab", PACKED):
        place = os.path.join(folder, "packed-" + name)
        subprocess.run([os.path.join(build, "tests", "fixture-many"), place, locations, events, "0", "zlib"],
                       stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, check=True)
        yield place


def waiting(rng, folder, n):
    """Archives in which ranks wait for each other."""
    for number in range(n):
        yield report_causes.draw(os.path.join(folder, f"waiting-{number}"), rng)[0]


class Tester:
    def __init__(self, build):
        self.report = os.path.join(build, "libexec", "spur", "spur-report")
        self.faults = 0
        self.causes = 0

    def fault(self, *words):
        print("FAULT:", *words)
        self.faults += 1

    def same(self, words, threads):
        alone = run(self.report, "--threads", "1", *words)
        for n in threads:
            if run(self.report, "--threads", str(n), *words) != alone:
                self.fault(f"{n} threads and one differ: spur report", *words)
        if alone[0] and not words[0].endswith(".cut") and b"no process" not in alone[2]:
            self.fault("status", alone[0], "of spur report", *words, alone[2])
        return alone[1]

    def same_causes(self, archive):
        told = self.same([archive, *CAUSES], THREADS)
        self.causes += len(json.loads(told)["sections"]["causes"])


def main():
    build, n = sys.argv[1], sys.argv[2] if len(sys.argv) > 2 else "12"
    seed = os.environ.get("SPUR_TEST_SEED", str(random.SystemRandom().randrange(10**6)))
    print("seed", seed)
    rng = random.Random(seed)
    tester = Tester(build)
    with tempfile.TemporaryDirectory() as folder:
        known = made("report_archives.py", os.path.join(folder, "known"))
        drawn = made("report_random.py", os.path.join(folder, "drawn"), seed, n)
        archives = [os.path.join(base, name) for base in (known, drawn) for name in sorted(os.listdir(base))]
        archives += [shortened(archives[-1]), os.path.join(folder, "many")]
        subprocess.run([os.path.join(build, "tests", "fixture-many"), archives[-1], "16", "40000"],
                       stdout=subprocess.DEVNULL, check=True)
        wanted = [[archive, *form] for archive in archives for form in rng.sample(FORMS, 2)]
        wanted += [["--diff", archives[-3], archives[0]]]
        wanted += [[os.path.join(known, "ranks"), os.path.join(known, "teams"), "--any-program", *form]
                   for form in ([], ["--json"])]
        for words in wanted:
            tester.same(words, [rng.choice(THREADS)])
        two_files = made("report_random.py", os.path.join(folder, "two-files"), TWO_FILES[0], "5")
        tester.same([os.path.join(two_files, TWO_FILES[1]), "--json", "--causes", "1"], THREADS)
        for archive in (*archives, *packed(build, folder), *waiting(rng, folder, int(n))):
            tester.same_causes(archive)
    print(tester.causes, "causes")
    if tester.causes < int(n):
        tester.fault("there are hardly any causes")
    return 1 if tester.faults else 0


if __name__ == "__main__":
    sys.exit(main())
