// SPDX-License-Identifier: BSD-3-Clause
// Pages of traces that are made up: what they hold is known, names may be hostile, and they may be large.
import { readFileSync, writeFileSync } from "node:fs";
import { gzipSync } from "node:zlib";

const NONE = 0xffffffff;

/** Numbers that look random and are the same each time. */
export function generator(seed) {
  let state = seed >>> 0;
  return () => {
    state = Math.imul(state ^ state >>> 15, 0x2c1b3c6d) + 0x9e3779b9 >>> 0;
    return (Math.imul(state ^ state >>> 13, 0x297a2d39) >>> 0) / 4294967296;
  };
}

function columns(records, f64, u32) {
  const parts = [...f64.map(field => new Float64Array(records.map(one => one[field]))),
                 ...u32.map(field => new Uint32Array(records.map(one => one[field])))];
  return Buffer.concat(parts.map(part => Buffer.from(part.buffer)));
}

export class Trace {
  constructor(duration, regions) {
    this.duration = duration;
    this.regions = [...regions, { name: "(program)", group: "program", waits: false }];
    this.paths = [{ parent: NONE, region: this.regions.length - 1, kind: 0 }];
    this.rows = [];
    this.processes = [];
    this.calls = [];
    this.messages = [];
    this.samples = [];
    this.marks = [];
    this.findings = [];
    this.metrics = [];
    this.counters = [];
    this.hosts = ["node1"];
  }

  process(name, { parent = -1, rank = null, rows = ["main"], state = "ended", begin = 0, end = this.duration, note = "", command = "" } = {}) {
    const number = this.processes.push({ name, host: 0, parent, rank, command, begin, end, state, note }) - 1;
    rows.forEach(row => this.rows.push({ name: row, process: number, kind: "thread", begin, end, events: 0, group: number }));
    return number;
  }

  path(parent, region, kind = 0) {
    const found = this.paths.findIndex(one => one.parent === parent && one.region === region && one.kind === kind);
    return found >= 0 ? found : this.paths.push({ parent, region, kind }) - 1;
  }

  /** A call with calls in it: [region, begin, end, [...], flags, how many it stands for]. */
  call(row, [region, begin, end, inner = [], flags = 0, calls = 1], parent = NONE, depth = 0) {
    const path = this.path(parent, region);
    this.calls.push({ row, path, depth, begin, end, flags, calls });
    inner.forEach(one => this.call(row, one, path, depth + 1));
  }

  message(from, to, sent, received, bytes) {
    this.messages.push({ from, to, sent, received, bytes, tag: 1, comm: 0 });
  }

  sample(row, time, ...regions) {
    this.samples.push({ row, time, path: regions.reduce((parent, region) => this.path(parent, region, 1), NONE) });
  }

  counter(row, name, unit, values) {
    this.metrics.push({ name, unit, row, mode: "absolute", first: this.counters.length, count: values.length, decimated: false });
    values.forEach(([time, value]) => this.counters.push({ time, value }));
  }

  groups() {
    const ends = row => this.processes.map((_, i) => this.rows.filter(one => one.group === i))[row];
    return this.processes.map((process, i) => ({
      name: process.name, kind: "process", of: i, parent: process.parent, cells: -1,
      rows: [this.rows.findIndex(row => row.group === i), this.#below(i).reduce((sum, one) => sum + ends(one).length, 0)],
    }));
  }

  #below(process) {
    return [process, ...this.processes.flatMap((one, i) => (one.parent === process ? this.#below(i) : []))];
  }

  /** Self time by row, bucket and path. */
  #sums(bucket, n) {
    const sums = new Map();
    const add = (row, at, path, field, value) => {
      const key = `${row} ${at} ${path}`;
      const sum = sums.get(key) || { row, bucket: at, path, self: 0, calls: 0, samples: 0 };
      sum[field] += value;
      sums.set(key, sum);
    };
    const spread = (row, path, begin, end, sign) => {
      for (let at = Math.floor(begin / bucket); at < n && at * bucket < end; at++) {
        add(row, at, path, "self", sign * (Math.min(end, (at + 1) * bucket) - Math.max(begin, at * bucket)));
      }
    };
    this.rows.forEach((row, i) => spread(i, 0, row.begin, row.end, 1));
    for (const call of this.calls) {
      const parent = this.paths[call.path].parent;
      spread(call.row, call.path, call.begin, call.end, 1);
      spread(call.row, parent === NONE ? 0 : parent, call.begin, call.end, -1);
      add(call.row, Math.min(Math.floor(call.begin / bucket), n - 1), call.path, "calls", 1);
    }
    this.samples.forEach(one => add(one.row, Math.min(Math.floor(one.time / bucket), n - 1), one.path, "samples", 1));
    return [...sums.values()].filter(sum => sum.self > 1e-6 || sum.calls > 0 || sum.samples > 0)
      .sort((a, b) => a.row - b.row || a.bucket - b.bucket || a.path - b.path);
  }

  #pyramid(levels) {
    const parts = [];
    for (const { bucket, n } of levels) {
      const cells = this.rows.length * n;
      const [region, bytes] = [new Uint16Array(cells).fill(0xffff), new Uint16Array(cells)];
      const [share, waiting, off, depth] = [0, 0, 0, 0].map(() => new Uint8Array(cells));
      const best = new Float64Array(cells);
      const self = new Map();
      for (const sum of this.#sums(bucket, n)) {
        const cell = sum.row * n + sum.bucket;
        const number = this.paths[sum.path].region;
        const key = cell * 65536 + number;
        self.set(key, (self.get(key) || 0) + sum.self);
        if (self.get(key) > best[cell]) {
          best[cell] = self.get(key);
          region[cell] = number;
          share[cell] = Math.max(1, Math.round(255 * Math.min(1, self.get(key) / bucket)));
        }
        waiting[cell] += this.regions[number].waits ? Math.round(255 * sum.self / bucket) : 0;
      }
      this.calls.forEach(call => {
        for (let at = Math.floor(call.begin / bucket); at < n && at * bucket < call.end; at++) {
          depth[call.row * n + at] = Math.max(depth[call.row * n + at], call.depth + 1);
        }
      });
      parts.push(region, bytes, share, waiting, off, depth);
    }
    return Buffer.concat(parts.map(part => Buffer.from(part.buffer)));
  }

  #pairs(bucket, n) {
    const pairs = new Map();
    for (const one of this.messages) {
      const ends = [this.rows[one.from].process, this.rows[one.to].process];
      const at = Math.min(Math.floor(one.sent / bucket), n - 1);
      const pair = pairs.get([at, ends].join()) || { bucket: at, from: ends[0], to: ends[1], messages: 0, bytes: 0 };
      pair.messages++;
      pair.bytes += one.bytes;
      pairs.set([at, ends].join(), pair);
    }
    return [...pairs.values()].sort((a, b) => a.bucket - b.bucket);
  }

  /** {meta, sections}; exact: the windows whose calls, messages and samples are in the page. */
  data({ exact = [{ row: -1, from: 0, to: this.duration }], sumBuckets = 64, levels = [64, 128, 256, 512, 1024], name = "synthetic", more = {} } = {}) {
    const within = (row, begin, end) => exact.some(one => (one.row === -1 || one.row === row) && begin <= one.to && end >= one.from);
    const calls = this.calls.filter(call => within(call.row, call.begin, call.end))
      .sort((a, b) => a.row - b.row || a.depth - b.depth || a.begin - b.begin);
    const messages = this.messages.filter(one => within(one.from, one.sent, one.received)).sort((a, b) => a.sent - b.sent);
    const samples = this.samples.filter(one => within(one.row, one.time, one.time)).sort((a, b) => a.row - b.row || a.time - b.time);
    const size = n => ({ bucket: this.duration / n, n });
    const made = levels.map(n => ({ ...size(n), rows: true, groups: true }));
    const [sums, pairs] = [this.#sums(this.duration / sumBuckets, sumBuckets), this.#pairs(this.duration / sumBuckets, sumBuckets)];
    const meta = {
      version: 1, name, archive: name, creator: "synthetic", command: "", machine: "test", events: 2 * this.calls.length,
      duration: this.duration, begin: "2026-01-02T03:04:05Z", served: false, remarks: [], regions: this.regions, hosts: this.hosts,
      processes: this.processes, rows: this.rows, groups: this.groups(), groupCells: 0, levels: made,
      sums: { ...size(sumBuckets), records: sums.length, cut: false }, pairs: { ...size(sumBuckets), records: pairs.length, cut: false },
      metrics: this.metrics, findings: this.findings, marks: this.marks, comms: ["MPI_COMM_WORLD"], ops: [], exact,
      counts: { paths: this.paths.length, calls: calls.length, messages: messages.length, collectives: 0, samples: samples.length,
                counters: this.counters.length, sums: sums.length, pairs: pairs.length }, ...more,
    };
    return { meta, sections: {
      pyramid: this.#pyramid(made), paths: columns(this.paths, [], ["parent", "region", "kind"]),
      sums: columns(sums, ["self", "calls"], ["row", "bucket", "path", "samples"]),
      pairs: columns(pairs, ["bytes"], ["bucket", "from", "to", "messages"]),
      calls: columns(calls, ["begin", "end", "calls"], ["row", "path", "depth", "flags"]),
      messages: columns(messages, ["sent", "received", "bytes"], ["from", "to", "tag", "comm"]),
      samples: columns(samples, ["time"], ["row", "path"]), counters: columns(this.counters, ["time", "value"], []),
    } };
  }
}

const escaped = text => text.replace(/[<>&\u2028\u2029]/g, c => `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`);

/** Writes the page of {meta, sections} from the template of the build. */
export function writePage(template, file, { meta, sections }) {
  const data = [`<script type="application/json" id="spur-meta">${escaped(JSON.stringify(meta))}</script>`,
                ...Object.entries(sections).filter(([, bytes]) => bytes.length > 0).map(([name, bytes]) =>
                  `<script type="application/octet-stream" id="spur-${name}">${gzipSync(bytes, { level: 1 }).toString("base64")}</script>`)];
  const text = readFileSync(template, "utf8");
  writeFileSync(file, text.replace("@SPUR_CONNECT@", "'none'").replace("@SPUR_DATA@", () => data.join("\n")));
  return file;
}

/** A stencil on `ranks` ranks: compute, exchange with the neighbours, reduce; rank 1 is late, and dies if `killed`. */
export function stencil({ ranks = 6, steps = 40, killed = false } = {}) {
  const random = generator(7);
  const ms = 1e6;
  const names = [["main", "user"], ["compute_forces", "user"], ["exchange_halo", "user"], ["MPI_Isend", "mpi"], ["MPI_Recv", "mpi"], ["MPI_Allreduce", "mpi"],
                 ["read_input", "user"], ["read", "io"], ["omp parallel @ forces.c:41", "openmp"], ["omp barrier", "openmp"], ["pair_lj", "sampled"], ["neighbour_list", "sampled"]];
  const trace = new Trace((steps + 3) * 10 * ms, names.map(([name, group]) => ({ name, group, waits: /Recv|Allreduce|barrier/.test(name) })));
  const last = trace.duration - 2 * ms;
  for (let rank = 0; rank < ranks; rank++) {
    trace.process(`rank ${rank}`, { rank, rows: ["main thread", "OpenMP thread 1"], ...(killed && rank === ranks - 1 ? { state: "killed", note: "signal 9", end: last * 0.7 } : {}) });
  }
  const sent = [];
  for (let rank = 0; rank < ranks; rank++) {
    const row = 2 * rank;
    const end = trace.rows[row].end === trace.duration ? last : trace.rows[row].end;
    const cut = end < last;
    const inner = [[6, 1 * ms, 9 * ms, [[7, 2 * ms, 7 * ms]]]];
    for (let step = 0; step < steps; step++) {
      const begin = (step + 1) * 10 * ms;
      const busy = begin + (5 + random() + (rank === 1 ? 2.2 : 0)) * ms;
      if (begin + 10 * ms > end) {
        break;
      }
      inner.push([1, begin, busy, [[8, begin + 0.2 * ms, busy - 0.1 * ms, [[9, busy - 0.6 * ms, busy - 0.1 * ms]]]]],
                 [2, busy, begin + 8.6 * ms, [[3, busy + 0.05 * ms, busy + 0.2 * ms], [4, busy + 0.3 * ms, begin + 8.5 * ms]]],
                 [5, begin + 8.7 * ms, begin + 9.6 * ms]);
      trace.call(row + 1, [8, begin + 0.25 * ms, busy - 0.1 * ms, [[9, busy - (0.4 + random()) * ms, busy - 0.1 * ms]]]);
      sent.push([row, 2 * ((rank + 1) % ranks), busy + 0.1 * ms, begin + 8.4 * ms, 65536]);
      for (let k = 0; k < 4; k++) {
        trace.sample(row, begin + (0.6 + k) * ms, 0, 1, k % 2 ? 10 : 11);
      }
    }
    trace.call(row, [0, 0.5 * ms, end, inner, cut ? 1 : 0]);
  }
  sent.filter(one => one[3] <= trace.rows[one[1]].end).forEach(one => trace.message(...one));
  trace.counter(0, "PAPI_TOT_INS", "1/s", Array.from({ length: 120 }, (_, i) => [i * trace.duration / 120, 1e9 * (1.5 + Math.sin(i / 4) + 0.3 * random())]));
  trace.marks.push({ row: 5, from: 150 * ms, to: 172 * ms, kind: "pause", text: "recording was paused" },
                   { row: 7, from: 0, to: 55 * ms, kind: "ring", text: "the ring holds what came later" });
  if (killed) {
    trace.marks.push({ row: 2 * ranks - 2, from: last * 0.7, to: last * 0.7, kind: "killed", text: "killed by signal 9" });
  }
  trace.findings.push({ kind: "late sender", text: "rank 2 waits for rank 1 in MPI_Recv: late sender", seconds: 0.088, percent: 12, from: 100 * ms, to: 112 * ms, rows: [2, 4] },
                      { kind: "imbalance", text: "compute_forces takes 38 % longer on rank 1", seconds: 0.06, percent: 8, from: null, to: null, rows: [] });
  return trace;
}
