# SPDX-License-Identifier: BSD-3-Clause
"""
A server of spur view, for tests: `Server(command)` starts it and has its address. `ask` and `send` talk HTTP
to it, without a library that would mend what is wrong. `read_window` takes an answer apart.
"""

import collections
import os
import re
import select
import signal
import socket
import struct
import subprocess

from patience import HANG_S

URL = re.compile(rb"^http://(127\.0\.0\.1|\[::1\]):(\d+)/([0-9a-f]{32})/\n$")
Answer = collections.namedtuple("Answer", "status headers body")
# Sections by name: columns with the letters of struct.
COLUMNS = {
    "calls": (("begin", "d"), ("end", "d"), ("calls", "d"), ("row", "I"), ("path", "I"), ("depth", "I"),
              ("flags", "I")),
    "messages": (("sent", "d"), ("received", "d"), ("bytes", "d"), ("sender", "I"), ("receiver", "I"),
                 ("tag", "I"), ("comm", "I")),
    "collectives": (("begin", "d"), ("end", "d"), ("sent", "d"), ("received", "d"), ("row", "I"),
                    ("op", "I"), ("comm", "I"), ("root", "I")),
    "samples": (("time", "d"), ("row", "I"), ("path", "I")),
    "idle": (("begin", "d"), ("end", "d"), ("row", "I")),
    "counters": (("time", "d"), ("value", "d")),
    "paths": (("parent", "I"), ("region", "I"), ("kind", "I")),
    "metrics": (("metric", "I"), ("first", "I"), ("count", "I")),
}


def read_columns(name, data, count):
    """The records of a section as dicts."""
    columns, at = {}, 0
    for column, letter in COLUMNS[name]:
        columns[column] = struct.unpack_from(f"<{count}{letter}", data, at)
        at += count * struct.calcsize(letter)
    assert at == len(data), f"{name}: {len(data)} bytes for {count} records"
    return [dict(zip(columns, values)) for values in zip(*columns.values())]


def read_window(body):
    """Flags, and the records of each section."""
    magic, flags, n = struct.unpack_from("<8sII", body)
    assert magic == b"SPURWIN1", magic
    entries = [struct.unpack_from("<12sIQ", body, 16 + 24 * i) for i in range(n)]
    ends = [entry[2] for entry in entries[1:]] + [len(body)]
    sections = {name: [] for name in COLUMNS}
    for (name, count, offset), end in zip(entries, ends):
        name = name.rstrip(b"\0").decode()
        assert offset % 8 == 0 and offset <= end, f"{name} lies at {offset}"
        size = count * sum(struct.calcsize(letter) for _, letter in COLUMNS[name])
        assert end - offset - size in range(8), f"{name} has {end - offset} bytes for {count}"
        sections[name] = read_columns(name, body[offset:offset + size], count)
    return flags, sections


def receive(connection):
    """All that comes until the other side closes, or has sent what it announced."""
    data = b""
    while True:
        head, end, body = data.partition(b"\r\n\r\n")
        if end:
            length = re.search(rb"(?im)^content-length: (\d+)", head)
            if re.match(rb"HTTP/1\.1 204", head) or (length and len(body) >= int(length.group(1))):
                break
        try:
            more = connection.recv(1 << 16)
        except ConnectionResetError:
            break
        if not more:
            break
        data += more
    if not data:
        return None
    head, _, body = data.partition(b"\r\n\r\n")
    first, *lines = head.decode("latin-1").split("\r\n")
    headers = {name.lower(): value for name, value in (line.split(": ", 1) for line in lines)}
    return Answer(int(first.split()[1]), headers, body)


class Server:
    """`with Server(words) as server`: ends it, and says if it had to be killed."""

    def __init__(self, words, **more):
        self.process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        stdin=subprocess.DEVNULL, **more)
        self.line = self.process.stdout.readline()
        match = URL.match(self.line)
        if not match:
            self.process.kill()
            raise AssertionError(f"no address: {self.line} {self.process.communicate()}")
        self.host = match.group(1).decode().strip("[]")
        self.port, self.token = int(match.group(2)), match.group(3).decode()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate(timeout=HANG_S)

    def end(self, number=signal.SIGINT):
        """Its status and what it has said, after a signal; None: wait for it."""
        if number:
            self.process.send_signal(number)
        _, said = self.process.communicate(timeout=HANG_S)
        return self.process.returncode, said.decode("utf-8", "replace")

    def connect(self):
        return socket.create_connection((self.host, self.port), timeout=HANG_S)

    def send(self, data):
        """Raw bytes, and what comes back. None: nothing."""
        with self.connect() as connection:
            try:
                connection.sendall(data)
            except (BrokenPipeError, ConnectionResetError):
                pass
            return receive(connection)

    def ask(self, what="", method="GET", host=None, headers=()):
        """`what` is behind the token, unless it begins with a slash."""
        target = what if what.startswith("/") else f"/{self.token}/{what}"
        lines = [f"{method} {target} HTTP/1.1", f"Host: {host or f'127.0.0.1:{self.port}'}",
                 "Connection: close", *headers]
        return self.send("\r\n".join(lines + ["", ""]).encode())

    def window(self, begin, end, more=""):
        answer = self.ask(f"window?from={begin}&to={end}{more}")
        assert answer and answer.status == 200, answer
        return read_window(answer.body)

    def is_quiet(self, seconds):
        """Whether it says nothing for so long."""
        return not select.select([self.process.stderr], [], [], seconds)[0]

    def memory(self):
        """Bytes that are resident."""
        with open(f"/proc/{self.process.pid}/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
