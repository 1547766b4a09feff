# SPDX-License-Identifier: BSD-3-Clause
"""
Somebody has been in the directory before: links, files and folders lie where spur makes its own, in
the user's name or in another user's. Nothing outside of the session is changed by a recording, nor by
finishing it; the program runs as ever; and when there is no archive, a line says what is in the way.

The names that are tried are those that a recording and a recovery are seen to make.
"""

import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

import left_over

of = "agent/state base finish/find"
env = {"SPUR_PTHREAD": "all"}  # the subject is what becomes of many records

NOBODY, OTHER = 65534, 1
CALLS = ("openat", "openat2", "mkdir", "mkdirat", "symlink", "symlinkat", "link", "linkat", "rename",
         "renameat", "renameat2")
# More files of a session than a plain recording has.
SETTINGS = {"SPUR_LIMIT": "1G,2G", "SPUR_BUFFER": "nonsense", "SPUR_VERBOSE": "1"}
KNOWN = {".spur", ".spur/pids", ".spur/reserve", ".spur/bytes", ".spur/complained", ".spur/finishing",
         ".spur/attempt", ".spur/done", "traces", "traces.def", "traces.otf2", "traces/0.evt",
         ".spur/PROCESS", ".spur/PROCESS/segment", ".spur/PROCESS/journal", ".spur/PROCESS/traces"}
NEVER_MADE_HERE = {".spur/notes", ".spur/control", ".spur/stopped", ".spur/left", ".spur/retry",
                   ".spur/unified"}
# A filter of system calls, put upon the program by who starts it: openat2(2) is answered as {answer}.
FILTERED = """
import ctypes, os, platform, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
code = b"".join(struct.pack("HBBI", *row) for row in (
    (0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, {answer}), (0x06, 0, 0, 0x7fff0000)))
program = struct.pack("HP", 4, ctypes.addressof(ctypes.create_string_buffer(code, len(code))))
kept = ctypes.create_string_buffer(code, len(code))
program = ctypes.create_string_buffer(struct.pack("HP", 4, ctypes.addressof(kept)))
assert libc.prctl(38, 1, 0, 0, 0) == 0 and libc.prctl(22, 2, program, 0, 0) == 0
os.execv(sys.argv[1], sys.argv[1:])
"""
KILLED, NOT_THERE = 0x80000000, 0x00050026


class Place:
    """A directory that is everybody's, with what must not be changed beside the session's DIR."""

    def __init__(self, run, user):
        self.run, self.user = run, user
        self.top = tempfile.mkdtemp(prefix="spur-hostile-")
        os.chmod(self.top, 0o1777)
        self.dir = os.path.join(self.top, "run")
        self.canary = os.path.join(self.top, "canary")
        self.file = os.path.join(self.canary, "file")
        self.folder = os.path.join(self.canary, "folder")
        for folder in (self.canary, self.folder, os.path.join(self.folder, "traces")):
            os.mkdir(folder)
            for name in ("file", "0.evt", "0.def", "segment", "journal", "7.snap"):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(f"mine: {name}\n" * 100)
        self.give(self.canary, user)
        self.before = self.state()

    def give(self, path, user):
        for folder, folders, names in os.walk(path):
            for name in ["."] + folders + names:
                os.lchown(os.path.join(folder, name), user, user)

    def state(self):
        """All that lies there, and whose it is."""
        found = {}
        for folder, folders, names in os.walk(self.canary):
            for name in folders + names:
                path = os.path.join(folder, name)
                info = os.lstat(path)
                data = b""
                if name in names:
                    with open(path, "rb") as file:
                        data = file.read()
                found[path] = (info.st_mode, info.st_uid, info.st_mtime_ns, data)
        return found

    def plant(self, name, how, user):
        """Put something in the place of a file of the session, as that user; False: not possible."""
        path = os.path.join(self.dir, name)
        for folder in parents_of(name):
            folder = os.path.join(self.dir, folder)
            if not os.path.isdir(folder):
                os.mkdir(folder)
                os.chmod(folder, 0o777)
                os.chown(folder, user, user)
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        elif os.path.lexists(path):
            os.unlink(path)
        how(self, path)
        if how is not hard_link:
            os.lchown(path, user, user)

    def as_user(self, words):
        if self.user == 0:
            return words
        return ["setpriv", f"--reuid={self.user}", "--clear-groups"] + words

    def remove(self):
        shutil.rmtree(self.top)


def parents_of(name):
    parts = name.split("/")[:-1]
    return ["/".join(parts[:n]) for n in range(len(parts) + 1)]


# ---- what is planted ----

def file_link(place, path):
    os.symlink(place.file, path)


def folder_link(place, path):
    os.symlink(place.folder, path)


def new_link(place, path):
    os.symlink(os.path.join(place.canary, "new"), path)


def hard_link(place, path):
    os.link(place.file, path)


def fifo(place, path):
    del place
    os.mkfifo(path, 0o666)


def full_folder(place, path):
    shutil.copytree(place.folder, path)


LINKS = (file_link, folder_link, new_link, hard_link)
PLANTS = LINKS + (fifo, full_folder)


# ---- which names there are ----

def names_made(run, words, env, session):
    """Below the session's directory, of all that the command made; processes are PROCESS."""
    log = os.path.join(run.scratch, "made.strace")
    run.execute(["strace", "-f", "-qq", "-y", "-o", log, "-e", "trace=" + ",".join(CALLS)] + words,
                "made", env)
    found = set()
    with open(log, encoding="utf-8", errors="replace") as file:
        for line in file:
            if " = -1" in line or (re.search(r"\bopenat2?\(", line) and "O_CREAT" not in line):
                continue
            for folder, name in re.findall(r'(?:<([^<>]*)>, )?"([^"]*)"', line):
                path = os.path.normpath(os.path.join(folder, name))
                if path.startswith(session + "/"):
                    found.add(path[len(session) + 1:])
    return {re.sub(r"^\.spur/[^/.]+\.\d+\.\d+", ".spur/PROCESS", name) for name in found}


def all_names(run):
    preload = run.preloading() + run.command(["{programs}/serial"])
    session = os.path.join(run.scratch, "made.one")
    found = names_made(run, preload, {"SPUR_DIR": session, **SETTINGS}, session)
    session = os.path.join(run.scratch, "made.full")  # an event file, whose folder comes with it
    found |= names_made(run, run.preloading() + run.command(["{programs}/serial_flush", "1", "1", "9000"]),
                        {"SPUR_DIR": session, "SPUR_BUFFER": "512K"}, session)
    left = left_over.leave(run, ["{programs}/thread_left", "9000"], "left", {"SPUR_BUFFER": "512K"})
    session = os.path.join(run.scratch, "made.two")
    left.put(session)
    found |= names_made(run, [run.spur, "recover", session], {}, session)
    run.expect(KNOWN <= found, f"to see the names {sorted(KNOWN - found)} being made")
    found = {name for name in found
             if not re.search(r"^\.spur/pids/|traces/[1-9]", name)}  # as others
    return sorted(found | NEVER_MADE_HERE), left


# ---- judging ----

def expect_unchanged(run, place, what, result, want_status):
    state = place.state()
    changed = sorted(os.path.relpath(path, place.canary) for path in set(state) | set(place.before)
                     if state.get(path) != place.before.get(path))
    run.equal(changed, [], f"{what}: files changed; {result.spur}")
    if want_status is not None:
        run.equal((result.status, result.stdout, result.stderr), want_status, what)
    run.expect(len(result.spur) <= 3, f"{what}: few lines: {result.spur}")
    is_archive = any(os.path.isfile(anchor) and not os.path.islink(anchor) and os.stat(anchor).st_nlink == 1
                     for anchor in glob.glob(place.dir + "*/traces.otf2"))  # DIR-2 is the next session
    is_told = any(place.top in line and "; " in line or "given" in line for line in result.spur)
    run.expect(is_archive or is_told, f"{what}: an archive or a word why not: {result.spur}")
    return is_archive


def record(run, place, what):
    words = place.as_user(run.preloading() + run.command(["{programs}/serial"]))
    result = run.execute(words, "run", {"SPUR_DIR": place.dir, **SETTINGS})
    return expect_unchanged(run, place, what, result, (3, "sum 15\n", "this is stderr"))


def each_place(run, user, deed):
    place = Place(run, user)
    try:
        return deed(place)
    finally:
        place.remove()


# ---- recording ----

def recording(run, names):
    """In every place that does not have a process's number in its name."""
    made = tried = 0
    for name in names:
        for how in PLANTS:
            if "PROCESS" in name or name.startswith("traces/"):
                continue
            if name == ".spur" and how is full_folder:
                continue  # a session as others

            def deed(place, name=name, how=how):
                place.plant(name, how, 0)
                return record(run, place, f"{name} is a {how.__name__}")

            made += each_place(run, 0, deed)
            tried += 1
    print(f"{tried} recordings, {made} archives")
    run.expect(made > tried // 3, "archives, where a file of the session is not needed")


def planted_while_running(run):
    """The launcher has looked, and found an empty directory."""
    script = 'mkdir -p "$1" && ln -s "$2" "$1/$3" && shift 3 && exec "$@"'
    for name in ("traces", "traces.def", "traces.otf2", ".spur"):
        def deed(place, name=name):
            words = [run.spur, "-o", place.dir, "sh", "-c", script, "sh", place.dir, place.file, name]
            result = run.execute(words + run.command(["{programs}/serial"]), "run")
            expect_unchanged(run, place, f"launcher, {name}", result,
                             (3, "sum 15\n", "this is stderr"))

        each_place(run, 0, deed)


def of_another_user(run):
    """The session's own directory is another user's, or leads to one; the named one may be."""
    def foreign(place):
        os.mkdir(place.dir)
        os.chmod(place.dir, 0o777)
        os.mkdir(os.path.join(place.dir, ".spur"))
        os.chmod(os.path.join(place.dir, ".spur"), 0o777)
        place.give(place.dir, OTHER)
        run.expect(not record(run, place, "another user's .spur"), "no recording among others' files")
        run.equal(os.listdir(os.path.join(place.dir, ".spur")), [], "files in it")

    def leads_away(place):
        os.mkdir(place.dir)
        os.chmod(place.dir, 0o777)
        place.plant(".spur", folder_link, OTHER)
        run.expect(not record(run, place, "another user's link .spur"), "no recording behind it")

    def named(place):
        os.mkdir(os.path.join(place.top, "real"))
        os.chmod(os.path.join(place.top, "real"), 0o777)
        place.give(os.path.join(place.top, "real"), place.user)
        os.symlink("real", os.path.join(place.top, "link"))
        place.dir = os.path.join(place.top, "link", "run")
        run.expect(record(run, place, "a linked directory above DIR"), "an archive behind own links")
        run.judge(place.dir)

    for user in (0, NOBODY):
        each_place(run, user, foreign)
        each_place(run, user, leads_away)
        each_place(run, user, named)


def job_links(run):
    """By which ranks without a common directory find each other, where everybody may write."""
    targets = ("../canary/folder", "{canary}/folder", "..", ".", "canary/folder", "canary", "linked")

    def deed(place, target, owner):
        link = os.path.join(place.top, ".spur-job-77-88")
        os.symlink("canary/folder", os.path.join(place.top, "linked"))
        os.symlink(target.format(canary=place.canary), link)
        os.lchown(link, owner, owner)
        place.dir = place.top
        words = place.as_user(run.preloading() + run.command(["{programs}/serial"]))
        script = 'cd "$0" && exec "$@"'
        result = run.execute(["sh", "-c", script, place.top] + words, "run", {"SPUR_JOB": "77-88"})
        expect_unchanged(run, place, f"job link of {owner} to {target}", result,
                         (3, "sum 15\n", "this is stderr"))
        run.expect(not any(name.startswith("spur-") for name in os.listdir(place.top)),
                   "no archive elsewhere without a word")

    for target in targets:
        for user, owner in ((NOBODY, OTHER), (0, OTHER), (NOBODY, NOBODY)):
            if target == "canary" and owner == user:
                continue  # his own folder, by his own link
            each_place(run, user, lambda place, to=target, by=owner: deed(place, to, by))


# ---- finishing what lies there ----

def recover(run, place, what, words=None):
    words = words or [os.path.join(run.build, "libexec", "spur", "spur-finish"), "--recover", place.dir]
    result = run.execute(place.as_user(words), "recover")
    run.expect(result.status in (0, 1) and not result.stderr, f"{what}: {result.status} {result.stderr}")
    return expect_unchanged(run, place, what, result, None)


def put_left(place, left, user):
    left.put(place.dir)
    place.give(place.dir, user)


def recovering(run, names, left):
    """In every place: of the first process, where it is a process's."""
    first = left.processes()[0]
    tried = made = 0
    for name in names:
        for how in PLANTS:
            def deed(place, name=name, how=how):
                put_left(place, left, 0)
                place.plant(name.replace(".spur/PROCESS", first), how, 0)
                return recover(run, place, f"recover, {name} is a {how.__name__}")

            if name != ".spur" or how is not full_folder:
                made += each_place(run, 0, deed)
                tried += 1
    print(f"{tried} recoveries, {made} archives")
    run.expect(made > tried // 3, "archives, where a file of the session is not needed")


def other_owners(run, left):
    """Root may finish anybody's session, others only their own; nobody is led elsewhere by it."""
    def by_root(place):
        put_left(place, left, NOBODY)
        run.expect(recover(run, place, "root recovers another user's"), "an archive")

    def by_other(place):
        put_left(place, left, OTHER)
        for folder, _, names in os.walk(place.dir):
            os.chmod(folder, 0o777)
            for name in names:
                os.chmod(os.path.join(folder, name), 0o666)
        run.expect(not recover(run, place, "another user's session"), "no archive of it")

    def led_away(place, name):
        put_left(place, left, NOBODY)
        place.plant(name.replace(".spur/PROCESS", left.processes()[0]), folder_link, NOBODY)
        recover(run, place, f"root recovers, {name} leads away")

    each_place(run, 0, by_root)
    each_place(run, NOBODY, by_other)
    for name in ("traces", "traces.def", ".spur/retry", ".spur/PROCESS/traces", ".spur/pids"):
        each_place(run, 0, lambda place, name=name: led_away(place, name))


def hostile_names(run, left):
    """Names of processes are of a host, and two numbers; whatever else there is, is left."""
    odd = ("a\nb.1.1", "a\x1b[31mb.1.1", "x" * 251 + ".1.1", "...", ".spur", "-rf.1.1", "%s%n.1.1", "*.1.1",
           " .1.1", "a b.1.1", "traces.1.1")
    first = left.processes()[0]

    def deed(place):
        put_left(place, left, 0)
        for name in odd:
            shutil.copytree(os.path.join(place.dir, first), os.path.join(place.dir, ".spur", name))
        recover(run, place, "odd names in .spur")

    each_place(run, 0, deed)


# ---- the other commands ----

def commands(run, left):
    """What reads archives makes files beside them."""
    def deed(place):
        left.put(place.dir)
        run.expect(recover(run, place, "an archive for the commands"), "an archive")
        anchor = os.path.join(place.dir, "traces.otf2")
        for how in LINKS:
            for name, words in (("traces.SystemTree.dot", ["print", "--system-tree", anchor]),
                                ("traces.marker.new", ["marker", "--add-def", "g", "c", "LOW", anchor])):
                place.plant(name, how, 0)
                result = run.execute([run.spur] + words, "command")
                run.equal(place.state(), place.before, f"{words[0]}, {name} is a {how.__name__}")
                if words[0] == "print":
                    run.expect(result.status == 1 and name in result.stderr and
                               "move it away" in result.stderr, f"a word why: {result.stderr}")
                else:
                    run.equal(result.status, 0, f"{words}, {how.__name__}: {result.stderr}")
                for made in (name, "traces.marker"):
                    if os.path.lexists(os.path.join(place.dir, made)):
                        os.unlink(os.path.join(place.dir, made))
        for _ in range(2):  # a new file, and an earlier one
            result = run.execute([run.spur, "print", "--system-tree", anchor], "command")
            run.equal(result.status, 0, f"print --system-tree: {result.stderr}")

    each_place(run, 0, deed)


def switching(run, left):
    """A session can be switched, and a copy made of it, by the same rules."""
    first = left.processes()[0]
    for command in ("on", "snapshot"):
        for name in (".spur", ".spur/control", ".spur/notes", first, first + "/segment", first + "/traces"):
            for how in LINKS:
                def deed(place, name=name, how=how, command=command):
                    put_left(place, left, 0)
                    place.plant(name, how, 0)
                    run.execute([run.spur, command, place.dir], "command")
                    run.equal(place.state(), place.before, f"{command}, {name} is a {how.__name__}")

                each_place(run, 0, deed)


def filtered(run):
    """Where openat2(2) is not there, or the program is killed for it: the same by other calls."""
    for answer in (KILLED, NOT_THERE):
        def deed(place, answer=answer):
            words = [sys.executable, "-c", FILTERED.format(answer=answer)] + run.command(
                ["env", f"LD_PRELOAD={run.library}", f"SPUR_DIR={place.dir}"]) + run.command(
                    ["{programs}/serial"])
            result = run.execute(words, "run")
            run.equal((result.status, result.stdout), (3, "sum 15\n"), "a filtered program")
            run.judge(place.dir)
            for name in ("traces.def", ".spur/pids", ".spur"):
                shutil.rmtree(place.dir)
                place.plant(name, folder_link, 0)
                result = run.execute(words, "run")
                expect_unchanged(run, place, f"filtered, {name} is a link", result,
                                 (3, "sum 15\n", "this is stderr"))

        each_place(run, 0, deed)


def main(run):
    run.equal(os.getuid(), 0, "user id: the test changes users, so it needs")
    subprocess.run(["setpriv", "--version"], check=True, stdout=subprocess.DEVNULL)
    names, left = all_names(run)
    print(" ".join(names))
    only = os.environ.get("HOSTILE")
    rows = (("recording", lambda: recording(run, names)),
            ("planted", lambda: planted_while_running(run)),
            ("users", lambda: of_another_user(run)),
            ("jobs", lambda: job_links(run)),
            ("recovering", lambda: recovering(run, names, left)),
            ("owners", lambda: other_owners(run, left)),
            ("names", lambda: hostile_names(run, left)),
            ("commands", lambda: commands(run, left)),
            ("switching", lambda: switching(run, left)),
            ("filtered", lambda: filtered(run)))
    for name, row in rows:
        if not only or name in only.split(","):
            print(name, flush=True)
            row()
