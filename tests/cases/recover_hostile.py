# SPDX-License-Identifier: BSD-3-Clause
"""
`spur recover` of what killed runs left, changed at random: bytes, words, lengths, files that are
gone, there twice, of another process, or not files at all. It ends soon, in little memory, by its own will.
It either says in a line why there is no archive, or makes one that `spur check` can judge. Damage of what is
neither an event nor a definition makes an archive without any fault, and that of a definition is told.

SPUR_TEST_MUTATIONS=N makes N of them, SPUR_TEST_SEED=N repeats a run, and SPUR_TEST_FINISH is
another spur-finish, of a build with sanitizers.
"""

import json
import os
import random
import resource
import shutil
import struct
import tempfile

import left_over
from patience import HANG_S

of = "finish tools/session"
FIRST = int(os.environ.get("SPUR_TEST_FIRST", "0"))  # those before it are made and not recovered
MUTATIONS = int(os.environ.get("SPUR_TEST_MUTATIONS", "90"))
FINISH = os.environ.get("SPUR_TEST_FINISH")
KEEP_GOING = bool(os.environ.get("SPUR_TEST_KEEP_GOING"))
VALUES = ("enum-unknown", "paradigm-missing")  # a number of a definition may be any other one
MEMORY, LARGEST = 2 << 30, 64 << 20

SLOTS_AT, BLOCK = 4096, 256 << 10
WORDS = (0, 1, 2, 63, 64, 65, 255, 256, 1 << 16, BLOCK, BLOCK - 1, 1 << 20, (1 << 29) - 1, 1 << 29,
         1 << 30, (1 << 31) - 1, 1 << 31, (1 << 32) - 1, 1 << 32, 1 << 63, (1 << 64) - 1)
NAMES = ("x.1.1", "host.0.0", ".a.b", "a.%s%n.1", "y" * 200 + ".1.1", "z" * 255, "q.99999999999.1")
EVENT_FILES = ("0.evt", "00.evt", "7.evt", "65535.evt", "70000.evt", "4294967295.evt",
               "99999999999999999999.evt")


class Mutation:
    """One session, changed; `events` says that the bytes of events may be wrong."""

    def __init__(self, left, canary):
        self.left, self.canary = left.copy(), canary
        self.later, self.said, self.events = [], [], False

    def note(self, text):
        self.said.append(text)

    def pick(self, ending=None):
        names = sorted(name for name in self.left.files
                       if ending is None or name.endswith(ending))
        return random.choice(names) if names else None

    def place(self, name):
        """Where to change something: what counts is at the beginning, mostly."""
        size = len(self.left.files[name])
        if name.endswith("segment") and random.random() < 0.8:
            at = random.randrange(0, 1200) if random.random() < 0.4 \
                else SLOTS_AT + random.randrange(0, 2 * 1088)
            return min(at, max(size - 8, 0))
        if name.endswith("journal"):
            size = len(self.left.files[name].rstrip(b"\0"))
        return random.randrange(max(size - 8, 1))

    def change(self, name, at, data):
        old = self.left.files[name]
        self.left.files[name] = old[:at] + data + old[at + len(data):]
        self.events |= name.endswith(".evt") or (name.endswith("segment") and at + len(data) > BLOCK)
        self.note(f"{name} at {at}: {data[:16].hex()}")

    # ---- what can happen to it ----

    def flip(self):
        name = self.pick()
        if len(self.left.files[name]) > 8:
            for _ in range(random.choice((1, 1, 3, 8))):
                self.change(name, self.place(name), bytes([random.randrange(256)]))

    def word(self):
        name = self.pick(random.choice(("segment", "segment", "journal", "journal", ".evt")))
        if name and len(self.left.files[name]) > 16:
            size = random.choice((4, 8))
            at = self.place(name) // size * size
            value = random.choice(WORDS) % (1 << (8 * size))
            self.change(name, at, struct.pack("<I" if size == 4 else "<Q", value))

    def fill(self):
        name = self.pick()
        size = random.choice((16, 512, 4096, BLOCK))
        at = self.place(name) if self.left.files[name] else 0
        at = at // size * size if random.random() < 0.5 else at
        byte = random.choice((b"\0", b"\0", b"\xff", b"\x0a"))
        self.change(name, at, (byte * size)[:len(self.left.files[name]) - at])

    def forget(self):
        """A journal ends after one of its records, in zeros, as if no more had been defined."""
        name = self.pick("journal")
        if name:
            data, ends, at = self.left.files[name], [], 0
            while at + 8 <= len(data) and any(data[at:at + 4]):
                ends.append(at)
                at += 8 + struct.unpack_from("<I", data, at + 4)[0]
            if ends:
                at = random.choice(ends)
                self.change(name, at, bytes(len(data) - at))

    def move(self):
        """A part of a file is what belongs elsewhere."""
        name, other = self.pick(), self.pick()
        size = random.choice((8, 64, 1088, 4096, BLOCK))
        at = self.place(name) if self.left.files[name] else 0
        data = self.left.files[other][:BLOCK * 8]
        start = random.randrange(max(len(data) - size, 1))
        self.change(name, at, data[start:start + size][:len(self.left.files[name]) - at])

    def cut(self):
        name = self.pick()
        size = len(self.left.files[name])
        length = random.choice((0, random.randrange(size + 1), size // 4096 // 2 * 4096,
                                size // BLOCK * BLOCK, max(size - 1, 0)))
        self.left.files[name] = self.left.files[name][:length]
        self.events |= name.endswith(".evt")
        self.note(f"{name} cut to {length}")

    def extend(self):
        name = self.pick()
        more = random.choice((b"\0" * 4096, os.urandom(8), b"\x02\x01", b"\0" * BLOCK))
        self.left.files[name] += more
        self.events |= name.endswith(".evt")
        self.note(f"{name} with {len(more)} more bytes")

    def remove(self):
        name = self.pick()
        del self.left.files[name]
        self.events |= name.endswith(".evt")
        self.note(f"{name} removed")

    def double(self):
        """A process is there twice, or a part of one is that of another one."""
        source = random.choice(self.left.processes() or [".spur"])
        if random.random() < 0.5:
            other = ".spur/" + random.choice(NAMES[:4] + (os.path.basename(source) + "0",))
            self.left.folders += [other, other + "/traces"]
        else:
            other = random.choice(self.left.processes() or [".spur"])
        for name in sorted(self.left.files):
            if name.startswith(source + "/") and random.random() < 0.8:
                self.left.files[other + name[len(source):]] = self.left.files[name]
        self.events = True
        self.note(f"{source} copied to {other}")

    def name(self):
        """Names that no process gives."""
        if random.random() < 0.5:
            self.left.folders.append(".spur/" + random.choice(NAMES))
            self.note(self.left.folders[-1])
        elif self.left.processes():
            name = f"{random.choice(self.left.processes())}/traces/{random.choice(EVENT_FILES)}"
            self.left.files[name] = random.choice((b"", b"\0" * 99, self.left.files[self.pick()]))
            self.events = True
            self.note(name)

    def replace(self):
        name = self.pick()
        del self.left.files[name]
        if random.random() < 0.3:
            self.left.links[name] = self.canary
        else:
            self.later.append((name, random.choice(left_over.PLACEHOLDERS)))
        self.events |= name.endswith(".evt")
        self.note(f"{name} is " + (self.later[-1][1].__name__ if self.later else "a link"))

    def marks(self):
        """What processes of the session tell each other, and who finishes it."""
        name = random.choice(("done", "attempt", "left", "stopped", "unified", "bytes", "control",
                              "notes", "pids", "retry", "finishing", "notes/x", "pids/x.1.1"))
        data = random.choice((b"", os.urandom(100), b"\0" * 4096))
        if "/" in name:
            self.left.folders.append(".spur/" + name.split("/", maxsplit=1)[0])
        if name == "finishing":
            self.left.links[".spur/" + name] = random.choice(("1 1 x/1", "", "99999999999 %s")) or "x"
        else:
            self.left.files[".spur/" + name] = data
        self.note(f"{name}: {len(data)} bytes")

    def make(self, session):
        deeds = (self.flip,) * 4 + (self.word,) * 6 + (self.fill,) * 2 + (self.cut,) * 2 + (
            self.forget, self.move, self.extend, self.remove, self.double, self.name, self.replace,
            self.marks)
        for _ in range(random.choice((1, 1, 1, 2, 4))):
            if self.left.files:
                random.choice(deeds)()
        self.left.put(session)
        for name, make in self.later:
            path = os.path.join(session, name)
            if os.path.isdir(os.path.dirname(path)) and not os.path.lexists(path):
                make(path)


def limit():
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not FINISH:
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def size_of(session):
    return sum(os.lstat(os.path.join(folder, name)).st_blocks * 512
               for folder, _, names in os.walk(session) for name in names)


def faults_of(run, session, env):
    """Names of the rules that the archive breaks, and how it went."""
    words = [run.spur, "check", "--json", "--strict", "--allow-unfinished",
             "--disable", "not-unified", session]  # a name that is changed may be one that is there
    ended, trouble = left_over.execute(words, HANG_S, limit, env)
    if trouble or ended.status not in (0, 1):
        return None, f"spur check: {trouble or ended.line}"
    found = json.loads(ended.line)
    return sorted({finding["rule"] for finding in found["findings"]}), None


def recover(run, session, is_true):
    """None, or what is wrong; whether there is an archive."""
    env = run.environment({})
    words = [FINISH or os.path.join(run.build, "libexec", "spur", "spur-finish"), session]
    ended, trouble = left_over.execute(words, HANG_S, limit, env)
    if trouble:
        return trouble, False
    lines = ended.line.splitlines()
    is_there = os.path.exists(os.path.join(session, "traces.otf2"))
    if ended.status not in (0, 1) or not all(line.startswith("spur: ") for line in lines):
        return f"status {ended.status}: {ended.line[-2000:]}", is_there
    if not 1 <= len(lines) <= 8:
        return f"{len(lines)} lines: {lines[:10]}", is_there
    if size_of(session) > LARGEST:
        return f"{size_of(session)} bytes of it", is_there
    if ended.status != 0:
        return None, False
    if not is_there:
        return f"neither an archive nor a word why: {lines}", False
    faults, trouble = faults_of(run, session, env)
    if trouble:
        return trouble, True
    faults = [fault for fault in faults if fault not in VALUES]
    is_told = "definitions of" in ended.line and "are damaged" in ended.line
    return (f"faults {faults}: {lines}" if faults and is_true and not is_told else None), True


def main(run):
    seed = int(os.environ.get("SPUR_TEST_SEED", "1"))
    random.seed(seed)
    canary = os.path.join(run.scratch, "canary")
    with open(canary, "wb") as file:
        file.write(b"canary" * 1000)
    small = {"SPUR_BUFFER": "512K"}
    sources = [left_over.leave(run, ["{programs}/thread_left", "12000"], "write", small),
               left_over.leave(run, ["{programs}/thread_left", "30000"], "ring",
                               {"SPUR_FLUSH": "ring", **small}),
               left_over.leave(run, ["{programs}/left.mpich", "30"], "ranks", small,
                               ["mpirun.mpich", "-n", "2"])]
    made = wrong = 0
    top = tempfile.TemporaryDirectory(dir="/dev/shm" if os.access("/dev/shm", os.W_OK) else None)
    session = os.path.join(top.name, "session")
    for number in range(MUTATIONS):
        mutation = Mutation(sources[number % len(sources)], canary)
        mutation.make(session)
        if number < FIRST:
            shutil.rmtree(session)
            continue
        trouble, is_archive = recover(run, session, not mutation.events)
        made += is_archive
        with open(canary, "rb") as file:
            if file.read() != b"canary" * 1000:
                trouble = "a file outside of the session was changed"
        if trouble:
            wrong += 1
            print(f"{number}: {'; '.join(mutation.said)}\n    {trouble}", flush=True)
            run.expect(KEEP_GOING, "no trouble")
        shutil.rmtree(session)
    print(f"{MUTATIONS} sessions, {made} archives")
    run.equal(wrong, 0, "sessions with trouble")
    run.expect(made > (MUTATIONS - FIRST) // 2, "archives of most of them")
