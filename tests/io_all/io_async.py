# SPDX-License-Identifier: BSD-3-Clause
"""Calls of io_async_calls.def for io_generate.py: statements that make a call of a row, and how many."""

SETUP = """int fd = file(path);
        struct aiocb{bits} block = {{.aio_fildes = fd, .aio_buf = data, .aio_nbytes = N,
                       .aio_offset = OFFSET, .aio_lio_opcode = LIO_READ}};
        struct aiocb{bits} *blocks[] = {{&block}}; (void)blocks; errno = 0;"""
CALLS = {"aio_read": "{name}(&block)", "aio_write": "{name}(&block)", "aio_fsync": "{name}(O_SYNC, &block)",
         "lio_listio": "{name}({mode}, blocks, 1, NULL)", "aio_error": "{name}(&block)",
         "aio_return": "{name}(&block)", "aio_suspend": "{name}((void *)blocks, 1, NULL)",
         "aio_cancel": "{name}(fd, &block)"}
BEGINS = ("aio_read", "aio_write", "aio_fsync", "lio_listio")
START = "(void)!aio_read{bits}(&block);"
AWAIT = "(void)!aio_suspend{bits}((void *)list, 1, NULL);"
END = "(void)!aio_return{bits}(&block);"


def is_one(row):
    return row.table == "io_async_calls.def"


def parts(row):
    bits = "64" if row.name.endswith("64") else ""
    return row.name.removesuffix("64"), bits


def good(row):
    name, bits = parts(row)
    lines = [SETUP.format(bits=bits), f"struct aiocb{bits} *list[] = {{&block}};"]
    if name not in BEGINS:
        lines += [START.format(bits=bits), AWAIT.format(bits=bits)]
    lines += [f"long ret = {CALLS[name].format(name=row.name, mode='LIO_WAIT')}; int error = errno;"]
    if name in BEGINS:
        lines.append(AWAIT.format(bits=bits))
    lines.append('said("good", ret, error);')
    if name != "aio_return":
        lines.append(END.format(bits=bits))
    if name in ("aio_read", "aio_write"):
        lines.append(f'printf("bytes %s {name[4:]} %d\\n", name, N);')
    return lines + ["syscall(SYS_close, fd);"]


def bad(row):
    """A descriptor that there is not, whose end is not recorded; or what the C library refuses."""
    name, bits = parts(row)
    lines = [SETUP.format(bits=bits)]
    if name == "lio_listio":
        return lines + [f"long ret = {row.name}(99, blocks, 1, NULL); int error = errno;",
                        'said("bad", ret, error); syscall(SYS_close, fd);']
    lines += ["syscall(SYS_close, fd); fd = block.aio_fildes = -1;"]
    if name not in BEGINS:
        return lines + ([f"long ret = {CALLS[name].format(name=row.name)};",
                         'int error = errno; said("bad", ret, error);'] if name == "aio_cancel" else [])
    return lines + [f"long ret = {CALLS[name].format(name=row.name)}; int error = errno;",
                    "while (ret == 0 && aio_error((void *)&block) == EINPROGRESS)\n            ;",
                    'said("bad", ret, error);']


def times(row):
    return 2 if parts(row)[0] == "lio_listio" else 1


BESIDES = {f"(void)!{name}{bits}(": name + bits for name in ("aio_read", "aio_suspend", "aio_return")
           for bits in ("", "64")}
