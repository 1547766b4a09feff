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
    const [begin, end] = [Math.max(from, model.rows[row].begin), Math.min(to, model.rows[row].end)];
    addCalls(sums, data, row, from, to);
    addSelves(sums, data, row, from, to, 1);
    if (begin < end) {
      addOutside(sums, model, data, row, begin, end);
    }
    const [first, last] = data.samplesIn(row, from, to);
    for (let i = first; i < last; i++) {
      sums.samples[data.samples.path[i]]++;
    }
  }
  return sums;
}

/** The time of a row that no call took: the program's, idle, or not recorded. */
function addOutside(sums, model, data, row, from, to) {
  const off = offStretches(model, data, row, from, to);
  const outside = (begin, end) => off.reduce((left, [first, last]) => left - bareTime(data, row, Math.max(first, begin), Math.min(last, end)),
                                             bareTime(data, row, begin, end));
  let idle = 0;
  data.eachIdle(row, from, to, (begin, end) => { idle += outside(begin, end); });
  addTo(sums, model.rootOf("idle"), idle);
  addTo(sums, model.rootOf("program"), Math.max(outside(from, to) - idle, 0));
  for (const [begin, end] of off) {
    addTo(sums, model.rootOf("not recorded"), end - begin);
    addSelves(sums, data, row, begin, end, -1);
  }
}

/** How long no call of a row is open. */
function bareTime(data, row, from, to) {
  const { begin, end } = data.calls;
  const [first, last] = data.callsAt(row, 0, from, to);
  let left = to - from;
  for (let i = first; i < last; i++) {
    left -= Math.max(Math.min(end[i], to) - Math.max(begin[i], from), 0);
  }
  return Math.max(left, 0);
}

/** Where nothing was recorded and time is nobody's: [begin, end], within [from, to]. */
function offStretches(model, data, row, from, to) {
  return (model.rootOf("not recorded") < 0 ? [] : model.marksOf[row]).filter(mark => ["pause", "stopped"].includes(mark.kind) && mark.from < to && mark.to > from)
    .map(mark => [Math.max(nobodySince(model, data, row, mark), from), Math.min(mark.to, to)]).filter(([begin, end]) => begin < end);
}

/** As in spur report: calls of libraries that were open keep the time up to their end. */
function nobodySince(model, data, row, mark) {
  const { path, begin, end } = data.calls;
  const isLibrary = call => call >= 0 && !["user", "compiler"].includes(model.regions[data.paths.region[path[call]]]?.group);
  if (!isLibrary(data.callOver(row, mark.from))) {
    return mark.from;
  }
  let since = mark.to;
  for (let depth = 0; depth < data.deepest(row); depth++) {
    const [first, last] = data.callsAt(row, depth, mark.from, since);
    for (let i = first; i < last && end[i] < since; i++) {
      if (depth === 0 || !isLibrary(data.callOver(row, begin[i], depth - 1))) {
        since = end[i];
      }
    }
  }
  return since;
}

function addTo(sums, path, time) {
  if (path >= 0) {
    sums.self[path] += time;
  }
}

/** Calls of a row that begin in the window. */
function addCalls(sums, data, row, from, to) {
  const { begin, path, calls } = data.calls;
  for (let depth = 0; depth < data.deepest(row); depth++) {
    const [first, last] = data.callsAt(row, depth, from, to);
    for (let i = first; i < last; i++) {
      sums.calls[path[i]] += begin[i] >= from && begin[i] <= to ? calls[i] : 0;
    }
  }
}

/** The time of a row's calls goes to them, and is taken off what is around them. */
function addSelves(sums, data, row, from, to, sign) {
  const { begin, end, path } = data.calls;
  for (let depth = 0, outer = [0, 0]; depth < data.deepest(row); depth++) {
    const [first, last] = data.callsAt(row, depth, from, to);
    for (let i = first, around = outer[0]; i < last; i++) {
      const time = sign * Math.max(Math.min(end[i], to) - Math.max(begin[i], from), 0);
      while (around + 1 < outer[1] && end[around] < end[i]) {
        around++;
      }
      sums.self[path[i]] += time;
      if (depth > 0) {
        sums.self[path[around]] -= time;
      }
    }
    outer = [first, last];
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

/** By region: [{region, self, waiting, incl, calls, samples}], most time first. */
function sumsByRegion(model, sums) {
  const { paths, self, calls, samples } = sums;
  const total = totals(paths, self);
  const found = new Map();
  for (let path = 0; path < paths.count; path++) {
    if (total[path] > 0.5 || calls[path] > 0 || samples[path] > 0) {
      const region = paths.region[path];
      const sum = found.get(region) || { region, self: 0, waiting: 0, incl: 0, calls: 0, samples: 0 };
      sum.self += self[path];
      sum.waiting += paths.waits(path) ? self[path] : 0;
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
