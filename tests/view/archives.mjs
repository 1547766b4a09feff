// SPDX-License-Identifier: BSD-3-Clause
// Pages of real archives: what the browser has equals what `spur print` says, the picture has the colours of the
// calls, exact sums equal those of the buckets.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { pixelAt, run, sameColour, settled, untroubled } from "./browser.mjs";

const ENV = { ...process.env, OMPI_ALLOW_RUN_AS_ROOT: "1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM: "1", OMP_NUM_THREADS: "3" };
// A shell whose input is a socket reads its start file all the same, unless --norc forbids it.
const PIPELINE = "seq 1000 | sort -rn | head -1; (cd / && ls >/dev/null; echo $(basename /a/b)); sh -c 'ls | wc -l; true'; wait";

/** An empty folder among those of the archives. */
function emptyFolder(build, name) {
  const folder = `${build}/tests/view/${name}`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  return folder;
}

/** Makes the page of an archive beside it: the archive's path. */
function pageOfArchive(build, archive) {
  execFileSync(`${build}/bin/spur`, ["view", "-o", `${archive}.html`, archive], { env: ENV, timeout: 300000 });
  return archive;
}

/** Runs a program under spur, makes its page; the page's path. */
function pageOf(build, name, options, command) {
  const folder = `${build}/tests/view/archives`;
  mkdirSync(folder, { recursive: true });
  rmSync(`${folder}/${name}`, { recursive: true, force: true });
  const traced = spawnSync(`${build}/bin/spur`, [...options, "-o", name, ...command], { cwd: folder, env: ENV, timeout: 300000, encoding: "utf8" });
  assert(existsSync(`${folder}/${name}/traces.otf2`), `no archive of ${name}: ${traced.stderr}`);
  return pageOfArchive(build, `${folder}/${name}`);
}

function printed(build, archive, ...options) {
  return execFileSync(`${build}/bin/spur`, ["print", ...options, archive], { encoding: "utf8", maxBuffer: 1 << 28, env: ENV, stdio: ["ignore", "pipe", "ignore"] });
}

/** Calls by location as `spur print` has them: Map of [region, begin ns, end ns, depth], in the order of their ends. */
function printedCalls(build, archive) {
  const [, ticks] = printed(build, archive, "-G").match(/Ticks per Seconds: (\d+)/);
  const [calls, open] = [new Map(), new Map()];
  for (const line of printed(build, archive, "--timestamps=offset").split("\n")) {
    const [, what, location, time, plain, inContext] = line.match(/^(?:CALLING_CONTEXT_)?(ENTER|LEAVE) +(\d+) +(\d+) +(?:Region: "(.*)"|Calling Context: "(.*?)(?:@[^@]*:\d+)?") <\d+>/) ?? [];
    if (!what) {
      continue;
    }
    const region = plain ?? inContext;
    const stack = open.get(location) ?? [];
    open.set(location, stack);
    if (what === "ENTER") {
      stack.push([region, time * 1e9 / ticks]);
    } else {
      // What is open within is nobody's call any more; a Leave of what is not open is none.
      const at = stack.findLastIndex(([name]) => name === region);
      if (at >= 0) {
        const [[name, begin]] = stack.splice(at);
        calls.set(location, [...calls.get(location) ?? [], [name, begin, time * 1e9 / ticks, at]]);
      }
    }
  }
  return calls;
}

/** The page's calls, the same way. They are counted from the first event on, as are the printed ones. */
const pageCalls = page => page.evaluate(() => {
  const { model } = window.spurView;
  const { calls, paths } = model.embedded;
  return model.rows.map((row, i) => [row.id, Array.from({ length: calls.count }, (_, call) => call).filter(call => calls.row[call] === i)
    .map(call => [paths.nameOf(calls.path[call]), calls.begin[call], calls.end[call], calls.depth[call], calls.flags[call]])
    .sort((a, b) => a[2] - b[2] || b[3] - a[3])]);
});

async function callsAreThePrinted(page, build, archive) {
  const known = printedCalls(build, archive);
  let compared = 0;
  for (const [location, calls] of await pageCalls(page)) {
    const whole = calls.filter(call => !(call[4] & 1));
    const order = list => list.map(([name, begin, end, depth]) => [name, begin, end, depth])
      .sort((a, b) => Math.round(a[1]) - Math.round(b[1]) || a[3] - b[3]);
    const [seen, wanted] = [order(whole), order(known.get(location) ?? [])];
    assert.equal(seen.length, wanted.length, `calls of location ${location}`);
    const first = wanted.length > 0 ? wanted[0][1] - seen[0][1] : 0;
    seen.forEach(([name, begin, end], i) => {
      assert.equal(name, wanted[i][0], `call ${i} of location ${location}`);
      assert(Math.abs(begin + first - wanted[i][1]) <= 2 && Math.abs(end + first - wanted[i][2]) <= 2, `times of call ${i} of ${location}: ${[begin, end]}, ${wanted[i]}`);
    });
    compared += seen.length;
  }
  return compared;
}

/** Long innermost calls have their colour in the picture: below their names, above the line of waiting. */
async function picturesAreTheCalls(page) {
  const places = await page.evaluate(() => {
    const { model, state, layout, timeline } = window.spurView;
    const { calls, paths } = model.embedded;
    state.messages = false;
    state.open.clear();
    layout.place();
    const pixel = state.span / timeline.width;
    const found = [];
    for (let i = 0; i < calls.count && found.length < 400; i++) {
      const at = calls.begin[i] + (calls.end[i] - calls.begin[i]) * 0.85;
      // Calls in it may be much shorter than a pixel, and have it all the same.
      const [inner, end] = model.embedded.callsAt(calls.row[i], calls.depth[i] + 1, at - 2 * pixel, at + 2 * pixel);
      if (calls.end[i] - calls.begin[i] > 15 * pixel && inner === end) {
        found.push([`r${calls.row[i]}`, at, paths.region[calls.path[i]]]);
      }
    }
    return found.filter((_, i) => i % Math.ceil(found.length / 12) === 0);
  });
  for (const [row, time, region] of places) {
    const colour = await page.evaluate(number => window.spurView.look.of(number).rgb, region);
    sameColour(await pixelAt(page, row, time, 0.78), colour, `region ${region} at ${time} on ${row}`);
  }
  return places.length;
}

/** Self times of a window in buckets and by what is exact; what is idle is not the program's. */
async function windowsAgree(page) {
  const faults = await page.evaluate(() => {
    const { model, sums, byRegion } = window.spurView;
    const { bucket, n } = model.meta.sums;
    const windows = model.embedded.windows;
    const selves = (row, from, to) => new Map(byRegion(sums([row], from, to)).map(one => [model.regions[one.region].name, one.self]));
    const found = [];
    for (let row = 0; row < model.rows.length && found.length < 3; row++) {
      for (const [from, to] of [[0, n >> 1], [n >> 2, 3 * n >> 2], [n >> 1, n]].map(ends => ends.map(end => Math.min(end * bucket, model.duration)))) {
        const exact = selves(row, from, to);
        model.embedded.windows = [];
        const rounded = selves(row, from, to);
        model.embedded.windows = windows;
        for (const name of new Set([...exact.keys(), ...rounded.keys()])) {
          const [one, other] = [exact.get(name) ?? 0, rounded.get(name) ?? 0];
          if (Math.abs(one - other) > 1000 + 0.001 * other) {
            found.push(`row ${row}, ${from} to ${to}: ${one} ns of ${name} by calls, ${other} by buckets`);
          }
        }
      }
    }
    return found;
  });
  assert.deepEqual(faults, []);
}

async function sumsAgree(page) {
  const [exact, buckets] = await page.evaluate(() => {
    const { model, sums, byRegion } = window.spurView;
    const rows = model.rows.map((_, row) => row);
    const list = made => byRegion(made).map(one => [model.regions[one.region].name, one.self, one.calls, one.samples]);
    const one = sums(rows, 0, model.duration);
    const windows = model.embedded.windows;
    model.embedded.windows = [];
    const other = sums(rows, 0, model.duration);
    model.embedded.windows = windows;
    return [one, other].map(made => [made.exact, new Map(list(made).map(([name, ...numbers]) => [name, numbers]))]).map(([is, map]) => [is, [...map]]);
  });
  assert(exact[0] && !buckets[0]);
  const other = new Map(buckets[1]);
  for (const [name, [self, calls, samples]] of exact[1]) {
    const wanted = other.get(name) ?? [0, 0, 0];
    assert(Math.abs(self - wanted[0]) <= 1000 + 0.001 * wanted[0], `${name}: ${self} ns by calls, ${wanted[0]} by buckets`);
    assert.deepEqual([calls, samples], wanted.slice(1), name);
  }
}

const check = (browser, build, name, options, command, more) => checkArchive(browser, build, name, pageOf(build, name, options, command), more);

async function checkArchive(browser, build, name, archive, more = async () => {}) {
  const page = await browser.open(`${archive}.html`);
  const compared = await callsAreThePrinted(page, build, archive);
  await settled(page);
  const seen = await picturesAreTheCalls(page);
  await sumsAgree(page);
  await windowsAgree(page);
  await more(page);
  untroubled(page);
  console.log(`  ${name}: ${compared} calls equal those printed, ${seen} places have their colour`);
  await page.context().close();
}

const programs = build => `${build}/tests/programs`;

const ring = (browser, build) => check(browser, build, "ring", [], ["mpirun.mpich", "-n", "4", `${programs(build)}/ring.mpich`], async page => {
  const sent = printed(build, `${build}/tests/view/archives/ring`).match(/^MPI_I?SEND /gm).length;
  const pairs = await page.evaluate(() => window.spurView.pairs([0, 1, 2, 3], 0, 1e15).pairs);
  assert.equal(pairs.reduce((sum, pair) => sum + pair.messages, 0), sent);
  assert.match(await page.textContent("#tree"), /rank 0.*rank 1.*rank 2.*rank 3/);
});
const threads = (browser, build) => check(browser, build, "threads", [], [`${programs(build)}/thread_life`]);
const openmp = (browser, build) => check(browser, build, "openmp", [], [`${programs(build)}/omp_zoo.gcc`]);
const samples = (browser, build) => check(browser, build, "samples", ["--sample", "200"], ["mpirun.mpich", "-n", "2", `${programs(build)}/halo.mpich`], async page => {
  const taken = (printed(build, `${build}/tests/view/archives/samples`).match(/^CALLING_CONTEXT_SAMPLE /gm) ?? []).length;
  assert.equal(await page.evaluate(() => window.spurView.model.embedded.samples.count), taken);
});
const killed = (browser, build) => check(browser, build, "killed", [], [`${programs(build)}/serial_killed`], async page => {
  assert.match(await page.textContent("#tree"), /killed/);
  assert.equal(await page.evaluate(() => window.spurView.model.meta.marks.filter(mark => mark.kind === "killed").length), 1);
});
const tree = (browser, build) => check(browser, build, "tree", [], ["bash", "--norc", "-c", PIPELINE], async page => {
  const levels = await page.evaluate(() => [...document.querySelectorAll('#tree [role="treeitem"]')].map(item => [item.textContent, Number(item.ariaLevel)]));
  const level = name => levels.find(([text]) => text.includes(`(${name})`))[1];
  assert(level("seq") === level("bash") + 1 && level("basename") === level("bash") + 2, "processes lie under those that started them");
});

/** Calls with their call stacks: the flame graph has the stacks that spur export folds. */
const stacks = (browser, build) => check(browser, build, "stacks", ["--unwind", "20"], ["mpirun.mpich", "-n", "2", `${programs(build)}/halo.mpich`], async page => {
  const folded = new Map();
  const text = execFileSync(`${build}/bin/spur`, ["export", "--to", "folded", `${build}/tests/view/archives/stacks`], { encoding: "utf8", maxBuffer: 1 << 26, env: ENV });
  for (const [, stack, weight] of text.matchAll(/^[^;]*;[^;]*;(.*) (\d+)$/gm)) {
    folded.set(stack, (folded.get(stack) ?? 0) + Number(weight));
  }
  const selves = await page.evaluate(() => {
    const { model, sums } = window.spurView;
    const { paths, self } = sums(model.rows.map((_, row) => row), 0, model.duration);
    return Array.from(self, (time, path) => [paths.names(path).slice(1).join(";"), time]).filter(([stack, time]) => stack !== "" && time > 0.5);
  });
  assert(selves.some(([stack]) => /(^|;)main;MPI_/.test(stack)), "functions around the calls are there");
  assert.deepEqual(selves.map(([stack, time]) => [stack, Math.round(time)]).sort(), [...folded].sort());
  await page.click("#tab-flame");
  assert.match(await page.textContent("#panel-flame"), /seen on the call stacks/);
  await page.click("#tab-functions");
  assert.match(await page.textContent("#panel-functions"), /they have that of the calls below them/);
});

/** The page of an archive of any content agrees with itself. */
async function agrees(browser, build, archive, more = async () => {}) {
  const page = await browser.open(`${pageOfArchive(build, archive)}.html`, { fragment: "#tab=rows" });
  await sumsAgree(page);
  await windowsAgree(page);
  await more(page);
  untroubled(page);
  await page.context().close();
}

/** Archives that the tests write: teams, tasks, counters, contexts, odd orders. */
async function others(browser, build) {
  const folder = emptyFolder(build, "others");
  execFileSync("/usr/bin/python3", ["-B", fileURLToPath(new URL("../cli/report_archives.py", import.meta.url)), "."], { cwd: folder });
  for (const name of ["contexts", "counters", "names", "odd", "ranks", "sampled", "stacked", "teams", "threads"]) {
    await agrees(browser, build, `${folder}/${name}`);
  }
}

const WRITE_EVERYTHING = "import sys; sys.path.insert(0, sys.argv[1]); from judge.everything import everything; " +
                         "from judge.otf2_write import write_archive; write_archive('everything', **everything())";

/** Every record of the standard, as it is meant. */
async function standard(browser, build) {
  const folder = emptyFolder(build, "standard");
  execFileSync("/usr/bin/python3", ["-B", "-c", WRITE_EVERYTHING, fileURLToPath(new URL("../lib", import.meta.url))], { cwd: folder });
  await checkArchive(browser, build, "standard", `${pageOfArchive(build, `${folder}/everything`)}`);
}

/** Archives by the reference library: one as programs mean it; every record with values at the edges of their types, no location among them. */
async function reference(browser, build) {
  const folder = emptyFolder(build, "reference");
  mkdirSync(`${folder}/valid`);
  mkdirSync(`${folder}/records`);
  execFileSync(`${build}/tests/reference-valid`, [`${folder}/valid`], { stdio: "ignore", timeout: 300000 });
  execFileSync(`${build}/tests/reference-records`, [`${folder}/records`, "fewer"], { stdio: "ignore", timeout: 300000 });
  await checkArchive(browser, build, "reference", pageOfArchive(build, `${folder}/valid/valid`));
  const page = await browser.open(`${pageOfArchive(build, `${folder}/records/odd`)}.html`);
  assert.equal(await page.evaluate(() => window.spurView.model.rows.length), 0);
  assert.match(await page.textContent("#readout"), /exact/);
  untroubled(page);
  await page.context().close();
}

/** An archive by another tracer: ranks, their messages. */
async function eztrace(browser, build) {
  const folder = emptyFolder(build, "eztrace");
  execFileSync("mpirun.mpich", ["-n", "4", "eztrace", "-t", "mpich", `${programs(build)}/ring.mpich`], { cwd: folder, env: ENV, stdio: "ignore", timeout: 300000 });
  await checkArchive(browser, build, "eztrace", pageOfArchive(build, `${folder}/ring.mpich_trace/eztrace_log.otf2`), async page => {
    const sent = printed(build, `${folder}/ring.mpich_trace/eztrace_log.otf2`).match(/^MPI_I?SEND /gm).length;
    const ends = await page.evaluate(() => {
      const { sent: begins, received } = window.spurView.model.embedded.messages;
      return Array.from(begins, (time, i) => [time, received[i]]);
    });
    assert.equal(ends.filter(([begin]) => !Number.isNaN(begin)).length, sent);
    assert(ends.some(([begin, end]) => !Number.isNaN(begin + end)), "messages have both ends");
  });
}

const LOCKS = `
#include <pthread.h>
static pthread_mutex_t one = PTHREAD_MUTEX_INITIALIZER;
static void *run(void *nothing) {
    for (long i = 0; i < 300000; i++) {
        pthread_mutex_lock(&one);
        for (volatile int k = 0; k < i % 300; k++);
        pthread_mutex_unlock(&one);
    }
    return nothing;
}
int main(void) {
    pthread_t threads[3];
    for (int i = 0; i < 3; i++) pthread_create(&threads[i], 0, run, 0);
    for (int i = 0; i < 3; i++) pthread_join(threads[i], 0);
}`;

/** Too many events for a page: what it says is exact agrees with the buckets, and there is some of it. */
async function large(browser, build) {
  const folder = `${build}/tests/view/archives`;
  mkdirSync(folder, { recursive: true });
  execFileSync("cc", ["-x", "c", "-O1", "-pthread", "-o", `${folder}/locks`, "-"], { input: LOCKS });
  const page = await browser.open(`${pageOf(build, "large", [], [`${folder}/locks`])}.html`);
  const windows = await page.evaluate(() => {
    const { model, sums, byRegion } = window.spurView;
    const { bucket } = model.meta.sums;
    const rows = model.rows.map((_, row) => row);
    const calls = made => byRegion(made).filter(one => one.calls > 0).map(one => [one.region, one.calls]).sort();
    return model.embedded.windows.map(({ from, to }) => {
      const whole = [Math.ceil(from / bucket) * bucket, Math.floor(to / bucket) * bucket];
      if (whole[0] >= whole[1]) {
        return null;
      }
      // Half a ns: what begins at the very end belongs to the next bucket.
      const exact = sums(rows, whole[0], whole[1] - 0.5);
      const kept = model.embedded.windows;
      model.embedded.windows = [];
      const rounded = sums(rows, ...whole);
      model.embedded.windows = kept;
      return [exact.exact, calls(exact), rounded.exact, calls(rounded)];
    }).filter(Boolean);
  });
  assert(windows.length > 0, "nothing is exact");
  for (const [isExact, exact, isOther, rounded] of windows) {
    assert(isExact && !isOther);
    assert.deepEqual(exact, rounded);
  }
  assert.match(await page.textContent("#readout"), /buckets/);
  console.log(`  large: ${windows.length} windows are exact, and agree with the buckets`);
  untroubled(page);
}

/** `spur view --serve` of an archive that other cases have made: its address, and how to end it. */
async function serve(build, name) {
  const server = spawn(`${build}/bin/spur`, ["view", "--serve", name], { cwd: `${build}/tests/view/archives`, env: ENV });
  const url = await new Promise((resolve, reject) => {
    server.stdout.on("data", data => resolve(String(data).match(/http:\S+/)[0]));
    server.on("exit", status => reject(new Error(`the server ended with ${status}`)));
  });
  return [url, () => new Promise(ended => (server.exitCode === null ? server.on("exit", ended) && server.kill("SIGINT") : ended()))];
}

/** Windows of the server hold the same calls and messages as a page that has them all. */
async function served(browser, build) {
  pageOf(build, "served", ["--sample", "200"], ["mpirun.mpich", "-n", "2", `${programs(build)}/halo.mpich`]);
  const [url, stop] = await serve(build, "served");
  try {
    await windowsEqualThePage(await browser.open(url, { allowed: url }));
  } finally {
    await stop();
  }
}

async function windowsEqualThePage(page) {
  const seen = await page.evaluate(async () => {
    const { model, state, server } = window.spurView;
    const all = model.embedded;
    const row = all.calls.row[all.messages.count > 0 ? all.calls.count >> 1 : 0];
    const middle = all.messages.sent[all.messages.count >> 1];
    // As if the page had none: then the server has to be asked.
    all.windows = [];
    state.show(middle - model.duration / 40, middle + model.duration / 40);
    while (!model.served) {
      await new Promise(resolve => setTimeout(resolve, 50));
    }
    const list = data => {
      const found = [];
      for (let depth = 0; depth < data.deepest(row); depth++) {
        const [first, end] = data.callsAt(row, depth, state.from, state.to);
        for (let i = first; i < end; i++) {
          found.push([depth, data.paths.names(data.calls.path[i]).join(), data.calls.begin[i], data.calls.flags[i] & 4 ? 0 : data.calls.end[i]].join(" "));
        }
      }
      return found;
    };
    // Of a message that was under way for longer, the server may have seen one end only; the picture says so.
    const [from, to] = [state.from - state.span / 2, state.to + state.span / 2];
    const messages = data => {
      const { sent, received, bytes } = data.messages;
      const found = [];
      data.eachMessage(state.from, state.to, i => {
        if (sent[i] >= from && received[i] <= to) {
          found.push([sent[i], received[i], bytes[i]].join(" "));
        }
      });
      return found.sort();
    };
    const samples = data => data.samplesIn(row, state.from, state.to).reduce((first, end) => end - first);
    return [all, model.served].map(data => [list(data), messages(data), samples(data)]).concat([server !== undefined]);
  });
  const open = seen[1][0].filter(call => call.endsWith(" 0")).map(call => call.split(" ").slice(0, 3).join(" "));
  assert.deepEqual(seen[1][0].filter(call => !call.endsWith(" 0")), seen[0][0].filter(call => !open.includes(call.split(" ").slice(0, 3).join(" "))));
  assert.deepEqual(seen[1].slice(1), seen[0].slice(1));
  assert(seen[0][0].length > 5 && seen[0][1].length > 5, "there is something to compare");
  await settled(page);
  assert.match(await page.textContent("#readout"), /exact/);
  console.log(`  served: ${seen[1][0].length} calls, ${seen[1][1].length} messages as in the page`);
  untroubled(page);
  await page.context().close();
}

await run({ ring, threads, openmp, samples, killed, tree, stacks, others, standard, reference, eztrace, large, served });
