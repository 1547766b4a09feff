#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
ranks_ends.py BUILD: when a rank of `mpirun -n N spur check ARCHIVE` and its kin fails, is killed, or cannot
write, or files become shorter, all end, with one line, on each MPI library. What is tried is a part of all
that can be, which ALL=1 does. RANKS_SEED=N draws the same.
"""

import os
import shutil
import signal
import subprocess
import sys
import time

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "lib"))

import hosts  # noqa: E402
from matrix import contents  # noqa: E402
from patience import HANG_S  # noqa: E402
from ranks import SAYS, WORKS, WRITES, Tester, run_tests  # noqa: E402

LATE_S = 60  # a guard: it is there in no time
READ_BYTES = 500000  # more than a process reads before its events
READS = 6  # fewer than one of two ranks needs
OUTPUTS = [["view"], ["print", "-A"], *(["export", "--to", name] for name in (
    "chrome", "csv", "perfetto", "sqlite"))]
FULL = (": No space left on device", ": database or disk is full")


# Whether a file is one that unpack makes; and what kills a rank while it reads, or writes that.
REMADE = """#include <stdio.h>
#include <string.h>
#include <unistd.h>
static int is_remade(int fd)
{
    char link[64], name[4096] = "";
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    return readlink(link, name, sizeof name - 1) > 0 && strstr(name, ".remade");
}
"""
KILLED = REMADE + """#include <signal.h>
#include <sys/syscall.h>
#include <sys/types.h>
static int before = BEFORE;
static void count(void)
{
    if (__atomic_fetch_sub(&before, 1, __ATOMIC_RELAXED) == 0)
        raise(SIGKILL);
}
ssize_t pread(int fd, void *data, size_t n, off_t at)
{
    count();
    return syscall(SYS_pread64, fd, data, n, at);
}
ssize_t pread64(int fd, void *data, size_t n, off64_t at)
{
    return pread(fd, data, n, at);
}
ssize_t write(int fd, const void *data, size_t n)
{
    if (is_remade(fd))
        count();
    return syscall(SYS_write, fd, data, n);
}
"""


class Ends(Tester):
    EVENTS = "20000"  # so many that a process is met while it reads them

    def test_all_fail(self):
        """What is wrong for all is said once."""
        wrong = (["check", "/nonexistent"], ["check", "--wrong"], ["report", "/nonexistent"],
                 ["report", "--wrong"], ["view", "--wrong"], ["view", "/nonexistent"],
                 ["query", "--wrong"], ["query", "/nonexistent", "SELECT 1"])
        for words in self.some(wrong, 2):
            alone = subprocess.run([self.spur, *words], capture_output=True, check=False, text=True)
            name = self.other()
            ran = self.run(name, "-n", "3", self.spur, *words)
            self.same(f"{name}, {words}", (self.lines(name, ran), ran.returncode),
                      (self.lines(name, alone), alone.returncode))

    def test_one_fails(self):
        """Only one host has no archive, or it has another one."""
        fails = {"check": (2, "check: /nonexistent: No such file or directory"),
                 "report": (1, "/nonexistent: no such archive"),
                 "folded": (1, "/nonexistent: no such archive"),
                 "view": (1, "/nonexistent: no such archive"),
                 "unpack": (1, "/nonexistent.otf2: cannot read: No such file or directory")}
        for work, (status, said) in self.some(fails.items(), 2):
            name = self.other("mpich", "openmpi")
            archive = self.packed if work == "unpack" else self.many
            missing = "/nonexistent.otf2" if work == "unpack" else "/nonexistent"
            for what in self.some(("none", "another")):
                ranks, path = ("2", missing) if what == "none" else ("1", self.few)
                ran = self.run(name, "-n", ranks, *self.command(work, archive), ":",
                               "-n", str(3 - int(ranks)), *self.command(work, path))
                text = said if what == "none" else (
                    f"{self.few}/traces.otf2: rank 1 reads another archive there than rank 0: "
                    "give the same one to all ranks")
                self.same(f"{name}, {work}, {what}", (self.lines(name, ran), ran.stdout, ran.returncode),
                          (["spur: " + text], "", status))

    def reading(self, job, pid):
        """Waits until a process has read events, or has them mapped; False: it has ended before."""
        while job.poll() is None:
            try:
                with open(pid, encoding="ascii") as file:
                    process = f"/proc/{int(file.read())}"
                with open(f"{process}/maps", encoding="utf-8") as file:
                    is_mapped = ".evt" in file.read()
                with open(f"{process}/io", encoding="ascii") as file:
                    if is_mapped or int(file.readline().split()[1]) > READ_BYTES:
                        return True
            except (OSError, ValueError):
                pass
            time.sleep(0.0002)
        return False

    def interrupted(self, launcher, env, words, do, is_whole=lambda _: False, speaks=True):
        """
        A command of which the second of three ranks is met while it reads: do(its process). Its status, its
        lines, and whether its work was over: what it has printed `is_whole`. It may fail without a line if it
        never `speaks`.
        """
        pid = os.path.join(self.folder, "pid")
        script = "case ${OMPI_COMM_WORLD_RANK-${PMI_RANK-1}} in 1) echo $$ >pid ;; esac; exec \"$@\""
        output = os.path.join(self.folder, "output.%s")
        with open(output % "out", "w+", errors="replace", encoding="utf-8") as out, \
                open(output % "err", "w+", errors="replace", encoding="utf-8") as err, \
                subprocess.Popen([*launcher, "sh", "-c", script, "sh", *words], cwd=self.folder, env=env,
                                 stdin=subprocess.DEVNULL, stdout=out, stderr=err) as job:
            if self.reading(job, pid):
                with open(pid, encoding="ascii") as file:
                    do(int(file.read()))
            job.wait(timeout=HANG_S)
            # A process of the first rank's host may say it only when the launcher has ended.
            end = time.monotonic() + (LATE_S if speaks else 0)
            while True:
                err.seek(0)
                lines = [line.rstrip() for line in err if line.startswith(SAYS)]
                out.seek(0)
                is_over = is_whole(out.read())
                if lines or is_over or not job.returncode or time.monotonic() > end:
                    break
                time.sleep(0.01)
        os.remove(pid)
        return job.returncode, lines, is_over

    def whole(self, work, words, copy):
        """Whether the work of a command is over, as a function of what it has printed."""
        if work == "unpack":
            plain = copy + ".plain"
            shutil.copytree(copy, plain)
            self.alone(*words[:-1], plain)
            made = contents(plain)
            shutil.rmtree(plain)
            return lambda _: contents(copy) == made
        if work in WRITES:
            path = words[words.index("-o") + 1]
            self.alone(*words)
            size = os.path.getsize(path)
            os.remove(path)
            return lambda _: os.path.exists(path) and os.path.getsize(path) == size
        text = self.alone(*words).stdout
        return lambda printed: bool(text) and text in printed  # with what the launcher says

    def test_killed(self):
        """A rank is killed while it reads events."""
        def kill(process):
            time.sleep(self.draw.random() * 0.02)
            try:
                os.kill(process, signal.SIGKILL)
            except ProcessLookupError:
                pass  # that was quick

        for work in self.some(WORKS, 2):
            name = self.other("mpich", "openmpi")
            launcher, env = self.launchers[name]
            copy = os.path.join(self.folder, "killed")
            shutil.copytree(self.packed if work == "unpack" else self.many, copy)
            words = self.command(work, copy)
            is_whole = self.whole(work, words, copy)
            status, lines, is_over = self.interrupted([*launcher, "-n", "3"], env, words, kill, is_whole)
            if status != 0 and len(lines) != 1 and not (is_over and not lines):
                self.fault(f"{name}, {work}, killed: status {status}, {lines}")
            shutil.rmtree(copy)

    def test_cut(self):
        """Files become shorter while they are read, by threads and by ranks."""
        def cut(_):
            for base, _, names in os.walk(copy):
                for file in names:
                    if file.endswith(".evt"):
                        os.truncate(os.path.join(base, file), 100)

        for work in self.some(WORKS, 2):
            name = self.other("mpich", "openmpi")
            launcher, env = self.launchers[name]
            for start, more in (([], ["--threads", "3"]), ([*launcher, "-n", "3"], [])):
                copy = os.path.join(self.folder, "short")
                shutil.copytree(self.packed if work == "unpack" else self.many, copy)
                *words, path = self.command(work, copy)
                status, lines, _ = self.interrupted(start, env, [*words, *more, path], cut,
                                                    speaks=work != "check")
                if status not in (0, 1) or len(lines) > 1 or (status and not lines and work != "check"):
                    self.fault(f"{name}, {work}, {start}, cut: status {status}, {lines}")
                shutil.rmtree(copy)

    def preloaded(self, rank, text):
        """Words that start a command which has this code preloaded on one rank."""
        return ("sh", "-c", f"case ${{OMPI_COMM_WORLD_RANK-$PMI_RANK}} in {rank}) "
                f"export LD_PRELOAD={self.compiled(f'preloaded-{rank}', text)} ;; esac; exec \"$@\"", "sh")

    def test_full_disk(self):
        """One rank cannot write what it has unpacked: nothing is changed. Or its text: there is no file."""
        fails = self.preloaded(
            3, REMADE + "#include <dlfcn.h>\n#include <errno.h>\n"
            "ssize_t write(int fd, const void *data, size_t n)\n{\n"
            "    if (is_remade(fd))\n"
            "        return errno = ENOSPC, -1;\n"
            "    return ((ssize_t(*)(int, const void *, size_t))dlsym(RTLD_NEXT, \"write\"))"
            "(fd, data, n);\n}\n"
            "ssize_t pwrite(int fd, const void *data, size_t n, off_t at)\n{\n"
            "    (void)fd, (void)data, (void)n, (void)at;\n    return errno = ENOSPC, -1;\n}\n"
            "ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)\n{\n"
            "    return pwrite(fd, data, n, at);\n}\n")
        before = contents(self.packed)
        for name in self.some(("mpich", "openmpi")):
            ran = self.run(name, "-n", "4", *fails, self.spur, "unpack", self.packed)
            lines = self.lines(name, ran)
            self.same(f"{name}, full disk", (ran.returncode, len(lines), lines[0].endswith(
                ": cannot write: No space left on device") if lines else ran.stderr), (1, 1, True))
            self.same(f"{name}, full disk, archive", contents(self.packed) == before, True)
            folder = os.path.join(self.folder, f"full-{name}")
            os.mkdir(folder)
            text = os.path.join(folder, "text")
            ran = self.run(name, "-n", "4", *fails, self.spur, "print", "-o", text, self.many)
            self.same(f"{name}, full disk, print",
                      (ran.returncode != 0, self.lines(name, ran), os.listdir(folder)),
                      (True, [f"spur: {text}: No space left on device"], []))

    def test_no_room(self):
        """There is no room for the file that a job makes: one line says so, and no part of it stays."""
        disk = os.path.join(self.folder, "disk")
        os.mkdir(disk)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=128k", "tmpfs", disk], check=True)
        try:
            for work, *words in self.some(OUTPUTS, 2):
                name = self.other("mpich", "openmpi")
                made = os.path.join(disk, "made")
                ran = self.run(name, "-n", "4", self.spur, work, *words, "-o", made, self.many)
                lines = self.lines(name, ran)
                self.same(f"{name}, {work} {words}, no room: {lines}",
                          (ran.returncode, len(lines), lines and lines[0].startswith(f"spur: {made}: ") and
                           lines[0].endswith(FULL), os.listdir(disk)), (1, 1, True, []))
        finally:
            subprocess.run(["umount", disk], check=True)

    def test_part_file(self):
        """A rank is killed while it writes a text: the part that is there goes."""
        killed = self.preloaded(2, "#include <signal.h>\n#include <sys/types.h>\n"
                                "ssize_t pwrite(int fd, const void *data, size_t n, off_t at)\n{\n"
                                "    (void)fd, (void)data, (void)n, (void)at;\n"
                                "    return raise(SIGKILL);\n}\n"
                                "ssize_t pwrite64(int fd, const void *data, size_t n, off64_t at)\n{\n"
                                "    return pwrite(fd, data, n, at);\n}\n")
        for name in self.some(("mpich", "openmpi")):
            folder = os.path.join(self.folder, f"part-{name}")
            os.mkdir(folder)
            ran = self.run(name, "-n", "3", *killed, self.spur, "print",
                           "-o", os.path.join(folder, "text"), self.many)
            end = time.monotonic() + LATE_S
            while os.listdir(folder) and time.monotonic() < end:
                time.sleep(0.01)  # the watcher may outlive the launcher
            self.same(f"{name}, part file", (ran.returncode != 0, os.listdir(folder), self.lines(name, ran)),
                      (True, [], ["spur: a rank of this job was killed: there is no result"]))

    def fails_in_run(self):
        """Words for a job whose second rank cannot start its second thread, and what it says."""
        fails = self.preloaded(1, "#include <dlfcn.h>\n#include <errno.h>\n#include <pthread.h>\n"
                               "#include <string.h>\n"
                               "int pthread_create(pthread_t *made, const pthread_attr_t *how, "
                               "void *(*start)(void *), void *argument)\n{\n    Dl_info info;\n"
                               "    if (dladdr((void *)start, &info) && "
                               "strstr(info.dli_fname, \"spur-check\"))\n        return EAGAIN;\n"
                               "    return ((int (*)(pthread_t *, const pthread_attr_t *, void *(*)(void *), "
                               "void *))\n        dlsym(RTLD_NEXT, \"pthread_create\"))"
                               "(made, how, start, argument);\n}\n")
        return ([*fails, self.spur, "check", "--threads", "2", self.many],
                ["spur: cannot start thread 2 of 2: Resource temporarily unavailable; try --threads 1"])

    def test_fails_in_run(self):
        """A rank that is not the first one fails while all work: its line is the only one."""
        words, line = self.fails_in_run()
        for name in self.some(("mpich", "openmpi")):
            ran = self.run(name, "-n", "3", *words)
            time.sleep(0.1)
            self.same(f"{name}, fails in a run", (ran.returncode, self.lines(name, ran)), (2, line))

    def test_fails_far(self):
        """The same on another host than the first rank's."""
        words, line = self.fails_in_run()
        for name in self.some(("mpich", "openmpi")):
            start = (os.path.join(hosts.HOSTS, "run"), *hosts.launcher(name, 2, 1))
            ran = self.alone(*start, *words)
            self.same(f"{name}, fails on another host", (ran.returncode, self.lines(name, ran)), (2, line))

    def test_killed_far(self):
        """
        A rank of another host than the first rank's is killed while it reads. The launcher of MPICH says so
        itself, and ends before it has heard what the first rank's host says.
        """
        line = "spur: a rank of this job was killed: there is no result"
        late = '"$@"; status=$?; sleep 1; exit $status'  # what ends late has time to
        for name, least in self.some((("mpich", 0), ("openmpi", 1))):
            start = (os.path.join(hosts.HOSTS, "run"), "sh", "-c", late, "sh",
                     *hosts.launcher(name, 2, 1))
            for work in self.some(sorted(WORKS)):
                folder = os.path.join(self.folder, f"far-{name}-{work}")
                copy = os.path.join(folder, "archive")
                shutil.copytree(self.packed if work == "unpack" else self.many, copy)
                killed = self.preloaded(1, KILLED.replace("BEFORE", str(self.draw.randrange(READS))))
                words = self.command(work, copy)
                if work in WRITES:
                    words[words.index("-o") + 1] = os.path.join(folder, "output")
                ran = self.alone(*start, *killed, *words)
                lines = self.lines(name, ran)
                self.same(f"{name}, {work}, killed on another host: {ran.stderr}, {lines}",
                          (ran.returncode != 0, least <= len(lines) <= 1, set(lines) <= {line},
                           os.listdir(folder)), (True, True, True, ["archive"]))

    def test_no_library(self):
        """Without the launcher's library there is one line, which names the remedy."""
        library = self.compiled("no", "void *dlopen(const char *f, int m) { (void)f, (void)m; return 0; }\n")
        command = os.path.join(os.path.dirname(self.spur), "..", "libexec", "spur", "spur-check")
        for rank, lines in ((0, 1), (1, 0)):
            ran = subprocess.run([command, self.many], capture_output=True, text=True, check=False,
                                 env={**os.environ, "LD_PRELOAD": library,
                                      "PMI_RANK": str(rank), "PMI_SIZE": "2"})
            self.same("no library", (ran.returncode, ran.stderr.count("LD_LIBRARY_PATH"),
                                     ran.stdout), (2, lines, ""))


if __name__ == "__main__":
    sys.exit(run_tests(Ends, (Ends.test_all_fail, Ends.test_one_fails, Ends.test_killed, Ends.test_cut,
                              Ends.test_full_disk, Ends.test_no_room, Ends.test_part_file,
                              Ends.test_fails_in_run, Ends.test_fails_far, Ends.test_killed_far,
                              Ends.test_no_library)))
