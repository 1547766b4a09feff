# SPDX-License-Identifier: BSD-3-Clause
"""nginx, started as a daemon, asked for a page, and stopped: master and workers in one archive."""

import getpass
import os
import time

import process_tree

of = "wrappers/process"
CONFIG = """
user {user};
pid {folder}/nginx.pid;
error_log {folder}/error.log;
worker_processes 2;
events {{ worker_connections 16; }}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{ listen unix:{folder}/socket; location / {{ return 200 "a page"; }} }}
}}
"""
CLIENT = """
import socket, sys
with socket.socket(socket.AF_UNIX) as client:
    client.connect(sys.argv[1])
    client.sendall(b"GET / HTTP/1.0\\r\\n\\r\\n")
    print(b"a page" in client.makefile("rb").read())
"""
SCRIPT = """
nginx -e $1/error.log -c $1/nginx.conf
while [ ! -s $1/nginx.pid ]; do sleep 0.05; done
/usr/bin/python3 -c "$2" $1/socket
master=$(cat $1/nginx.pid)
echo pids $master $(cat /proc/$master/task/$master/children)
nginx -e $1/error.log -c $1/nginx.conf -s quit
while [ -e $1/nginx.pid ]; do sleep 0.05; done
"""


def serve(run, folder, before):
    path = os.path.join(run.scratch, folder)
    os.makedirs(path, 0o755)
    with open(os.path.join(path, "nginx.conf"), "w", encoding="utf-8") as file:
        file.write(CONFIG.format(folder=path, user=getpass.getuser()))
    return run.execute(before + ["sh", "-c", SCRIPT, "sh", path, CLIENT], folder)


def main(run):
    run.case.stdout = lambda text: text.split("pids")[0]
    plain = serve(run, "plain", [])
    run.equal(plain.stdout.split("pids")[0], "True\n", "the page")
    archive = os.path.join(run.scratch, "archive")
    traced = serve(run, "traced", [run.spur, "-o", archive])
    run.same(traced, plain)
    for _ in range(100):  # the last of them may finish it, a little later
        if os.path.exists(os.path.join(archive, "traces.otf2")) and \
                not os.path.exists(os.path.join(archive, ".spur")):
            break
        time.sleep(0.1)
    trace = run.judge(archive)
    servers = set(traced.stdout.split("pids")[1].split())
    run.equal(len(servers), 3, "master and two workers")
    groups = process_tree.groups(trace)
    run.equal(sorted(servers - {group.pid for group in groups}), [], "servers that are missing")
    ends = {group.properties["END"] for group in groups if group.pid in servers}
    run.equal(ends, {"exit status 0"}, "how they ended")
