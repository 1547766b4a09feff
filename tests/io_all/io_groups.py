# SPDX-License-Identifier: BSD-3-Clause
"""
The part of io_generate.py on the groups that SPUR_IO switches on by their names: statements that call a
function of io_meta_calls.def, io_wait_calls.def or io_net_calls.def so that it succeeds (good) and so
that it fails (bad).
`open_dir` and `end_dir` are calls of opendir and closedir, and
`end_fd` of close.
"""

HELPERS = """
static const struct timespec no_time;
static struct timeval no_timeval;
static char long_text[4096];

static DIR *open_dir(void)
{
    return opendir(".");
}

static void end_dir(DIR *dir)
{
    closedir(dir);
}

static void end_fd(int fd)
{
    close(fd);
}

/* A connection; N bytes are under way to its first end. */
static void connected(int pair[2], int type)
{
    syscall(SYS_socketpair, AF_UNIX, type, 0, pair);
    for (int i = 0; i < 2; i++)
        syscall(SYS_sendto, pair[1], data, (long)N, 0L, NULL, 0L);
}

static const struct sockaddr own_address = {.sa_family = AF_UNIX};

/* A socket that waits for connections at `address`, and one that has come if there is a client. */
static int listening(struct sockaddr_storage *address, socklen_t *length, int *client)
{
    int fd = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    syscall(SYS_bind, fd, &own_address, (long)sizeof own_address.sa_family);
    syscall(SYS_listen, fd, 2L);
    *length = sizeof *address;
    syscall(SYS_getsockname, fd, address, length);
    if (client)
        *client = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);
    if (client)
        syscall(SYS_connect, *client, address, (long)*length);
    return fd;
}

static int queue_of(int fd)
{
    struct epoll_event event = {.events = EPOLLIN};
    int queue = (int)syscall(SYS_epoll_create1, 0);
    syscall(SYS_epoll_ctl, queue, EPOLL_CTL_ADD, fd, &event);
    return queue;
}
"""
# What stands for a cell, if no row says otherwise; {name: {cell: value}} for rows that do.
VALUES = {"path": "path", "fd": "fd", "dir": "AT_FDCWD", "version": "1", "flags": "0", "way": "R_OK",
          "mask": "STATX_SIZE", "text": "long_text", "room": "sizeof long_text", "n": "N", "mode": "0600",
          "user": "-1", "group": "-1", "times": "NULL", "attribute": '"user.spur"', "value": "data",
          "device": "0", "place": "0", "timeout": "0", "limit": "&no_time", "period": "&no_timeval",
          "polls": "&one", "top": "ends[0] + 1", "ins": "&set", "outs": "NULL", "others": "NULL",
          "queue": "queue", "events": "events", "most": "4"}
SPECIAL = {"mknod": {"mode": "S_IFREG | 0600"}, "mknodat": {"mode": "S_IFREG | 0600"},
           "getdents64": {"n": "sizeof data"}, "canonicalize_file_name": {"path": '"."'},
           "mkdtemp": {"path": "made"}}
NET = {"domain": "AF_UNIX", "type": "SOCK_STREAM", "protocol": "0", "ends": "ends", "fd": "pair[0]",
       "address": "NULL", "length": "0", "backlog": "1", "way": "SHUT_WR", "data": "data", "n": "N",
       "room": "sizeof data", "message": "&message", "messages": "messages", "flags": "0", "limit": "NULL",
       "parts": "parts", "count": "2", "in": "ends[0]", "out": "pair[1]"}
NET_SPECIAL = {"connect": {"fd": "pair[0]", "address": "(struct sockaddr *)&address", "length": "length"},
               "bind": {"address": "&own_address", "length": "sizeof own_address.sa_family"},
               "sendmmsg": {"n": "2"}, "recvmmsg": {"n": "2", "flags": "MSG_DONTWAIT"},
               "accept": {"length": "NULL"}, "accept4": {"length": "NULL", "flags": "SOCK_CLOEXEC"},
               "recv": {"flags": "MSG_DONTWAIT"}, "recvfrom": {"length": "NULL"},
               "vmsplice": {"fd": "ends[1]"}, "tee": {"out": "pair[1]"}}
WAITS = {"polls": "(struct pollfd *)8", "top": "-1", "queue": "-1"}
MAKES = ("mkdir", "mkfifo", "mknod", "rmdir", "readlink", "__readlink")  # or use what is no regular file
OF_DIRECTORY = ("fchdir", "fdopendir", "getdents64")
# What the call gives back.
OUTPUT = ("info", "entry", "found")


def is_one(row):
    return row.table in ("io_meta_calls.def", "io_wait_calls.def", "io_net_calls.def")


def values(row):
    given = {**VALUES, **SPECIAL.get(row.name, {})}
    cells = dict((name, kind) for kind, name in row.cells)
    if row.wants.startswith("META_OF"):
        given["dir"] = "dir"
    if "polls" in cells:
        given.update(n="1", room="sizeof one", mask="NULL")
    if "queue" in cells or "top" in cells:
        given["mask"] = "NULL"
    for name in OUTPUT:
        given[name] = f"&{name}"
    if row.name.startswith(MAKES):
        given["path"] = "to"
    if "readlink" in row.name:
        given["n"] = "64"
    if row.name in ("opendir", "chdir"):
        given["path"] = '"."'
    return given


def locals_of(row):
    """Variables for what the call gives back."""
    lines = [f"{kind.rsplit('*', 1)[0]} {name};" for kind, name in row.cells if name in OUTPUT]
    return lines + ['char to[80]; snprintf(to, sizeof to, "%s.to", path); (void)to;',
                    'char made[80]; snprintf(made, sizeof made, "t.%s.XXXXXX", name); (void)made;']


def invoke(row, given):
    text = f"{row.name}({', '.join(given[name] for _, name in row.cells)})"
    if row.type == "void":
        return f"errno = 0; {text}; long ret = 0; int error = errno;"
    if row.type == "DIR *":
        return f"errno = 0; DIR *opened = {text}; int error = errno; long ret = opened != NULL;"
    shown = f"{text} != NULL" if row.type.endswith("*") else f"(long){text}"
    return f"errno = 0; long ret = {shown}; int error = errno;"


def net_setup(row):
    """Statements that make what the call works on, and those that end it: (lines, ends)."""
    name = row.name.strip("_")
    if row.wants == "ALWAYS(NET)":
        return ["int ends[2] = {-1, -1};"], ["end_fd((int)ret);"] if name == "socket" else \
            ["end_fd(ends[0]);", "end_fd(ends[1]);"]
    if name in ("tee", "vmsplice"):
        return ["int ends[2], pair[2]; syscall(SYS_pipe2, ends, 0L); syscall(SYS_pipe2, pair, 0L);",
                "syscall(SYS_write, ends[1], data, (long)N);"], \
            ["end_fd(pair[1]); syscall(SYS_close, ends[1]);" if name == "tee" else
             "end_fd(ends[1]); syscall(SYS_close, pair[1]);", "syscall(SYS_close, ends[0]);",
             "syscall(SYS_close, pair[0]);"]
    if name.startswith(("accept", "connect", "bind", "listen", "shutdown")):
        client = "&pair[1]" if name.startswith("accept") else "NULL"
        lines = ["struct sockaddr_storage address; socklen_t length; int pair[2] = {-1, -1};",
                 f"int other = listening(&address, &length, {client});"]
        lines.append("pair[0] = other;" if name.startswith(("accept", "listen", "shutdown")) else
                     "pair[0] = (int)syscall(SYS_socket, AF_UNIX, SOCK_STREAM, 0);")
        return lines, (["end((int)ret);"] if name.startswith("accept") else []) + \
            ["syscall(SYS_close, other); syscall(SYS_close, pair[0]); syscall(SYS_close, pair[1]);"]
    kind = "SOCK_DGRAM" if "mmsg" in name else "SOCK_STREAM"
    return [f"int pair[2]; connected(pair, {kind}); char other[2 * N];",
            "struct iovec vector[] = {{other, N}, {other + N, N}};",
            "struct msghdr message = {.msg_iov = vector, .msg_iovlen = 1};",
            "struct mmsghdr messages[2] = {{.msg_hdr = message}, {.msg_hdr = message}}; (void)messages;"], \
        ["end_fd(pair[0]); syscall(SYS_close, pair[1]);"]


def net(row):
    lines, close = net_setup(row)
    given = {**NET, **NET_SPECIAL.get(row.name.strip("_"), {})}
    moved = ['printf("moved %s %s %ld\\n", name, ' + ('"read"' if "recv" in row.name else '"write"') +
             f', {"2L * N" if "mmsg" in row.name else "ret"});'] if row.role == "FILE_IO" else []
    return lines + [invoke(row, given), 'said("good", ret >= 0, error);'] + moved + close


def net_bad(row):
    given = {**NET, **NET_SPECIAL.get(row.name.strip("_"), {}), "domain": "-1", "fd": "-1", "out": "-1"}
    if row.name.strip("_") == "pipe":
        given["ends"] = "(int *)8"
    return ["struct sockaddr_storage address; socklen_t length = 0; int ends[2], pair[2] = {-1, -1};",
            "struct msghdr message = {0}; struct mmsghdr messages[2] = {0};", invoke(row, given),
            'said("bad", ret, error);']


def good(row):
    if row.table == "io_net_calls.def":
        return net(row)
    cells = [name for _, name in row.cells]
    lines, close = locals_of(row), []
    if row.wants.startswith("META_OF"):
        lines.append('DIR *dir = open_dir();')
        close.append("end_dir(dir);")
    elif "fd" in cells:
        if row.name in OF_DIRECTORY:
            lines.append('int fd = (int)syscall(SYS_openat, AT_FDCWD, ".", O_RDONLY | O_DIRECTORY);')
        else:
            lines.append("int fd = file(path);")
        if row.name != "fdopendir":
            close.append("syscall(SYS_close, fd);")
    elif "path" in cells:
        lines.append("syscall(SYS_close, file(path));")
    else:
        lines.append("int ends[2]; syscall(SYS_pipe2, ends, 0); syscall(SYS_write, ends[1], data, 1L);")
        lines.append("struct pollfd one = {ends[0], POLLIN, 0}; (void)one;")
        lines.append("fd_set set; FD_ZERO(&set); FD_SET(ends[0], &set);")
        lines.append("struct epoll_event events[4]; int queue = queue_of(ends[0]); (void)events;")
        close.append("syscall(SYS_close, ends[0]); syscall(SYS_close, ends[1]); syscall(SYS_close, queue);")
    if "readlink" in row.name:
        lines.append('syscall(SYS_symlinkat, "target", AT_FDCWD, to);')
    if row.name == "rmdir":
        lines.append("syscall(SYS_mkdirat, AT_FDCWD, to, 0700L);")
    if row.name == "mkdtemp":
        close.append("syscall(SYS_unlinkat, AT_FDCWD, made, AT_REMOVEDIR);")
    if row.type == "DIR *":
        close.append("end_dir(opened);")
    return lines + [invoke(row, values(row)), 'said("good", ret, error);'] + close


def bad(row):
    """Names and descriptors that there are not. What is not looked at by either has no such call."""
    if row.table == "io_net_calls.def":
        return net_bad(row)
    cells = [name for _, name in row.cells]
    given = {**values(row), "path": '"no/such/file"', "fd": "-1"}
    given.update((name, value) for name, value in WAITS.items() if name in cells)
    if row.name == "mkdtemp":
        given["path"] = "made + 2"
        return locals_of(row) + ["made[strlen(made) - 1] = 'x';", invoke(row, given),
                                 'said("bad", ret, error);']
    if row.wants.startswith("META_OF"):
        return []
    text = invoke(row, given).replace("DIR *opened", "void *opened")
    return locals_of(row) + ["int ends[2] = {0}; struct pollfd one; fd_set set; FD_ZERO(&set);",
                             "struct epoll_event events[4];", text, 'said("bad", ret, error);']


def times(row):
    """How often the function is in the trace by the calls of good() and bad()."""
    return 1 if row.wants.startswith(("META_O", "ON")) else 2
