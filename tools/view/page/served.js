// SPDX-License-Identifier: BSD-3-Clause
// With `spur view --serve`: windows that the page does not know exactly are asked from the server.

const WINDOW_MAGIC = "SPURWIN1";
const ALIVE_MS = 60000;

class Server {
  constructor(view) {
    Object.assign(this, view);
    this.waiting = null;
    this.soon = later(() => this.#ask(), 200);
    this.state.listen(what => (what === "window" || what === "rows") && this.soon());
    setInterval(() => this.#alive(), ALIVE_MS);
    this.soon();
  }

  async #alive() {
    if (document.visibilityState === "visible") {
      await fetch("alive").catch(() => say("The server has ended: start spur view --serve again for exact windows."));
    }
  }

  /** The rows that are seen and not known exactly in the window. */
  #unknownRows() {
    const { from, to, top } = this.state;
    const height = this.timeline.plot.getBoundingClientRect().height;
    const [first, end] = this.layout.lanesIn(top, top + height);
    const rows = this.layout.lanes.slice(first, end).filter(lane => lane.of === "rows").map(lane => lane.index);
    const counted = this.layout.lanes.slice(first, end).filter(lane => lane.of === "metrics" && this.model.metrics[lane.index].decimated)
      .map(lane => this.model.metrics[lane.index].row);
    const unknown = rows.some(row => !this.model.exactFor(row, from, to)) || counted.some(row => !this.model.servedFor(row, from, to));
    return unknown ? [...new Set([...rows, ...counted])].sort((a, b) => a - b) : [];
  }

  async #ask() {
    const rows = this.#unknownRows();
    this.waiting?.abort();
    if (rows.length === 0 || this.state.span > this.refused) {
      return;
    }
    const from = Math.max(0, Math.floor(this.state.from - this.state.span / 2));
    const to = Math.min(this.model.duration, Math.ceil(this.state.to + this.state.span / 2));
    const asked = this.waiting = new AbortController();
    try {
      const answer = await fetch(`window?from=${from}&to=${to}&rows=${rangesOf(rows)}`, { signal: asked.signal });
      if (answer.status === 413) {
        this.refused = Math.min(this.refused ?? Infinity, this.state.span);
        this.onState?.(await answer.text());
      } else if (answer.ok) {
        this.#take(new Uint8Array(await answer.arrayBuffer()), rows, from, to);
      } else {
        say(await answer.text());
      }
    } catch (error) {
      if (error.name !== "AbortError") {
        say("The server does not answer: start spur view --serve again for exact windows.");
      }
    }
  }

  #take(bytes, rows, from, to) {
    const { flags, sections } = sectionsOfAnswer(bytes);
    const paths = sections.paths.count > 0 ? this.model.paths.with(sections.paths) : this.model.paths;
    const windows = flags & 1 ? [] : rows.map(row => ({ row, from, to }));
    if (flags & 1) {
      say("The archive is damaged here: not all events could be read.");
    } else if (flags & 2) {
      say("Too many messages for this window: some of their ends outside of the window are not known.");
    }
    this.model.served = new ExactData(windows, sections, this.model.rows.length, paths);
    this.model.served.hasLooseEnds = (flags & 2) !== 0;
    this.model.servedCurves = new CurveData(sections);
    this.state.changed("look");
  }
}

/** [0, 1, 2, 5] as "0-2,5". */
function rangesOf(rows) {
  const ranges = [];
  for (const row of rows) {
    const last = ranges[ranges.length - 1];
    if (last && last[1] === row - 1) {
      last[1] = row;
    } else {
      ranges.push([row, row]);
    }
  }
  return ranges.map(([first, last]) => (first === last ? first : `${first}-${last}`)).join(",");
}

/** An answer of the server: 8 bytes of magic, flags, number of sections, their directory, their columns. */
function sectionsOfAnswer(bytes) {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const text = (at, length) => String.fromCharCode(...bytes.subarray(at, at + length)).replace(/\0.*$/, "");
  if (text(0, 8) !== WINDOW_MAGIC) {
    throw new Error("not an answer of spur view");
  }
  const sections = Object.fromEntries(Object.keys(SECTIONS).map(name => [name, columnsOf(name, null, 0)]));
  for (let i = 0, at = 16; i < view.getUint32(12, true); i++, at += 24) {
    const name = text(at, 12);
    const offset = view.getUint32(at + 16, true) + 4294967296 * view.getUint32(at + 20, true);
    if (SECTIONS[name]) {
      sections[name] = columnsOf(name, bytes.subarray(offset), view.getUint32(at + 12, true));
    }
  }
  return { flags: view.getUint32(8, true), sections };
}
