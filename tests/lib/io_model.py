# SPDX-License-Identifier: BSD-3-Clause
"""
What the trace of a process has to say of its descriptors, from what the process says that it has
done: a model that shares nothing with the agent. A handle is known by its place in the model until
the first record shows its number.
"""

import collections

O_APPEND, O_NONBLOCK, O_CLOEXEC, O_CREAT, O_TRUNC = 0o2000, 0o4000, 0o2000000, 0o100, 0o1000
MODES = {0: 0, 1: 1, 2: 2}  # O_ACCMODE: OTF2_IO_ACCESS_MODE
UNKNOWN = None


class Handle:
    def __init__(self, path, is_found=False):
        self.path, self.is_found, self.number = path, is_found, None


class Descriptor:
    """An open descriptor: its file (None: one that is not recorded), and its handle if it has one."""

    def __init__(self, path, handle=UNKNOWN, ends_at_exec=False):
        self.path, self.handle, self.ends_at_exec = path, handle, ends_at_exec


def status_of(flags):
    return (2 if flags & O_APPEND else 0) | (4 if flags & O_NONBLOCK else 0) | \
        (1 if flags & O_CLOEXEC else 0)


class Process:
    """Collects `expected`: (record, handle, other handle or None, {place: value})."""

    def __init__(self, parent=None):
        self.of = {}
        self.expected = []
        if parent:
            self.of = {fd: Descriptor(d.path, ends_at_exec=d.ends_at_exec)
                       for fd, d in parent.of.items()}

    def put(self, name, handle, other=None, **values):
        self.expected.append((name, handle, other, values))

    def use(self, fd):
        """The handle of a descriptor; None: it has none and gets none."""
        known = self.of.get(fd)
        if known is None or known.path is None:
            return None
        if known.handle is UNKNOWN:
            known.handle = Handle(known.path, True)
        return known.handle

    def drop(self, fd):
        gone = self.of.pop(fd, None)
        if gone and gone.handle is not UNKNOWN:
            self.put("IoDestroyHandle", gone.handle)

    def step(self, words, result):
        getattr(self, "do_" + words[0])(result, *words[1:])

    def do_open(self, fd, path, flags):
        flags = int(flags)
        if fd < 0:
            return
        if path == "/dev/null":
            self.of[fd] = Descriptor(None)
            return
        self.of[fd] = Descriptor(path, Handle(path), bool(flags & O_CLOEXEC))
        creation = (1 if flags & O_CREAT else 0) | (2 if flags & O_TRUNC else 0)
        self.put("IoCreateHandle", self.of[fd].handle, mode=MODES[flags & 3], creation=creation,
                 status=status_of(flags))

    def do_raw(self, fd, path):
        self.of[fd] = Descriptor(path)

    def transfer(self, fd, mode, asked, result, offset=None):
        handle = self.use(int(fd))
        if handle and result >= 0:
            self.put("operation", handle, mode=mode, asked=int(asked), done=result, offset=offset)

    def do_read(self, result, fd, asked):
        self.transfer(fd, 0, asked, result)

    def do_write(self, result, fd, asked):
        self.transfer(fd, 1, asked, result)

    def do_pread(self, result, fd, asked, offset):
        self.transfer(fd, 0, asked, result, int(offset))

    def do_pwrite(self, result, fd, asked, offset):
        self.transfer(fd, 1, asked, result, int(offset))

    def do_lseek(self, result, fd, offset, whence):
        handle = self.use(int(fd))
        if handle and result >= 0:
            self.put("IoSeek", handle, offset=int(offset), whence=int(whence), result=result)

    def duplicate(self, fd, to, handle, ends_at_exec=False):
        if handle is None:
            self.of[to] = Descriptor(self.of[fd].path)
            return
        self.of[to] = Descriptor(handle.path, Handle(handle.path), ends_at_exec)
        self.put("IoDuplicateHandle", handle, self.of[to].handle)

    def do_dupfd(self, result, fd):
        handle = self.use(int(fd))
        if result >= 0:
            self.duplicate(int(fd), result, handle)

    def do_dup2(self, result, fd, to, ends_at_exec=False):
        fd, to = int(fd), int(to)
        if fd == to:
            return
        handle = self.use(fd)
        if result >= 0:
            self.drop(to)
            self.duplicate(fd, to, handle, ends_at_exec)

    def do_dup3(self, result, fd, to):
        self.do_dup2(result, fd, to, True)

    def do_setfl(self, result, fd, flags):
        handle = self.use(int(fd))
        if handle and result == 0:
            ends_at_exec = int(self.of[int(fd)].ends_at_exec)
            self.put("IoChangeStatusFlags", handle, flags=status_of(int(flags)) | ends_at_exec)

    def do_close(self, _result, fd):
        self.drop(int(fd))

    def do_close_range(self, _result, first, last):
        for fd in range(int(first), int(last) + 1):
            self.drop(fd)

    def do_unlink(self, result, path):
        if result == 0:
            self.put("IoDeleteFile", None, path=path)


def processes(text):
    """{pid: Process} of all that the processes of a run have printed."""
    lines = collections.defaultdict(list)
    for line in text.splitlines():
        pid, rest = line.split(" ", 1)
        lines[int(pid)].append(rest)
    children = {int(line.split()[-1]) for rows in lines.values() for line in rows
                if line.startswith("fork ")}
    found = {}

    def run(pid, parent):
        process = found[pid] = Process(parent)
        for line in lines[pid]:
            words, result = line.split(" = ")
            if words == "fork":
                run(int(result), process)
            else:
                process.step(words.split(), int(result))

    run(next(pid for pid in lines if pid not in children), None)
    return found
