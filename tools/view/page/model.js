// SPDX-License-Identifier: BSD-3-Clause
// The trace, as far as the page knows it.

class Model {
  static async load() {
    const meta = JSON.parse(byId("spur-meta").textContent);
    const names = ["pyramid", ...Object.keys(SECTIONS)];
    const bytes = await Promise.all(names.map(sectionBytes));
    const sections = {};
    names.slice(1).forEach((name, i) => { sections[name] = columnsOf(name, bytes[i + 1], meta.counts[name] || 0); });
    return new Model(meta, levelsOf(meta, bytes[0]), sections);
  }

  constructor(meta, levels, sections) {
    this.meta = meta;
    this.duration = Math.max(meta.duration, 1);
    this.levels = levels;
    this.regions = meta.regions;
    this.rows = meta.rows;
    this.groups = meta.groups;
    this.processes = meta.processes;
    this.metrics = meta.metrics;
    this.findings = meta.findings;
    this.counters = sections.counters;
    this.sums = sections.sums;
    this.pairs = sections.pairs;
    this.paths = new Paths(sections.paths, meta.regions);
    // A trace of one moment is shown as one of 1 ns.
    const windows = meta.exact.map(window => (window.to === meta.duration ? { ...window, to: this.duration } : window));
    this.embedded = new ExactData(windows, sections, this.rows.length, this.paths);
    this.served = null; // a window that the server has sent: ExactData
    this.servedCurves = null; // and its counters: CurveData
    this.sumStarts = startsOf(this.sums.row, this.rows.length);
    this.pairStarts = startsOf(this.pairs.bucket, meta.pairs.n);
    this.marksOf = this.#marksByRow();
    this.metricsOf = new Map();
    this.metrics.forEach((metric, i) => listAdd(this.metricsOf, metric.row, i));
  }

  #marksByRow() {
    const marks = Array.from(this.rows, () => []);
    for (const mark of this.meta.marks) {
      for (const list of mark.row === -1 ? marks : [marks[mark.row]]) {
        list?.push(mark);
      }
    }
    return marks;
  }

  /** What knows exactly what happened on a row in [from, to]; null if nothing does. */
  exactFor(row, from, to) {
    const inside = [clamp(from, 0, this.duration), clamp(to, 0, this.duration)];
    if (this.embedded.covers(row, ...inside)) {
      return this.embedded;
    }
    return this.servedFor(row, from, to);
  }

  servedFor(row, from, to) {
    return this.served?.covers(row, clamp(from, 0, this.duration), clamp(to, 0, this.duration)) ? this.served : null;
  }

  /** The values of a metric that hold in [from, to]: {time, value, first, count, isExact}. */
  curveOf(metric, from, to) {
    const { row, first, count, decimated } = this.metrics[metric];
    const { time, value } = this.counters;
    return decimated && this.servedFor(row, from, to) ? this.servedCurves.curve(metric) : { time, value, first, count, isExact: !decimated };
  }

  /** The root path of a group of regions that is no call: "program", "idle" or "not recorded"; -1 if there is none. */
  rootOf(group) {
    this.roots ??= {};
    return this.roots[group] ??= this.paths.parent.findIndex((parent, path) =>
      parent === NONE && this.regions[this.paths.region[path]].group === group);
  }

  /** The region of a group that is no call; -1 if there is none. */
  regionOf(group) {
    this.groupRegions ??= {};
    return this.groupRegions[group] ??= this.regions.findIndex(region => region.group === group);
  }

  /** What knows exactly what happened on all these rows; null if there is no one thing that does. */
  exactForAll(rows, from, to) {
    return [this.embedded, this.served].find(data => data && rows.every(row =>
      data.covers(row, clamp(from, 0, this.duration), clamp(to, 0, this.duration)))) || null;
  }

  /** The level whose buckets are as long as `ns` or longer by less than twice, or the nearest to it that has rows (groups). */
  levelFor(ns, of) {
    const able = this.levels.filter(level => level[of]);
    return able.findLast(level => level.bucket >= ns) || able[0] || null;
  }

  /** What a lane's cells are those of: a group of one row has no cells of its own, but those of its row. */
  cellKind(lane) {
    return lane.of === "groups" && this.groups[lane.index].cells < 0 ? "rows" : lane.of;
  }

  /** Where the cells of a row or group begin in a level. */
  cellsOf(level, lane) {
    const group = lane.of === "groups" ? this.groups[lane.index] : null;
    const number = !group ? lane.index : group.cells < 0 ? group.rows[0] : level.firstGroup + group.cells;
    return number * level.n;
  }

  /** The rows of a group. */
  rowsOf(group) {
    const [first, count] = this.groups[group].rows;
    return Array.from({ length: count }, (_, i) => first + i);
  }

  processName(process) {
    return this.processes[process]?.name ?? "(other)";
  }
}

/** Call paths. Those that a server adds to the page's have the numbers behind them. */
class Paths {
  constructor(columns, regions) {
    this.regions = regions;
    Object.assign(this, { parent: columns.parent, region: columns.region, kind: columns.kind });
    this.own = this.parent.length;
  }

  /** These paths with those of an answer behind them. */
  with(columns) {
    const joined = field => {
      const both = new Uint32Array(this.own + columns.count);
      both.set(this[field].subarray(0, this.own));
      both.set(columns[field], this.own);
      return both;
    };
    return new Paths({ parent: joined("parent"), region: joined("region"), kind: joined("kind") }, this.regions);
  }

  get count() {
    return this.parent.length;
  }

  nameOf(path) {
    return this.regions[this.region[path]]?.name ?? "(unknown)";
  }

  /** Is it a call that waits for others? */
  waits(path) {
    return Boolean(this.regions[this.region[path]]?.waits) && this.kind[path] !== ALONE;
  }

  /** Was it only seen on call stacks? */
  isSeen(path) {
    return this.kind[path] === SEEN_BY_SAMPLES || this.kind[path] === AROUND_CALLS;
  }

  /** The path as names, outermost first. */
  names(path) {
    const names = [];
    for (let at = path; at !== NONE && at < this.count && names.length < 1000; at = this.parent[at]) {
      names.unshift(this.nameOf(at));
    }
    return names;
  }

  /** Is it of a region, or was that seen on its call stack? */
  isOf(path, region) {
    for (let at = path; at !== NONE && (at === path || this.kind[at] === AROUND_CALLS); at = this.parent[at]) {
      if (this.region[at] === region) {
        return true;
      }
    }
    return false;
  }

  /** Is there no call of the same region around it? */
  isOutermost(path) {
    for (let at = this.parent[path]; at !== NONE; at = this.parent[at]) {
      if (this.region[at] === this.region[path]) {
        return false;
      }
    }
    return true;
  }
}
