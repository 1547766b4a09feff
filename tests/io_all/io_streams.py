# SPDX-License-Identifier: BSD-3-Clause
"""
The part of io_generate.py on streams: statements that call a function of io_stream_calls.def so that
it succeeds (good) and so that it fails (bad). `open_stream` and `end_stream` are calls of fdopen and
fclose. The file's text is lines of LINE.
"""

LINE = "0123456789 words\n"
TEXT = "some text"
HELPERS = """
static FILE *open_stream(int fd, const char *mode)
{
    FILE *stream = fdopen(fd, mode);
    errno = 0;
    return stream;
}

static void end_stream(FILE *stream)
{
    fclose(stream);
}

static wchar_t wide[200];
static int number;
"""
# What stands for a cell, if no row says otherwise; {name: {cell: value}} for rows that do.
VALUES = {"size": "5", "n": "20", "c": "'x'", "room": "sizeof data2", "stream": "stream", "data": "data2",
          "end": "' '", "line": "&line", "offset": "10", "whence": "SEEK_SET", "position": "&position",
          "buffer": "NULL", "way": "_IOFBF", "flag": "1", "path": "path", "mode": '"r+"', "fd": "fd"}
SPECIAL = {"getline": {"size": "&size"}, "getdelim": {"size": "&size"},
           "__getdelim": {"size": "&size"}, "setvbuf": {"size": "0"}, "setbuffer": {"size": "0"}}
BAD = {"fopen": {"path": '"no/such/file"'}, "fopen64": {"path": '"no/such/file"'},
       "fdopen": {"fd": "-1"}}


def is_wide(row):
    return any("wchar_t" in kind for kind, _ in row.cells or []) or row.name in HANDS_WIDE or \
        row.type == "wint_t"


# Those with a variable argument list: the words before the format.
HANDS = {"fprintf": "stream, ", "__fprintf_chk": "stream, 1, ", "printf": "", "__printf_chk": "1, ",
         "fwprintf": "stream, ", "__fwprintf_chk": "stream, 1, ", "wprintf": "", "__wprintf_chk": "1, ",
         "__isoc99_fscanf": "stream, ", "__isoc99_scanf": "", "__isoc99_fwscanf": "stream, ",
         "__isoc99_wscanf": "", "__isoc23_fscanf": "stream, ", "__isoc23_scanf": "",
         "__isoc23_fwscanf": "stream, ", "__isoc23_wscanf": "", "dprintf": "fd, ", "__dprintf_chk": "fd, 1, "}
HANDS_WIDE = {name for name in HANDS if "w" in name}


def is_scan(row):
    return "scanf" in row.name


def is_formatted(row):
    return "printf" in row.name or is_scan(row)


def is_reading(row):
    return is_scan(row) or (row.after or "").startswith("STREAMED(READ")


def is_moving(row):
    return is_formatted(row) or (row.after or "").startswith("STREAMED")


def implicit(row):
    """The stream of a row that does not name it."""
    if row.kind == "HAND":
        words = "" if "stream" in HANDS[row.name] or "fd" in HANDS[row.name] else \
            "stdin" if is_scan(row) else "stdout"
    else:
        words = next((s for s in ("stdin", "stdout") if row.wants == f"STREAM({s})"), "")
    return words


def values(row):
    found = dict(VALUES)
    text = "data2" if is_reading(row) else f'"{TEXT}"'
    if is_wide(row):
        text = "wide" if is_reading(row) else f'L"{TEXT}"'
        found["room"] = "200"
    found["text"] = text
    found["format"] = ("L" if is_wide(row) else "") + ('"%d"' if is_scan(row) else '"%d items\\n"')
    return found


def last(row):
    return "&number" if is_scan(row) else "5"


def call(row, given):
    if row.kind == "HAND":
        words = HANDS[row.name] + given["format"] + ", " + last(row)
        return f"{row.name}({words})"
    words = [given[name] for _, name in row.cells if name != "list"]
    if any(name == "list" for _, name in row.cells):
        return f"list_{row.name}({', '.join(words)}, {last(row)})"
    return f"{row.name}({', '.join(words)})"


def list_helper(row):
    """A function with `...` for one that takes a list."""
    cells = ", ".join(f"{kind} {name}" for kind, name in row.cells if name != "list")
    words = ", ".join(name for _, name in row.cells)
    return (f"static int list_{row.name}({cells}, ...)\n{{\n    va_list list;\n    va_start(list, format);\n"
            f"    int ret = {row.name}({words});\n    va_end(list);\n    return ret;\n}}\n")


def moved(row):
    """How many bytes the call moves, by what is known of the file."""
    if is_scan(row):
        return LINE.index(" ")
    if is_formatted(row):
        return len("5 items\n")
    name = row.name.strip("_").replace("IO_", "")
    if name.startswith(("fread", "fwrite")):
        return 5 * 20
    if name in ("getw", "putw"):
        return 4
    if name == "puts":
        return len(TEXT) + 1
    if name.startswith(("fputs", "fputws")):
        return len(TEXT)
    if name.startswith("getdelim"):
        return LINE.index(" ") + 1
    if name.startswith(("fgets", "fgetws", "getline")):
        return len(LINE)
    return 1


def invoke(row, given):
    """The call as a statement, with the standard stream that it goes to."""
    text, kept = call(row, given), implicit(row)
    if row.type == "void":
        text = f"{text}; long ret = 0;"
    elif row.type.endswith("*"):
        text = f"long ret = {text} != NULL;"
    else:
        text = f"long ret = (long){text};"
    text += " int error = errno;"
    return f"FILE *kept = {kept}; {kept} = stream; {text} {kept} = kept;" if kept else text


LOCALS = ("char data2[200]; char *line = NULL; size_t size = 0; fpos_t position; "
          "(void)data2; (void)line; (void)size; (void)position;")


def good(row):
    given = {**values(row), **SPECIAL.get(row.name, {})}
    cells = [name for _, name in row.cells or []]
    lines, close = ["int fd = file(path);", LOCALS], ["end_stream(stream);"]
    if row.name in ("fopen", "fopen64", "tmpfile", "tmpfile64"):
        lines[0] = "syscall(SYS_close, file(path));"
        close = ["end_stream(made);"]
    elif row.name == "fdopen":
        close = ["end_stream(made);"]
    elif "fd" in cells or row.kind == "HAND" and "fd" in HANDS[row.name]:
        close = ["syscall(SYS_close, fd);"]
    else:
        lines.append('FILE *stream = open_stream(fd, "r+");')
        if "position" in cells and row.name.startswith("fset"):
            lines.append("syscall(SYS_lseek, fd, 0L, SEEK_SET); memset(&position, 0, sizeof position);")
        if row.name == "fclose":
            close = []
    if close == ["end_stream(made);"]:
        lines.append(f"errno = 0; FILE *made = {call(row, given)};")
        lines.append("int error = errno; long ret = made != NULL;")
    else:
        lines.append(f"errno = 0; {invoke(row, given)}")
    lines.append('said("good", ret, error);')
    lines += close + ["free(line);"]
    if is_moving(row):
        way = "read" if is_reading(row) else "write"
        lines.append(f'printf("bytes %s {way} {moved(row)}\\n", name);')
    return lines


def bad(row):
    """Of those that move bytes: on a stream of the other direction."""
    given = {**values(row), **SPECIAL.get(row.name, {}), **BAD.get(row.name, {})}
    if row.name in BAD:
        return [LOCALS, f"errno = 0; {invoke(row, given)}", 'said("bad", ret, error);']
    if not is_moving(row) or "dprintf" in row.name:
        return []
    mode = "w" if is_reading(row) else "r"
    return ['char other[80]; snprintf(other, sizeof other, "%s.bad", path);', "int fd = file(other);",
            LOCALS, f'FILE *stream = open_stream(fd, "{mode}");', f"errno = 0; {invoke(row, given)}",
            'said("bad", ret, error);', "end_stream(stream);"]


def times(row):
    """How often the function is in the trace by the calls of good() and bad()."""
    is_told = bool(bad(row)) and row.name != "fdopen"
    return 2 if is_told else 1
