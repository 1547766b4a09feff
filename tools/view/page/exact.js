// SPDX-License-Identifier: BSD-3-Clause
// Calls, messages, collective operations and samples that are known exactly: those that the page carries,
// and those of a window that a server has sent.

/** Values of counters: those of a window that a server has sent. */
class CurveData {
  constructor({ counters, metrics }) {
    Object.assign(this, { time: counters.time, value: counters.value });
    this.places = new Map(Array.from(metrics.metric, (metric, i) => [metric, [metrics.first[i], metrics.count[i]]]));
  }

  /** {time, value, first, count} of a metric. */
  curve(metric) {
    const [first, count] = this.places.get(metric) ?? [0, 0];
    return { time: this.time, value: this.value, first, count, isExact: true };
  }
}

class ExactData {
  /** windows: [{row (-1: all), from, to}], sorted; sections: columns by name. */
  constructor(windows, sections, rowCount, paths) {
    this.windows = windows;
    this.calls = sections.calls;
    this.messages = sections.messages;
    this.collectives = sections.collectives;
    this.samples = sections.samples;
    this.idle = sections.idle;
    this.paths = paths;
    this.spans = ExactData.spansOf(this.calls, rowCount);
    this.sampleStarts = startsOf(this.samples.row, rowCount);
    this.collectiveStarts = startsOf(this.collectives.row, rowCount);
    this.idleStarts = startsOf(this.idle.row, rowCount);
  }

  /** For each row, for each depth: [first, end) of its calls. */
  static spansOf(calls, rowCount) {
    const spans = Array.from({ length: rowCount }, () => []);
    for (let i = 0, first = 0; i < calls.count; i++) {
      if (i + 1 === calls.count || calls.row[i + 1] !== calls.row[i] || calls.depth[i + 1] !== calls.depth[i]) {
        if (calls.row[i] < rowCount) {
          spans[calls.row[i]][calls.depth[i]] = [first, i + 1];
        }
        first = i + 1;
      }
    }
    return spans;
  }

  /** Is everything known that happened on a row in [from, to]? */
  covers(row, from, to) {
    return this.windows.some(window => (window.row === -1 || window.row === row) && window.from <= from && to <= window.to);
  }

  deepest(row) {
    return this.spans[row].length;
  }

  /** [first, end) of the calls of a row at a depth that are seen in [from, to]. */
  callsAt(row, depth, from, to) {
    const span = this.spans[row][depth];
    if (!span) {
      return [0, 0];
    }
    const { begin, end } = this.calls;
    const first = firstIndex(span[0], span[1], i => end[i] >= from);
    return [first, firstIndex(first, span[1], i => begin[i] > to)];
  }

  /** How many calls of a row are seen in [from, to]. */
  countCalls(row, from, to) {
    let count = 0;
    for (let depth = 0; depth < this.spans[row].length; depth++) {
      const [first, end] = this.callsAt(row, depth, from, to);
      count += end - first;
    }
    return count;
  }

  /** The innermost call of a row at a time; -1 if there is none. At most of depth `deepest`. */
  callOver(row, time, deepest = Infinity) {
    for (let depth = Math.min(this.spans[row].length - 1, deepest); depth >= 0; depth--) {
      const [first, end] = this.callsAt(row, depth, time, time);
      if (first < end && this.calls.begin[end - 1] <= time) {
        return end - 1;
      }
    }
    return -1;
  }

  /** The call next to `time` in a direction (+1, -1) for which `wanted(path)` holds; null if there is none. */
  nextCall(rows, time, direction, wanted) {
    let found = -1;
    for (const row of rows) {
      for (const span of this.spans[row]) {
        if (span) {
          const at = firstIndex(span[0], span[1], i => this.calls.begin[i] > time);
          const next = direction > 0 ? this.#scan(at, span[1], 1, wanted)
                                     : this.#scan(this.#before(at, span[0], time), span[0] - 1, -1, wanted);
          if (next >= 0 && (found < 0 || direction * (this.calls.begin[next] - this.calls.begin[found]) < 0)) {
            found = next;
          }
        }
      }
    }
    return found < 0 ? null : found;
  }

  #before(at, first, time) {
    let i = at - 1;
    while (i >= first && this.calls.begin[i] >= time) {
      i--;
    }
    return i;
  }

  #scan(from, to, step, wanted) {
    for (let i = from; i !== to; i += step) {
      if (wanted(this.calls.path[i])) {
        return i;
      }
    }
    return -1;
  }

  /** [first, end) of the samples of a row in [from, to]. */
  samplesIn(row, from, to) {
    return ExactData.#within(this.samples.time, this.sampleStarts, row, from, to);
  }

  /** [first, end) of the collective operations of a row that begin in [from, to]. */
  collectivesIn(row, from, to) {
    return ExactData.#within(this.collectives.begin, this.collectiveStarts, row, from, to);
  }

  /** Calls work(begin, end) for each stretch of [from, to] in which a row's time outside of calls is idle, not the program's. */
  eachIdle(row, from, to, work) {
    const { begin, end } = this.idle;
    const last = this.idleStarts[row + 1];
    for (let i = firstIndex(this.idleStarts[row], last, at => end[at] > from); i < last && begin[i] < to; i++) {
      work(Math.max(begin[i], from), Math.min(end[i], to));
    }
  }

  static #within(times, starts, row, from, to) {
    const first = firstIndex(starts[row], starts[row + 1], i => times[i] >= from);
    return [first, firstIndex(first, starts[row + 1], i => times[i] > to)];
  }

  /**
   * Calls work(i) for each message of which a part is seen in [from, to], until it answers false. An end that
   * is not known counts as the other end.
   */
  eachMessage(from, to, work) {
    const { count, sent, received } = this.messages;
    for (let i = 0; i < count; i++) {
      const begin = Number.isNaN(sent[i]) ? received[i] : sent[i];
      const end = Number.isNaN(received[i]) ? sent[i] : received[i];
      if (Math.min(begin, end) <= to && Math.max(begin, end) >= from && work(i) === false) {
        return;
      }
    }
  }
}
