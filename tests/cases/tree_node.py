# SPDX-License-Identifier: BSD-3-Clause
"""Node.js: an engine with threads of its own, worker threads, and programs that it starts."""

import process_tree

of = "wrappers/process"
SCRIPT = """
const { execFileSync, spawnSync, fork } = require('child_process');
const { Worker } = require('worker_threads');
if (process.argv[2] === 'child') {
    process.send('from the child', () => process.disconnect());
} else {
    console.log(execFileSync('/bin/echo', ['echoed']).toString().trim());
    console.log(spawnSync('sh', ['-c', 'echo $ONE | tr a-z A-Z'], { env: { ONE: 'alone' } })
        .stdout.toString().trim());
    new Worker("require('worker_threads').parentPort.postMessage('from the worker')", { eval: true })
        .on('message', text => {
            console.log(text);
            fork(__filename, ['child']).on('message', text => console.log(text));
        });
}
"""
# Each start of node takes 800,000 read-write locks while OpenSSL reads its certificates.
FILTER = """SCOREP_REGION_NAMES_BEGIN
    EXCLUDE pthread_rwlock_*
SCOREP_REGION_NAMES_END
"""
command = ["node", "tree.js"]
env = {"SPUR_FILTER": "locks.filter"}
files = {"tree.js": SCRIPT, "locks.filter": FILTER}


def check(trace, run):
    process_tree.expect_all(run, trace, run.command())
    seen = process_tree.images(trace)
    run.equal((seen["node"], seen["tr"], seen["echo"]), (2, 1, 1), f"programs in {seen}")
    run.expect(len(trace.streams) > len(trace.processes()) + 5, "threads")
