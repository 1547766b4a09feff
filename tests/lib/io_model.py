# SPDX-License-Identifier: BSD-3-Clause
"""
What processes do with descriptors and streams, from what they say that they have called: a model that
shares nothing with the agent. It has the files with their sizes, the open files with their positions,
the descriptors, and the handles that the trace has to have. From these follow what each call returns
and each record of the trace. A handle is known by its place in the model until the first record shows
its number.
"""

import collections
import errno

POSIX, ISOC = 1, 2  # session/io_paradigms.def
O_CREAT, O_TRUNC, O_APPEND, O_NONBLOCK, O_CLOEXEC = 0o100, 0o1000, 0o2000, 0o4000, 0o2000000
READ, WRITE, BOTH = 0, 1, 2  # O_ACCMODE and OTF2_IO_ACCESS_MODE, and what an operation does
SET, CURRENT, END = range(3)
MODES = {"r": 0, "w": 1 | O_CREAT | O_TRUNC, "a": 1 | O_CREAT | O_APPEND, "r+": 2,
         "w+e": 2 | O_CREAT | O_TRUNC | O_CLOEXEC, "ae": 1 | O_CREAT | O_APPEND | O_CLOEXEC}


class File:
    def __init__(self, name):
        self.name, self.size, self.is_null = name, 0, name == "/dev/null"


class Open:
    """An open file, which several descriptors may share."""

    def __init__(self, file, flags):
        self.file, self.access, self.at = file, flags & 3, 0
        self.append, self.nonblock = bool(flags & O_APPEND), bool(flags & O_NONBLOCK)

    def may(self, mode):
        return self.access in (mode, BOTH)

    def move(self, mode, n, at=None):
        """Bytes that are moved, or -errno."""
        if not self.may(mode):
            return -errno.EBADF
        if self.file.is_null:
            return n if mode == WRITE else 0
        begin = self.at if at is None else at
        if mode == READ:
            done = max(0, min(n, self.file.size - begin))
        else:
            begin = self.file.size if self.append and n else begin
            self.file.size = max(self.file.size, begin + n) if n else self.file.size
            done = n
        if at is None and done:
            self.at = begin + done
        return done

    def seek(self, offset, whence):
        if self.file.is_null:
            return 0
        to = offset + {SET: 0, CURRENT: self.at, END: self.file.size}[whence]
        if to < 0:
            return -errno.EINVAL
        self.at = to
        return to


class Handle:
    """`state`: (access mode, status flags) of one that was found."""

    def __init__(self, path, layer, state=None, parent=None):
        self.path, self.layer, self.state, self.parent, self.number = path, layer, state, parent, None


class Descriptor:
    """`open` None: it was closed where the agent did not see that, and has handles still."""

    def __init__(self, opened, ends_at_exec=False):
        self.open, self.ends_at_exec, self.handles = opened, ends_at_exec, {}

    def status(self):
        return self.ends_at_exec * 1 | self.open.append * 2 | self.open.nonblock * 4

    def is_recorded(self):
        return self.open is not None and not self.open.file.is_null


class Process:
    """Collects `expected`: (record, handle, other handle or None, {place: value}, the line said)."""

    def __init__(self, layers, names, parent=None, is_exec=False):
        self.layers, self.names, self.line = layers, names, ""
        self.expected, self.of = [], {}
        for fd, known in (parent.of if parent else {}).items():
            if known.open and not (is_exec and known.ends_at_exec):
                self.of[fd] = Descriptor(known.open, known.ends_at_exec)

    def put(self, name, handle, other=None, **values):
        self.expected.append((name, handle, other, values, self.line))

    def open_at(self, fd):
        known = self.of.get(fd)
        return known.open if known else None

    def use(self, fd, layer=POSIX):
        """The handle of a descriptor; None: it has none and gets none."""
        known = self.of.get(fd)
        if known is None or layer not in self.layers:
            return None
        if layer not in known.handles and known.is_recorded():
            parent = known.handles.get(ISOC) if layer == POSIX else None
            state = known.open.access, known.status() & ~1
            known.handles[layer] = Handle(known.open.file.name, layer, state, parent)
        return known.handles.get(layer)

    def drop(self, fd):
        """It is closed, or found to be."""
        gone = self.of.pop(fd, None)
        for layer in (POSIX, ISOC):
            if gone and layer in gone.handles:
                self.put("IoDestroyHandle", gone.handles[layer])

    def open_path(self, path, flags):
        """An Open, or -errno."""
        file = File(path) if path == "/dev/null" else self.names.get(path)
        if file is None:
            if not flags & O_CREAT:
                return -errno.ENOENT
            file = self.names[path] = File(path)
        if flags & O_TRUNC:
            file.size = 0
        return Open(file, flags)

    def created(self, fd, opened, flags, layer):
        """A descriptor by a call of this layer, with what is recorded of it."""
        known = Descriptor(opened, bool(flags & O_CLOEXEC))
        if layer in self.layers and known.is_recorded():
            self.drop(fd)
            known.handles[layer] = Handle(opened.file.name, layer)
            self.put("IoCreateHandle", known.handles[layer], mode=opened.access,
                     creation=bool(flags & O_CREAT) * 1 | bool(flags & O_TRUNC) * 2,
                     status=known.status())
        self.of[fd] = known

    # ---- operations: each returns what the call has to return ----

    def do_open(self, fd, path, flags):
        opened = self.open_path(path, int(flags))
        if isinstance(opened, int):
            return opened
        self.created(fd, opened, int(flags), POSIX)
        return fd

    def do_fopen(self, fd, path, mode, more=0):
        opened = self.open_path(path, MODES[mode])
        if isinstance(opened, int):
            return opened
        if mode[0] == "a":
            opened.seek(0, END)
        self.created(fd, opened, MODES[mode] | more, ISOC)
        return fd

    def do_freopen(self, result, fd, path, mode, ends_at_exec):
        """
        The C library may keep what an earlier mode of the stream said of exec. Where there is neither
        a descriptor nor a file, it may tell of one or the other.
        """
        had_nothing = self.open_at(int(fd)) is None
        self.drop(int(fd))
        want = self.do_fopen(int(fd), path, mode, int(ends_at_exec) * O_CLOEXEC)
        return result if want < 0 and had_nothing and result == -errno.EBADF else want

    def do_fdopen(self, _result, fd, mode):
        known, flags = self.of.get(int(fd)), MODES[mode]
        if not known or not known.open:
            return -errno.EBADF
        if known.open.access not in (flags & 3, BOTH):
            return -errno.EINVAL
        if mode[0] == "a" and not known.open.append:
            known.open.append = True
            known.open.seek(0, END)
        if ISOC in self.layers and known.is_recorded() and ISOC not in known.handles:
            known.handles[ISOC] = Handle(known.open.file.name, ISOC)
            self.put("IoCreateHandle", known.handles[ISOC], mode=known.open.access, creation=0,
                     status=known.status())
        return 0

    def do_raw(self, fd, path):
        self.of[fd] = Descriptor(self.open_path(path, BOTH | O_CREAT))
        return fd

    def do_pass(self, to, fd):
        self.of[to] = Descriptor(self.open_at(int(fd)))
        return to

    def do_rawclose(self, _result, fd):
        self.of[int(fd)].open = None
        return 0

    def transfer(self, fd, mode, n, offset=None, layer=POSIX):
        handle, opened = self.use(int(fd), layer), self.open_at(int(fd))
        offset = None if offset is None else int(offset)
        done = opened.move(mode, int(n), offset) if opened else -errno.EBADF
        if handle and done >= 0:
            self.put("operation", handle, mode=mode, asked=int(n), done=done, offset=offset)
        return done

    def do_read(self, _result, fd, n):
        return self.transfer(fd, READ, n)

    def do_write(self, _result, fd, n):
        return self.transfer(fd, WRITE, n)

    def do_pread(self, _result, fd, n, offset):
        return self.transfer(fd, READ, n, offset)

    def do_pwrite(self, _result, fd, n, offset):
        return self.transfer(fd, WRITE, n, offset)

    def do_fread(self, _result, fd, n):
        return self.transfer(fd, READ, n, layer=ISOC)

    def do_fwrite(self, _result, fd, n):
        return self.transfer(fd, WRITE, n, layer=ISOC)

    def do_copy(self, _result, fd, to, n):
        handles = self.use(int(fd)), self.use(int(to))
        done = copied(self.open_at(int(fd)), self.open_at(int(to)), int(n))
        for mode, handle in enumerate(handles):
            if handle and done >= 0:
                self.put("operation", handle, mode=mode, asked=int(n), done=done, offset=None)
        return done

    def seek(self, fd, offset, whence, layer):
        handle, opened = self.use(int(fd), layer), self.open_at(int(fd))
        result = opened.seek(int(offset), int(whence)) if opened else -errno.EBADF
        if handle and result >= 0:
            self.put("IoSeek", handle, offset=int(offset), whence=int(whence), result=result)
        return result

    def do_lseek(self, _result, fd, offset, whence):
        return self.seek(fd, offset, whence, POSIX)

    def do_fseek(self, _result, fd, offset):
        return min(0, self.seek(fd, offset, SET, ISOC))

    def do_ftruncate(self, _result, fd, size):
        opened = self.open_at(int(fd))
        if not opened:
            return -errno.EBADF
        if not opened.may(WRITE) or opened.file.is_null:
            return -errno.EINVAL
        opened.file.size = int(size)
        return 0

    def duplicate(self, fd, to, handle, ends_at_exec=False):
        known = Descriptor(self.open_at(fd), ends_at_exec)
        if handle:
            self.drop(to)
            known.handles[POSIX] = Handle(known.open.file.name, POSIX)
            self.put("IoDuplicateHandle", handle, known.handles[POSIX], status=known.status())
        self.of[to] = known

    def do_dupfd(self, result, fd, ends_at_exec=False):
        handle = self.use(int(fd))
        if not self.open_at(int(fd)):
            return -errno.EBADF
        self.duplicate(int(fd), result, handle, ends_at_exec)
        return result

    def do_dupfd_cloexec(self, result, fd):
        return self.do_dupfd(result, fd, True)

    def do_dup2(self, _result, fd, to, ends_at_exec=False):
        fd, to = int(fd), int(to)
        if fd == to:
            return fd if self.open_at(fd) else -errno.EBADF
        handle, opened = self.use(fd), self.open_at(fd)
        if not opened:
            return -errno.EBADF
        self.drop(to)
        self.duplicate(fd, to, handle, ends_at_exec)
        return to

    def do_dup3(self, result, fd, to):
        return -errno.EINVAL if fd == to else self.do_dup2(result, fd, to, True)

    def changed(self, fd):
        handle = self.use(fd)
        if handle:
            self.put("IoChangeStatusFlags", handle, flags=self.of[fd].status())
        return 0

    def do_setfl(self, _result, fd, flags):
        handle, opened = self.use(int(fd)), self.open_at(int(fd))
        if not opened:
            return -errno.EBADF
        opened.append, opened.nonblock = bool(int(flags) & O_APPEND), bool(int(flags) & O_NONBLOCK)
        return self.changed(int(fd)) if handle else 0

    def do_setfd(self, _result, fd, own):
        handle, opened = self.use(int(fd)), self.open_at(int(fd))
        if not opened:
            return -errno.EBADF
        self.of[int(fd)].ends_at_exec = bool(int(own))
        return self.changed(int(fd)) if handle else 0

    def do_end_at_exec(self, _result, first, last):
        for fd in range(int(first), int(last) + 1):
            if fd in self.of:
                self.of[fd].ends_at_exec = True
        return 0

    def do_close(self, _result, fd):
        is_open = self.open_at(int(fd)) is not None
        self.drop(int(fd))
        return 0 if is_open else -errno.EBADF

    do_fclose = do_close

    def do_close_range(self, _result, first, last):
        for fd in range(int(first), int(last) + 1):
            self.drop(fd)
        return 0

    def do_vfork(self, _result, fd, start, to, out, n):
        """In the child, whose descriptors are its own."""
        of = {number: known.open for number, known in self.of.items() if known.open}
        of.pop(int(fd), None)
        if int(start) in of:
            of[int(to)] = of[int(start)]
        return of[int(out)].move(WRITE, int(n)) if int(out) in of else -errno.EBADF

    def do_unlink(self, _result, path):
        if path not in self.names:
            return -errno.ENOENT
        del self.names[path]
        if POSIX in self.layers:
            self.put("IoDeleteFile", None, layer=POSIX, path=path)
        return 0

    def do_rename(self, _result, path, to):
        if path not in self.names:
            return -errno.ENOENT
        self.names[to] = self.names[path]
        self.names[to].name = to
        if path != to:
            del self.names[path]
        return 0


def copied(source, target, n):
    """What copy_file_range() returns, when it has moved both."""
    if not source or not target:
        return -errno.EBADF
    if source.file.is_null or target.file.is_null:
        return -errno.EINVAL
    if not source.may(READ) or not target.may(WRITE) or target.append:
        return -errno.EBADF
    n = max(0, min(n, source.file.size - source.at))
    if source.file is target.file and target.at < source.at + n and source.at < target.at + n:
        return -errno.EINVAL
    done = source.move(READ, n)
    return target.move(WRITE, done)


def processes(text, layers):
    """
    ({process: Process}, [what a call has returned against the model]) of all that the processes of a
    run have printed.
    """
    lines, names, found, wrong = collections.defaultdict(list), {}, {}, []
    for line in text.splitlines():
        name, rest = line.split(" ", 1)
        lines[name].append(rest)

    def run(name, parent, is_exec=False):
        process = found[name] = Process(layers, names, parent, is_exec)
        pid, image = name.split(":")
        for i, line in enumerate(lines[name]):
            process.line = f"line {i}, {line}"
            words, result = line.split(" = ")
            if words == "fork":
                run(f"{result}:{image}", process)
            elif words == "exec":
                run(f"{pid}:{int(image) + 1}", process, True)
            else:
                operation, *arguments = words.split()
                want = getattr(process, "do_" + operation)(int(result), *arguments)
                if want != int(result):
                    wrong.append(f"{name}, {process.line}, model: {want}")

    forked = {line.split()[-1] for rows in lines.values() for line in rows if line.startswith("fork ")}
    run(next(name for name in lines if name.endswith(":0") and name[:-2] not in forked), None)
    return found, wrong
