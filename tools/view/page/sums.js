// SPDX-License-Identifier: BSD-3-Clause
// Sums over the window and the selected rows: time, calls and samples by call path, messages by pair.

/**
 * {exact, from, to, paths, self, calls, samples}: columns by call path. Where calls are not known
 * exactly, the window is rounded outwards to buckets: from and to say to which.
 */
function windowSums(model, rows, from, to) {
  const data = model.exactForAll(rows, from, to);
  return data ? exactSums(model, data, rows, from, to) : bucketSums(model, rows, from, to);
}

function emptySums(model, paths, exact, from, to) {
  const column = () => new Float64Array(paths.count);
  return { exact, from, to, paths, self: column(), calls: column(), samples: column() };
}

function exactSums(model, data, rows, from, to) {
  const sums = emptySums(model, data.paths, true, from, to);
  for (const row of rows) {
    for (let depth = 0; depth < data.deepest(row); depth++) {
      addCalls(sums, data, row, depth, from, to);
    }
    addOutside(sums, model, data, row, from, to);
    const [first, end] = data.samplesIn(row, from, to);
    for (let i = first; i < end; i++) {
      sums.samples[data.samples.path[i]]++;
    }
  }
  return sums;
}

/** The time of a row in the window that no call took: the program's, idle, or not recorded. */
function addOutside(sums, model, data, row, from, to) {
  const off = takeOff(sums, model, data, row, from, to);
  const outside = (begin, end) => {
    const { calls } = data;
    const [first, last] = data.callsAt(row, 0, begin, end);
    let left = end - begin;
    for (let i = first; i < last; i++) {
      left -= Math.max(Math.min(calls.end[i], end) - Math.max(calls.begin[i], begin), 0);
    }
    off.forEach(mark => { left -= Math.max(Math.min(mark.to, end) - Math.max(mark.from, begin), 0); });
    return Math.max(left, 0);
  };
  const [begin, end] = [Math.max(from, model.rows[row].begin), Math.min(to, model.rows[row].end)];
  let idle = 0;
  data.eachIdle(row, begin, end, (first, last) => { idle += outside(first, last); });
  addTo(sums, model.rootOf("idle"), idle);
  addTo(sums, model.rootOf("program"), begin < end ? Math.max(outside(begin, end) - idle, 0) : 0);
}

/**
 * As in spur report: while nothing was recorded, a call of a library that was open keeps the time, any other does
 * not. The stretches, of those outside of all calls.
 */
function takeOff(sums, model, data, row, from, to) {
  const nobody = model.rootOf("not recorded");
  const outside = [];
  for (const mark of nobody >= 0 ? model.marksOf[row] : []) {
    const off = ["pause", "stopped"].includes(mark.kind) ? Math.min(mark.to, to) - Math.max(mark.from, from) : 0;
    const call = off > 0 ? data.callOver(row, mark.from) : -1;
    const path = call >= 0 ? data.calls.path[call] : -1;
    const isLibrary = path >= 0 && !["user", "compiler"].includes(model.regions[data.paths.region[path]]?.group);
    if (off > 0 && !isLibrary) {
      addTo(sums, nobody, off);
      addTo(sums, path, -off);
      if (path < 0) {
        outside.push(mark);
      }
    }
  }
  return outside;
}

function addTo(sums, path, time) {
  if (path >= 0) {
    sums.self[path] += time;
  }
}

/** The calls of a row at a depth: their time goes to them, and is taken off what is around them. */
function addCalls(sums, data, row, depth, from, to) {
  const { begin, end, path } = data.calls;
  const [first, last] = data.callsAt(row, depth, from, to);
  const outer = depth > 0 ? data.callsAt(row, depth - 1, from, to) : [0, 0];
  let around = outer[0];
  for (let i = first; i < last; i++) {
    const time = Math.min(end[i], to) - Math.max(begin[i], from);
    if (begin[i] >= from && begin[i] <= to) {
      sums.calls[path[i]]++;
    }
    if (time <= 0) {
      continue;
    }
    sums.self[path[i]] += time;
    if (depth === 0) {
      continue;
    }
    while (around + 1 < outer[1] && end[around] < end[i]) {
      around++;
    }
    sums.self[path[around]] -= time;
  }
}

function bucketSums(model, rows, from, to) {
  const { bucket, n } = model.meta.sums;
  const first = clamp(Math.floor(from / bucket + 1e-9), 0, n);
  const last = clamp(Math.ceil(to / bucket - 1e-9), first, n);
  const sums = emptySums(model, model.paths, false, first * bucket, Math.min(last * bucket, model.duration));
  const { row: _, bucket: buckets, path, self, calls, samples } = model.sums;
  for (const row of rows) {
    const end = model.sumStarts[row + 1];
    const begin = firstIndex(model.sumStarts[row], end, i => buckets[i] >= first);
    for (let i = begin; i < end && buckets[i] < last; i++) {
      sums.self[path[i]] += self[i];
      sums.calls[path[i]] += calls[i];
      sums.samples[path[i]] += samples[i];
    }
  }
  return sums;
}

/** By region: [{region, self, incl, calls, samples}], most time first. */
function sumsByRegion(model, sums) {
  const { paths, self, calls, samples } = sums;
  const total = totals(paths, self);
  const found = new Map();
  for (let path = 0; path < paths.count; path++) {
    if (total[path] > 0.5 || calls[path] > 0 || samples[path] > 0) {
      const region = paths.region[path];
      const sum = found.get(region) || { region, self: 0, incl: 0, calls: 0, samples: 0 };
      sum.self += self[path];
      sum.calls += calls[path];
      sum.samples += samples[path];
      sum.incl += paths.isOutermost(path) ? total[path] : 0;
      found.set(region, sum);
    }
  }
  return [...found.values()].sort((a, b) => b.self - a.self || b.samples - a.samples);
}

/** Of each path, its own and what is below it. */
function totals(paths, self) {
  const total = Float64Array.from(self);
  for (let path = paths.count - 1; path >= 0; path--) {
    const parent = paths.parent[path];
    if (parent !== NONE) {
      total[parent] += total[path];
    }
  }
  return total;
}

/** Messages that were sent in the window, by pair of processes: {exact, from, to, pairs: [{from, to, messages, bytes}]}. */
function windowPairs(model, rows, from, to) {
  const all = rows.length === model.rows.length;
  const wanted = new Set(rows.map(row => model.rows[row].process));
  const data = model.exactForAll(model.rows.map((_, row) => row), from, to);
  const pairs = new Map();
  const add = (sender, receiver, messages, bytes) => {
    if (all || wanted.has(sender) || wanted.has(receiver)) {
      const key = sender * 4294967296 + receiver;
      const pair = pairs.get(key) || { from: sender, to: receiver, messages: 0, bytes: 0 };
      pair.messages += messages;
      pair.bytes += bytes;
      pairs.set(key, pair);
    }
  };
  const range = data ? addMessages(model, data, from, to, add) : addBuckets(model, from, to, add);
  return { exact: data !== null, ...range, pairs: [...pairs.values()].sort((a, b) => b.bytes - a.bytes || b.messages - a.messages) };
}

function addMessages(model, data, from, to, add) {
  const { messages } = data;
  const process = row => (row === NONE ? NONE : model.rows[row].process);
  data.eachMessage(from, to, i => {
    if (messages.sent[i] >= from && messages.sent[i] <= to) {
      add(process(messages.from[i]), process(messages.to[i]), 1, messages.bytes[i]);
    }
  });
  return { from, to };
}

function addBuckets(model, from, to, add) {
  const { bucket, n } = model.meta.pairs;
  const first = clamp(Math.floor(from / bucket + 1e-9), 0, n);
  const last = clamp(Math.ceil(to / bucket - 1e-9), first, n);
  const { pairs, pairStarts } = model;
  for (let i = pairStarts[first]; i < pairStarts[last]; i++) {
    add(pairs.from[i], pairs.to[i], pairs.messages[i], pairs.bytes[i]);
  }
  return { from: first * bucket, to: Math.min(last * bucket, model.duration) };
}
