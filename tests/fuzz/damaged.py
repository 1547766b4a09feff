#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
damaged.py BUILD [RUNS]: commands on damaged archives, plain ones and SION containers.

A run takes a file of the archive, a damage and a command. A command must end by itself with a status of
0 to 2. A status other than 0 comes with one line on standard error, which begins with "spur", names the
archive or one of its files, and no place in the source of the library; spur check may say all in its
findings. What cannot be read is told with its remedy: REMEDIES. Every damage meets every command, in
an archive and a file that are drawn. SPUR_DAMAGED_SEED repeats a run.
"""
import concurrent.futures
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, "..", folder) for folder in ("fixtures", "lib")]

import containers  # noqa: E402
import make  # noqa: E402
from patience import HANG_S  # noqa: E402

# Where the archive stands is ARCHIVE; what they make goes to OUT.
COMMANDS = [line.split() for line in """
check ARCHIVE
print -A ARCHIVE
print -A -o OUT ARCHIVE
report ARCHIVE
report --json ARCHIVE
report --diff GOOD ARCHIVE
view --text ARCHIVE
view -o OUT.html ARCHIVE
export --to csv -o OUT ARCHIVE
export --to sqlite -o OUT ARCHIVE
export --to perfetto -o OUT ARCHIVE
query ARCHIVE select+1
pack -o OUT ARCHIVE
pack ARCHIVE
unpack ARCHIVE
marker ARCHIVE
marker --add-def g c LOW ARCHIVE
snapshots -n 2 ARCHIVE
recover ARCHIVE
""".strip().splitlines()]
REMEDIES = {
    ("print", "report", "view", "export", "query", "snapshots"):
        r"'spur check \S+' tells more$|no (such )?archive|the name of an archive ends|: Permission denied$"
        r"|symbolic link|'spur unpack",
    ("marker",): r"'spur check \S+' tells more$|the name of an archive ends"
                 r"|'spur marker --reset \S+' removes them all$"
                 r"|is no regular file, so no marker was changed; remove it$",
}
# As the originals have it.
USAGE = ("invalid anchor file name", "missing anchorfile", "==ERROR== Find location definitions")
NOBODY = 65534
AT_ONCE = 2
SOURCE = re.compile(r"\w\.[ch]:\d")


def cut(path, draw):
    os.truncate(path, draw.randrange(max(os.path.getsize(path), 1)))


def flip(path, draw):
    with open(path, "rb+") as file:
        data = bytearray(file.read())
        at = draw.randrange(8 * len(data)) if data else 0
        data[at // 8:at // 8 + 1] = [byte ^ 1 << at % 8 for byte in data[at // 8:at // 8 + 1]]
        file.seek(0)
        file.write(data)


def zeros(path, _draw):
    size = os.path.getsize(path)
    os.truncate(path, 0)
    os.truncate(path, size)


def anew(create):
    """In place of the file."""
    def damage(path, _draw):
        os.unlink(path)
        create(path)
    return damage


DAMAGES = {
    "cut": cut, "flip": flip, "flip again": flip, "zeros": zeros,
    "empty": lambda path, _draw: os.truncate(path, 0),
    "missing": lambda path, _draw: os.unlink(path),
    "folder": anew(os.mkdir), "pipe": anew(os.mkfifo),
    "a link to itself": anew(lambda path: os.symlink(os.path.basename(path), path)),
    "not to be read": lambda path, _draw: os.chmod(path, 0),
}
WHOLE = {  # of the archive
    "empty": lambda path: (shutil.rmtree(path), os.mkdir(path)),
    "a file": lambda path: (shutil.rmtree(path), os.close(os.open(path, os.O_CREAT))),
    "a pipe": lambda path: (shutil.rmtree(path), os.mkfifo(path)),
    "missing": shutil.rmtree,
    "not to be entered": lambda path: os.chmod(path, 0),
    "without its folder": lambda path: shutil.rmtree(path + "/traces"),
}


def own(top):
    for folder, folders, files in os.walk(top):
        for name in folders + files:
            os.chown(os.path.join(folder, name), NOBODY, NOBODY, follow_symlinks=False)
    os.chown(top, NOBODY, NOBODY)


class Tester:
    def __init__(self, build, folder, seed):
        self.spur = os.path.join(build, "bin", "spur")
        self.folder = folder
        self.draw = random.Random(seed)
        os.chmod(folder, 0o755)
        make.make(os.path.join(build, "tests"), folder, None, ["small"])
        containers.pack(os.path.join(folder, "small"), os.path.join(folder, "packed"), align=8, block=600)
        self.is_root = os.geteuid() == 0  # whom nothing stops
        if self.is_root:
            own(folder)

    def tasks(self):
        for command in COMMANDS:
            for damage in WHOLE:
                yield command, self.draw.choice(("small", "packed")), None, damage, 0
            for damage in DAMAGES:
                archive = self.draw.choice(("small", "packed"))
                top = os.path.join(self.folder, archive)
                files = sorted(os.path.relpath(os.path.join(folder, name), top)
                               for folder, _, names in os.walk(top) for name in names)
                # As often as others: what every command reads.
                file = self.draw.choice((*files, *["traces.otf2", "traces.def"] * 3))
                yield command, archive, file, damage, self.draw.randrange(1 << 30)

    def run(self, words, out):
        words = [word.replace("OUT", out).replace("+", " ") for word in words]
        user = {"user": NOBODY, "group": NOBODY, "extra_groups": []} if self.is_root else {}
        return subprocess.run([self.spur, *words], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                              errors="replace", timeout=HANG_S, check=False,
                              env={**os.environ, "XDG_CACHE_HOME": os.path.dirname(out)}, **user)

    def fault(self, task):
        """What is wrong with the run; None: nothing."""
        command, name, file, damage, seed = task
        with tempfile.TemporaryDirectory(dir=self.folder) as top:
            archive = os.path.join(top, "archive")
            shutil.copytree(os.path.join(self.folder, name), archive)
            if self.is_root:
                own(top)
            if file:
                DAMAGES[damage](os.path.join(archive, file), random.Random(seed))
            else:
                WHOLE[damage](archive)
            words = [{"ARCHIVE": archive, "GOOD": os.path.join(self.folder, "small")}.get(word, word)
                     for word in command]
            try:
                done = self.run(words, os.path.join(top, "out"))
            except subprocess.TimeoutExpired:
                return "does not end"
            finally:
                if os.path.isdir(archive):
                    os.chmod(archive, 0o700)
            return judge(command[0], done, archive)


def judge(command, done, archive):
    said = done.stderr.replace(archive, "DIR")
    # Definitions that are not as they should be have lines of their own, also in an archive that is whole.
    lines = [line for line in said.splitlines() if not line.startswith("spur print: warning: ")]
    if not 0 <= done.returncode <= 2:
        return f"status {done.returncode}: {said}"
    if SOURCE.search(said) or "[OTF2]" in said:
        return f"a place in the source: {said}"
    if done.returncode == 0 or any(words in said for words in USAGE):
        return None
    if not lines and command == "check":
        return None
    if len(lines) != 1 or not lines[0].startswith("spur") or "DIR" not in said:
        return f"status {done.returncode}, no single line that names it: {said}"
    for commands, remedy in REMEDIES.items():
        if command in commands and not re.search(remedy, lines[0].strip()):
            return f"no remedy: {said}"
    return None


def main():
    seed = int(os.environ.get("SPUR_DAMAGED_SEED") or random.SystemRandom().randrange(1 << 30))
    print(f"SPUR_DAMAGED_SEED={seed}")
    faults = runs = 0
    with tempfile.TemporaryDirectory() as folder:
        tester = Tester(sys.argv[1], folder, seed)
        tasks = [task for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 1) for task in tester.tasks()]
        with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
            for task, fault in zip(tasks, pool.map(tester.fault, tasks)):
                runs += 1
                if fault:
                    faults += 1
                    print(f"spur {' '.join(task[0])}, {task[1]}: {task[2] or 'the archive'}, {task[3]} "
                          f"({task[4]}): {fault.strip()[:600]}")
    print(f"{runs} runs, {faults} faults")
    return 1 if faults or not runs else 0


if len(sys.argv) not in (2, 3):
    sys.exit(__doc__)
sys.exit(main())
