# SPDX-License-Identifier: BSD-3-Clause
"""redis-server with two threads for its clients, which are redis-benchmark with two threads."""

import socket

of = "wrappers/pthread"

with socket.socket() as free:
    free.bind(("127.0.0.1", 0))
    port = free.getsockname()[1]

command = ["sh", "serve.sh"]
files = {"serve.sh": f"""
redis-server --port {port} --bind 127.0.0.1 --save '' --appendonly no --io-threads 2 \\
    --io-threads-do-reads yes >server.log 2>&1 &
server=$!
i=0
until [ "$(redis-cli -p {port} ping 2>&1)" = PONG ] || [ $i = 300 ]; do
    sleep 0.1
    i=$((i + 1))
done
redis-benchmark -p {port} -n 400 -c 8 --threads 2 --csv -t incr,lpush | cut -d, -f1
redis-benchmark -p {port} -n 400 -c 8 -P 8 --csv lpush list value | cut -d, -f1
redis-cli -p {port} set greeting hello
redis-cli -p {port} get greeting
redis-cli -p {port} get counter:__rand_int__
redis-cli -p {port} llen mylist
redis-cli -p {port} llen list
redis-cli -p {port} shutdown nosave
wait $server
echo "server: $?"
"""}


def check(trace, run):
    run.equal(run.plain.stdout.splitlines()[-6:],
              ["OK", "hello", "400", "400", "400", "server: 0"], "answers")
    server, clients = trace.streams_of("redis-server"), trace.streams_of("redis-benchmark")
    names = {trace.archive.name_of("Location", stream.location) for stream in server}
    run.expect({"bio_close_file", "bio_aof_fsync", "bio_lazy_free", "io_thd_1"} <= names,
               f"the threads of the server by name in {sorted(names)}")
    # Further threads belong to its allocator, which creates them behind the agent's back.
    kinds, regions = trace.kinds(server), trace.regions(server)
    run.equal(kinds["ThreadCreate"], 4, "threads of the server")
    run.equal(kinds["ThreadBegin"], 4, "threads that began")
    run.expect(regions["pthread_mutex_lock"] > 10, "locks")
    run.equal(trace.kinds(clients)["ThreadCreate"], 4, "two threads for each test")
    run.equal(trace.kinds(clients)["ThreadWait"], 4, "which are joined")
