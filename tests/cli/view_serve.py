#!/usr/bin/python3
# SPDX-License-Identifier: BSD-3-Clause
"""
spur view --serve: `view_serve.py BUILD`, in a folder with the archives of report_archives.py. What it
says to strangers, what is in a window, and how it ends.
"""

import concurrent.futures
import os
import shutil
import signal
import socket
import subprocess
import sys
import time

sys.dont_write_bytecode = True
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "lib"))

from exported import Judge  # noqa: E402
from patience import HANG_S  # noqa: E402
from served import Server, receive  # noqa: E402

SPUR = os.path.join(sys.argv[1], "bin", "spur")
judge = Judge()


def serve(archive, *words):
    return Server([SPUR, "view", "--serve", *words, archive])


# ---- strangers ----

def status(what, answer, wanted):
    """All but good answers are one line of text, and none says what it should not."""
    judge.check(answer is not None, f"{what}: no answer")
    if answer is None:
        return
    judge.check(answer.status == wanted, f"{what}: {answer.status} instead of {wanted}")
    for name, value in (("cache-control", "no-store"), ("x-content-type-options", "nosniff"),
                        ("referrer-policy", "no-referrer"), ("x-frame-options", "DENY"),
                        ("cross-origin-resource-policy", "same-origin")):
        judge.check(answer.headers.get(name) == value, f"{what}: {name}: {answer.headers.get(name)}")
    policy = answer.headers.get("content-security-policy", "")
    judge.check(policy.startswith("default-src 'none'"), f"{what}: policy {policy}")
    judge.check("access-control-allow-origin" not in answer.headers, f"{what}: open to others")
    if wanted not in (200, 204):
        judge.check(answer.headers.get("content-type", "").startswith("text/plain") and
                    answer.body.count(b"\n") == 1 and len(answer.body) < 300, f"{what}: {answer.body}")


def ask_well(server):
    page = server.ask()
    status("the page", page, 200)
    judge.check(page.headers["content-type"] == "text/html; charset=utf-8", page.headers["content-type"])
    judge.check(page.body.lower().startswith(b"<!doctype html>"), f"page: {page.body[:60]}")
    judge.check(server.token.encode() not in page.body, "the page has the token in it")
    status("alive", server.ask("alive"), 204)
    for host in ("localhost", f"localhost:{server.port}", "127.0.0.1", "[::1]:99", "localhost:1"):
        status(f"by the name {host}", server.ask("alive", host=host), 204)
    for site in ("same-origin", "none"):
        status(f"from {site}", server.ask("alive", headers=[f"Sec-Fetch-Site: {site}"]), 204)


def ask_wrongly(server):
    token = server.token
    wrong = token[:-1] + ("0" if token[-1] != "0" else "1")
    for target in ("/", "/favicon.ico", f"/{token}", f"/{wrong}/", f"/{token}0/", f"/{token[:-1]}/",
                   f"/{token.upper()}x/", f"/{wrong}/window?from=0&to=1", "/" + "0" * 32 + "/",
                   f"/{token}/../{token}/", f"/{token}/..", f"/{token}/%2e%2e/", f"/{token}/traces.otf2",
                   f"/{token}/..%2f..%2f..%2fetc/passwd", f"/{token}//etc/passwd", f"/{token}/%00",
                   f"/{token}/alive%00", f"/{token}/alive?", f"/{token}/?", f"/{token}/#", f"/%2f{token}/",
                   f"//{token}/", f"/{token}/window", f"/{token}/\xff", "/etc/passwd",
                   "/../../../../etc/passwd", f"/{token}\\..\\",
                   "/" + token.replace(token[0], f"%{ord(token[0]):x}") + "/"):
        status(target, server.ask(target), 404)
    for method in ("POST", "PUT", "DELETE", "OPTIONS", "PATCH", "CONNECT", "TRACE", "BREW", "get"):
        answer = server.ask(method=method)
        status(method, answer, 405)
        judge.check(answer and answer.headers.get("allow") == "GET", f"{method}: {answer}")
    status("a body", server.send(f"GET /{token}/alive HTTP/1.1\r\nHost: localhost\r\nContent-Length: 5\r\n"
                                 "Connection: close\r\n\r\nhello".encode()), 400)
    for host in ("evil.example", f"evil.example:{server.port}", "127.0.0.1.evil.example", "127.0.0.2",
                 "localhost.evil.example", "0.0.0.0", "localhost:", "localhost:x", "localhost:70000",
                 "localhost:1:1", "[::1", "user@localhost", "localhost,evil", "LOCALHOST evil"):
        status(f"Host: {host}", server.ask(host=host), 403)
    for site in ("cross-site", "same-site", ""):
        status(f"from {site}", server.ask(headers=[f"Sec-Fetch-Site: {site}"]), 403)
    status("two hosts", server.ask(headers=["Host: evil.example"]), 403)
    judge.check(server.send(f"GET /{token}/ HTTP/1.0\r\n\r\n".encode()).status in (400, 403), "no host")


def ask_for_strange_windows(server):
    for window in ("from=0", "to=1", "rows=0", "from=&to=1", "from=-1&to=1", "from=0&to=-1", "from=NaN&to=1",
                   "from=0&to=Infinity", "from=1e3&to=2e3", "from=0.5&to=1", "from=+1&to=2", "from=%201&to=2",
                   "from=0x1&to=2", "from=2&to=1", "from=0&to=9007199254740992",
                   "from=0&to=18446744073709551616", "from=0&to=340282366920938463463374607431768211457",
                   "from=0&to=1&rows=", "from=0&to=1&rows=a", "from=0&to=1&rows=-1", "from=0&to=1&rows=1-0",
                   "from=0&to=1&rows=1,0", "from=0&to=1&rows=0,,1", "from=0&to=1&rows=0,",
                   "from=0&to=1&rows=0&rows=1", "from=0&to=1&rows=4294967295", "from=0&to=1&rows=99999",
                   "from=0&to=1&sections=", "from=0&to=1&sections=all", "from=0&to=1&sections=calls,",
                   "from=0&to=1&", "from=0&to=1&more=1", "from=0&from=0&to=1", "&from=0&to=1", "from=0;to=1",
                   "from=%30&to=1", "from=0&to=1&rows=0%2c", "from=0&to=1&rows=0%2f1", "from=0&to=1%00"):
        status(window, server.ask("window?" + window), 400)
    status("many rows", server.ask("window?from=0&to=1&rows=0-4294967294"), 413)
    status("many ranges", server.ask("window?from=0&to=1&rows=" +
                                     ",".join(str(2 * i) for i in range(600))), 413)
    for n in (8300, 20000, 1 << 20):
        answer = server.ask("window?from=" + "0" * n + "&to=1")
        judge.check(answer is None or answer.status in (414, 431), f"{n} bytes: {answer}")


def send_nonsense(server):
    """None of it is HTTP, or all of it at once."""
    host = b"Host: localhost\r\n"
    for data in (b"", b"\0" * 100, b"\r\n" * 50, b"GET", b"GET /\r\n\r\n",
                 b"GET / HTTP/9.9\r\n" + host + b"\r\n",
                 b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", b"GET /\0 HTTP/1.1\r\n" + host + b"\r\n",
                 b"GET /" + server.token.encode() + b"/a\0secret HTTP/1.1\r\n" + host + b"\r\n",
                 b"GET / HTTP/1.1\r\nHost: local\0host\r\n\r\n",
                 b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 10000 + b"\r\n",
                 b"GET / HTTP/1.1\r\n" + host + b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffff\r\n",
                 b"GET / HTTP/1.1\r\n" + host + b"Content-Length: 99999999999999999999\r\n\r\n",
                 b"POST / HTTP/1.1\r\n" + host + b"Content-Length: -1\r\n\r\n", b"A" * 100000):
        with server.connect() as connection:
            try:
                connection.sendall(data)
                connection.shutdown(socket.SHUT_WR)
            except OSError:
                pass
            connection.settimeout(0.5)
            try:
                answer = receive(connection)
            except (OSError, ValueError):
                answer = None
            judge.check(answer is None or answer.status >= 400, f"{data[:40]}: {answer}")


def ask_often(server):
    """A thousand requests, in one connection, and each in its own."""
    request = f"GET /{server.token}/window?from=0&to=1000000 HTTP/1.1\r\nHost: localhost\r\n\r\n".encode()
    memory = 0
    with server.connect() as connection:
        for i in range(500):
            connection.sendall(request)
            answer = receive(connection)
            judge.check(answer and answer.status == 200, f"request {i}: {answer}")
            memory = memory or (server.memory() if i == 50 else 0)
    for i in range(500):
        judge.check(server.ask("alive").status == 204, f"connection {i}")
    grown = server.memory() - memory
    judge.check(grown < 16 << 20, f"{grown} bytes more after 1,000 requests")


def be_slow(server):
    """Those who say nothing, or a byte now and then, keep nobody out for long."""
    begin = time.monotonic()
    slow = [server.connect() for _ in range(80)]
    for connection in slow[:40]:
        connection.sendall(b"GET /")
    # More than are let in: some are, at the latest when the slow ones are put out.
    while time.monotonic() - begin < 90:
        for connection in slow[:20]:
            try:
                connection.sendall(b"a")
            except OSError:
                pass
        try:
            with socket.create_connection((server.host, server.port), timeout=5) as connection:
                connection.sendall(f"GET /{server.token}/alive HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
                answer = receive(connection)
        except OSError:
            answer = None
        if answer and time.monotonic() - begin > 30:
            break
        time.sleep(1)
    judge.check(answer and answer.status == 204, f"slow ones keep others out: {answer}")
    ended = 0
    for connection in slow:
        connection.settimeout(60)
        try:
            while connection.recv(1000):
                pass
            ended += 1
        except ConnectionResetError:
            ended += 1
        except OSError:
            pass
        connection.close()
    judge.check(ended == len(slow), f"{len(slow) - ended} slow connections were never ended")


# ---- the cache ----

def kept(archive):
    path = os.path.join(archive, ".traces.view")
    if not os.path.lexists(path):
        return None
    info = os.lstat(path)
    return info.st_ino, info.st_mode, info.st_size


def page_of(archive, program=(SPUR, "view"), **more):
    with Server([*program, "--serve", archive], **more) as server:
        body = server.ask().body
        judge.check(server.ask("window?from=0&to=1000000000").status == 200, f"{archive}: no window")
        code, said = server.end()
        judge.check(code == 0 and "Traceback" not in said, f"{archive}: {code} {said}")
    return body


def copy(name):
    shutil.copytree("ranks", name, ignore=shutil.ignore_patterns(".*"))


def keep_and_renew():
    """Made once, used again, made anew when it does not fit; never through a link, nor of others."""
    copy("cached")
    page = page_of("cached")
    first = kept("cached")
    judge.check(first and first[1] == 0o100600, f"the cache: {first}")
    judge.check(page_of("cached") == page and kept("cached") == first, "the cache is made each time")
    path = "cached/.traces.view"

    def spoil(what, do):
        do()
        before = kept("cached")
        judge.check(page_of("cached") == page, f"another page after {what}")
        judge.check(kept("cached") and kept("cached")[0] != before[0], f"{what} is used: {before}")
        judge.check(kept("cached")[1] == 0o100600, f"{what}: {kept('cached')}")

    def change(at, data):
        with open(path, "r+b") as file:
            file.seek(at, os.SEEK_END if at < 0 else os.SEEK_SET)
            file.write(data)

    spoil("other bytes in front", lambda: change(0, b"x"))
    spoil("other bytes in the table", lambda: change(60, b"xyz"))
    spoil("a cut", lambda: os.truncate(path, first[2] - 100))
    spoil("an empty file", lambda: os.truncate(path, 0))
    spoil("a file that others may write", lambda: os.chmod(path, 0o666))
    spoil("an archive that was written again", lambda: os.utime("cached/traces.otf2"))
    if os.geteuid() == 0:
        spoil("a file of somebody else", lambda: os.chown(path, 12345, 12345))
    with open("secret", "w", encoding="ascii") as file:
        file.write("secret")

    def link():
        os.remove(path)
        os.symlink(os.path.abspath("secret"), path)

    spoil("a link", link)
    with open("secret", encoding="ascii") as file:
        judge.check(file.read() == "secret", "a link was written through")
    judge.check(not [name for name in os.listdir("cached") if "part" in name], os.listdir("cached"))


def keep_elsewhere():
    """Where the archive's directory cannot be written, in the user's cache; where neither can, in memory."""
    copy("fixed")
    os.chmod("fixed", 0o555)
    cache = os.path.abspath("caches")
    user = {"user": 12345, "group": 12345} if os.geteuid() == 0 else {}
    if user:
        os.chmod(".", 0o755)
        os.chmod("..", 0o755)
        os.mkdir(cache)
        os.chown(cache, 12345, 12345)
    # Another user may not see where spur was built.
    shutil.copy(os.path.join(sys.argv[1], "libexec", "spur", "spur-view"), "view")
    user["program"] = [os.path.abspath("view")]
    environment = {**os.environ, "XDG_CACHE_HOME": cache}
    page = page_of("fixed", env=environment, **user)
    names = os.listdir(os.path.join(cache, "spur"))
    judge.check(len(names) == 1 and names[0].endswith(".view") and kept("fixed") is None, f"cache: {names}")
    judge.check(page_of("fixed", env=environment, **user) == page, "another page from there")
    judge.check(os.listdir(os.path.join(cache, "spur")) == names, "it is made each time")
    judge.check(page_of("fixed", env={**os.environ, "XDG_CACHE_HOME": "/proc/none", "HOME": "/proc"},
                        **user) == page, "another page from memory")
    os.chmod("fixed", 0o755)


# ---- archives that are damaged, or go away ----

def line_of(what, answer, wanted, part):
    judge.check(answer and answer.status in wanted and part in answer.body.decode("utf-8", "replace") and
                answer.body.count(b"\n") == 1, f"{what}: {answer}")


def lose_archives():
    window = "window?from=0&to=2000000000"
    with open("ranks/traces.otf2", "rb") as file:
        anchor = file.read()

    def gone(path):
        shutil.rmtree(path)

    def rewritten(path):
        with open(os.path.join(path, "traces.otf2"), "wb") as file:
            file.write(anchor)

    def cut(path):
        for name in os.listdir(os.path.join(path, "traces")):
            if name.endswith(".evt"):
                os.truncate(os.path.join(path, "traces", name), 30)

    def filled(path):
        for name in os.listdir(os.path.join(path, "traces")):
            with open(os.path.join(path, "traces", name), "r+b") as file:
                size = os.path.getsize(file.name)
                file.write(b"\xff" * size)

    def emptied(path):
        for name in os.listdir(os.path.join(path, "traces")):
            os.remove(os.path.join(path, "traces", name))

    for how, wanted, part in ((gone, (410,), "removed"), (rewritten, (410,), "changed"),
                              (cut, (200, 500), ""), (filled, (200, 500), ""), (emptied, (410,), "changed")):
        path = f"lost {how.__name__}"
        copy(path)
        with serve(path) as server:
            judge.check(server.ask(window).status == 200, f"{path}: no window at first")
            how(path)
            for _ in range(3):
                answer = server.ask(window)
                if answer and answer.status == 200:
                    judge.check(answer.body[8] & 1, f"{path}: nothing is said: {answer.body[:16]}")
                else:
                    line_of(path, answer, wanted, part)
            judge.check(server.ask().status == 200, f"{path}: the page is gone as well")
            code, said = server.end()
            judge.check(code == 0, f"{path}: {code} {said}")
    # It was damaged before: what can be read is shown.
    copy("damaged")
    os.truncate("damaged/traces/0.evt", os.path.getsize("damaged/traces/0.evt") - 20)
    for _ in range(2):
        with serve("damaged") as server:
            answer = server.ask(window)
            judge.check(answer.status == 200 and answer.body[8] & 1, f"damaged: {answer}")
            code, said = server.end()
            judge.check(code == 0 and "as far as it could be read" in said and "0.evt" in said,
                        f"damaged: {code} {said}")


# ---- ends ----

def end():
    with serve("ranks", "--idle", "2s") as server:
        begin = time.monotonic()
        while time.monotonic() - begin < 4:
            judge.check(server.ask("alive").status == 204, "it ends while it is asked")
            time.sleep(0.5)
        server.ask("/")  # this does not count
        code, said = server.end(None)
        judge.check(code == 0 and "--idle" in said, f"idle: {code} {said}")
    for number in (signal.SIGINT, signal.SIGTERM):
        with serve("ranks") as server:
            server.ask()
            busy = server.connect()  # an open connection keeps nothing
            busy.sendall(b"GET / HT")
            code, said = server.end(number)
            busy.close()
            judge.check(code == 0, f"signal {number}: {code} {said}")
    with serve("ranks") as one, serve("ranks") as other:
        judge.check(one.token != other.token and other.ask().status == 200, "two servers of one archive")
        judge.check(other.ask(f"/{one.token}/").status == 404, "a token of another server")


def listen():
    for where in ("127.0.0.1:0", "localhost", ":0", "0", "[::1]:0"):
        if ":" in where and "[" in where and not os.path.exists("/proc/net/if_inet6"):
            continue
        with Server([SPUR, "view", f"--serve={where}", "ranks"]) as server:
            judge.check(server.ask("alive").status == 204, f"--serve={where}")
    with Server([SPUR, "view", "--serve", "127.0.0.1:0", "ranks"]) as server:
        judge.check(server.ask("alive").status == 204, "an address as a word of its own")
        taken = f"--serve={server.port}"
        done = subprocess.run([SPUR, "view", taken, "ranks"], capture_output=True, timeout=HANG_S,
                              check=False)
        judge.check(done.returncode == 1 and b"in use" in done.stderr, f"a port that is taken: {done}")
    for where in ("0.0.0.0:80", "192.168.1.1", "[::]:80", "example.org:80", "127.0.0.1:99999", "127.0.0.1:",
                  "127.0.0.1:8x", "127.0.0.2", ":-1", "x" * 300):
        done = subprocess.run([SPUR, "view", f"--serve={where}", "ranks"], capture_output=True,
                              timeout=HANG_S, check=False)
        judge.check(done.returncode == 2 and not done.stdout and done.stderr.count(b"\n") == 1 and
                    (b"ssh -L" in done.stderr or b"ADDR:PORT" in done.stderr), f"--serve={where}: {done}")


# ---- all of it ----

def ask(*tests):
    """A server is asked all this, and still answers."""
    with serve("ranks") as server:
        for one in tests:
            one(server)
            judge.check(server.ask("alive").status == 204, f"not alive after {one.__name__}")
        status_of_it, its_words = server.end()
        judge.check(status_of_it == 0, f"status {status_of_it} after Ctrl-C: {its_words}")


with concurrent.futures.ThreadPoolExecutor(1) as pool:
    slowly = pool.submit(ask, be_slow)  # that is nearly all waiting
    ask(ask_well, ask_wrongly, ask_for_strange_windows, send_nonsense, ask_often)
    for test in (keep_and_renew, keep_elsewhere, lose_archives, end, listen):
        test()
    slowly.result()
for fault in judge.faults[:50]:
    print("FAULT:", fault[:2000])
sys.exit(bool(judge.faults))
