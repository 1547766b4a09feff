// SPDX-License-Identifier: BSD-3-Clause
// What is seen: the window, which rows are open, what is selected. The URL's fragment keeps it.

const SHORTEST_NS = 20;

class State {
  constructor(model) {
    this.model = model;
    this.from = 0;
    this.to = model.duration;
    this.top = 0;             // pixels of the rows above the picture
    this.rowHeight = this.usualHeight = 22;
    this.closed = new Set();  // keys of groups
    this.open = new Set();    // keys of rows that show the calls one below the other
    this.selected = new Set(); // keys of rows and groups; none: all
    this.messages = true;
    this.region = -1;         // the one that is looked for
    this.tab = "functions";
    this.history = [];
    this.listeners = [];
  }

  /** work(what): what is "window", "rows", "selection" or "look". */
  listen(work) {
    this.listeners.push(work);
  }

  changed(what) {
    this.listeners.forEach(work => work(what));
    this.keep();
  }

  get span() {
    return this.to - this.from;
  }

  /** Shows [from, to], as far as there is a trace. */
  show(from, to, remember = false) {
    const span = clamp(to - from, SHORTEST_NS, this.model.duration);
    const begin = clamp((from + to) / 2 - span / 2, 0, this.model.duration - span);
    if (begin === this.from && begin + span === this.to) {
      return;
    }
    if (remember) {
      this.history.push([this.from, this.to]);
      this.history.splice(0, this.history.length - 100);
    }
    this.from = begin;
    this.to = begin + span;
    this.changed("window");
  }

  pan(share) {
    const by = clamp(share * this.span, -this.from, this.model.duration - this.to);
    this.show(this.from + by, this.to + by);
  }

  /** Shows a window `factor` times as long, in which `time` stays where it is. */
  zoom(factor, time = (this.from + this.to) / 2) {
    const span = clamp(this.span * factor, SHORTEST_NS, this.model.duration);
    const from = time - (time - this.from) * span / this.span;
    this.show(clamp(from, 0, this.model.duration - span), clamp(from, 0, this.model.duration - span) + span);
  }

  fit() {
    this.show(0, this.model.duration, true);
  }

  back() {
    const before = this.history.pop();
    if (before) {
      this.show(...before);
    }
  }

  toggle(set, key, what) {
    if (!set.delete(key)) {
      set.add(key);
    }
    this.changed(what);
  }

  select(key, add) {
    const only = this.selected.size === 1 && this.selected.has(key);
    if (!add) {
      this.selected.clear();
    }
    if (!only || add) {
      this.toggle(this.selected, key, "selection");
    } else {
      this.changed("selection");
    }
  }

  setRowHeight(height) {
    this.rowHeight = clamp(Math.round(height), 1, 60);
    this.changed("rows");
  }

  /** Browsers allow a page so many changes of its address, and no more. */
  keep() {
    this.keeping ??= setTimeout(() => {
      this.keeping = null;
      history.replaceState(null, "", this.fragment());
    }, 300);
  }

  fragment() {
    const parts = [`from=${Math.round(this.from)}`, `to=${Math.round(this.to)}`];
    const lists = { sel: this.selected, closed: this.closed, open: this.open };
    if (this.top > 0) {
      parts.push(`top=${Math.round(this.top)}`);
    }
    if (this.rowHeight !== this.usualHeight) {
      parts.push(`height=${this.rowHeight}`);
    }
    for (const [name, set] of Object.entries(lists)) {
      if (set.size > 0 && set.size <= 200) {
        parts.push(`${name}=${[...set].join(",")}`);
      }
    }
    if (this.region >= 0) {
      parts.push(`region=${this.region}`);
    }
    if (!this.messages) {
      parts.push("messages=0");
    }
    parts.push(`tab=${this.tab}`);
    return `#${parts.join("&")}`;
  }

  /** Takes over what a fragment says; what makes no sense is left out. */
  restore(fragment) {
    const said = new URLSearchParams(fragment.replace(/^#/, ""));
    const number = name => (/^\d+(\.\d+)?$/.test(said.get(name) ?? "") ? Number(said.get(name)) : null);
    const keys = name => (said.get(name) ?? "").split(",").filter(key => /^[rgm]\d+$/.test(key));
    ["sel", "closed", "open"].forEach((name, i) => {
      if (said.has(name)) {
        [this.selected, this.closed, this.open][i].clear();
        keys(name).forEach(key => [this.selected, this.closed, this.open][i].add(key));
      }
    });
    this.rowHeight = clamp(number("height") ?? this.rowHeight, 1, 60);
    this.top = number("top") ?? 0;
    this.messages = said.get("messages") !== "0";
    this.region = number("region") < this.model.regions.length ? number("region") ?? -1 : -1;
    if (["functions", "flame", "matrix", "rows"].includes(said.get("tab"))) {
      this.tab = said.get("tab");
    }
    if (number("from") !== null && number("to") > number("from")) {
      this.show(number("from"), number("to"));
    }
    return { finding: number("finding") };
  }
}
