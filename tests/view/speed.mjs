// SPDX-License-Identifier: BSD-3-Clause
// Frames a second while the page pans, measured by the page itself: of 10,000 rows, and of many calls and messages.
import assert from "node:assert/strict";
import { run, settled, untroubled } from "./browser.mjs";
import { Trace, generator, writePage } from "./synthetic.mjs";

/** Frames a second are those of a machine with nothing else to do; what the page takes for a frame says it on any. */
async function isFast(page, what) {
  const { perSecond, drawMs } = await page.evaluate(() => window.spurView.measure(1.5));
  const told = `${what}: ${perSecond.toFixed(0)} frames/s, ${drawMs.toFixed(1)} ms to draw one`;
  console.log(`  ${told}`);
  assert(perSecond >= 30 || drawMs < 33, told);
}

/** 10,000 rows whose cells look random: the pyramid only. */
function manyRows() {
  const random = generator(3);
  const trace = new Trace(1e10, Array.from({ length: 40 }, (_, i) => ({ name: `function ${i}`, group: ["user", "mpi", "openmp", "io"][i % 4], waits: i % 4 === 1 })));
  const { meta } = trace.data();
  const levels = [64, 128, 256].map(n => ({ bucket: trace.duration / n, n, rows: true, groups: true }));
  meta.rows = Array.from({ length: 10000 }, (_, i) => ({ name: `thread ${i % 4}`, process: i >> 2, kind: "thread", begin: 0, end: trace.duration, events: 1e5, group: i >> 2 }));
  meta.processes = Array.from({ length: 2500 }, (_, i) => ({ name: `rank ${i}`, host: 0, parent: -1, rank: i, command: -1, begin: 0, end: trace.duration, state: "ended", note: "" }));
  meta.groups = meta.processes.map((process, i) => ({ name: process.name, kind: "process", of: i, parent: -1, cells: i, rows: [4 * i, 4] }));
  Object.assign(meta, { levels, groupCells: 2500, events: 1e9, exact: [], marks: [], metrics: [] });
  const parts = levels.flatMap(({ n }) => {
    const cells = 12500 * n;
    const made = [new Uint16Array(cells), new Uint16Array(cells), ...[0, 0, 0, 0].map(() => new Uint8Array(cells))];
    for (let i = 0; i < cells; i++) {
      made[0][i] = Math.floor(random() * 40);
      made[2][i] = 100 + random() * 155;
      made[3][i] = random() * 255;
    }
    return made;
  });
  const { sections } = trace.data();
  return { meta, sections: { paths: sections.paths, pyramid: Buffer.concat(parts.map(part => Buffer.from(part.buffer))) } };
}

async function manyRowsAreFast(browser, build) {
  const file = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/rows.html`, manyRows());
  const start = Date.now();
  const page = await browser.open(file);
  const opened = (Date.now() - start) / 1000;
  for (const height of [22, 4]) {
    for (const closed of [true, false]) {
      await page.evaluate(([h, isClosed]) => {
        const { state, layout } = window.spurView;
        layout.nodes.forEach(node => node.of === "groups" && (isClosed ? state.closed.add(node.key) : state.closed.delete(node.key)));
        state.show(0, 1e9);
        state.setRowHeight(h);
      }, [height, closed]);
      await settled(page);
      await isFast(page, `10,000 rows of ${height} px, ${closed ? "closed" : "open"}`);
    }
  }
  console.log(`  10,000 rows: open in ${opened.toFixed(1)} s`);
  await page.evaluate(() => { window.spurView.timeline.scrollTo(1e9); });
  await settled(page);
  assert.match(await page.textContent("#tree"), /rank 2499/);
  untroubled(page);
}

/** Calls in calls on 64 rows, messages between them, and no pyramid: nothing is there to draw but the calls. */
function manyCalls(count, messages) {
  const random = generator(5);
  const trace = new Trace(1e10, Array.from({ length: 40 }, (_, i) => ({ name: `function ${i}`, group: ["user", "mpi", "openmp", "io"][i % 4], waits: i % 4 === 1 })));
  for (let rank = 0; rank < 64; rank++) {
    trace.process(`rank ${rank}`, { rank });
  }
  for (let region = 0; region < 40; region++) {
    trace.paths.push({ parent: 0, region, kind: 0 });
  }
  for (let region = 0; region < 40; region++) {
    trace.paths.push({ parent: 1 + region, region: region * 7 % 40, kind: 0 });
  }
  const { meta, sections } = trace.data({ levels: [] });
  const half = count >> 7;
  const calls = { begin: [], end: [], calls: [], row: [], path: [], depth: [], flags: [] };
  for (let i = 0; i < 128 * half; i++) {
    const depth = Math.floor(i / half) % 2;
    const begin = i % half * 1e10 / half + 1e3 * depth;
    const values = [begin, begin + (depth ? 0.3e10 : 0.95e10) / half, 1, Math.floor(i / half / 2), 1 + 40 * depth + Math.floor(random() * 40), depth, 0];
    Object.values(calls).forEach((column, k) => column.push(values[k]));
  }
  const sent = Float64Array.from({ length: messages }, (_, i) => i * 1e10 / messages);
  const bytes = list => Buffer.from(list.buffer);
  sections.calls = Buffer.concat(Object.values(calls).map((column, k) => bytes(k < 3 ? Float64Array.from(column) : Uint32Array.from(column))));
  sections.messages = Buffer.concat([bytes(sent), bytes(sent.map(time => time + 1e6)), bytes(sent.map(() => 1000)), bytes(Uint32Array.from(sent, (_, i) => i % 64)),
                                     bytes(Uint32Array.from(sent, (_, i) => (i * 7 + 1) % 64)), bytes(new Uint32Array(2 * messages))]);
  Object.assign(meta.counts, { calls: 128 * half, messages });
  return { meta, sections };
}

async function manyCallsAreFast(browser, build) {
  const page = await browser.open(writePage(`${build}/tools/view_page.html`, `${build}/tests/view/calls.html`, manyCalls(500000, 100000)));
  for (const span of [2.5e9, 2.5e8, 1e7]) {
    await page.evaluate(ns => window.spurView.state.show(2e9, 2e9 + ns), span);
    await settled(page);
    await isFast(page, `500,000 calls, ${span / 1e6} ms of them`);
  }
  untroubled(page);
}

await run({ manyRowsAreFast, manyCallsAreFast });
