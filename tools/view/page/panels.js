// SPDX-License-Identifier: BSD-3-Clause
// The panels below the timeline: what the window sums up to. Only the one that is seen is made.

class Panels {
  constructor(model, state, layout, look) {
    Object.assign(this, { model, state, layout, look });
    this.parts = {
      functions: new FunctionsPanel(model, state, look), flame: new FlamePanel(model, state, look),
      matrix: new MatrixPanel(model, state, look), rows: new RowsPanel(model, state, layout, look),
    };
    const tabs = [...byId("tabs").children];
    tabs.forEach(tab => tab.addEventListener("click", () => this.show(tab.id.slice(4))));
    byId("tabs").addEventListener("keydown", event => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
      if (step) {
        const next = tabs[(tabs.indexOf(event.target) + step + tabs.length) % tabs.length];
        event.preventDefault();
        event.stopPropagation();
        this.show(next.id.slice(4));
        next.focus();
      }
    });
    this.#split();
    const soon = later(() => this.draw(), 90);
    state.listen(soon);
    new ResizeObserver(soon).observe(byId("panels"));
    this.show(state.tab);
  }

  show(name) {
    this.state.tab = name;
    for (const tab of byId("tabs").children) {
      const own = tab.id === `tab-${name}`;
      tab.setAttribute("aria-selected", String(own));
      tab.tabIndex = own ? 0 : -1;
      byId(tab.getAttribute("aria-controls")).hidden = !own;
    }
    this.draw();
    this.state.keep();
  }

  draw() {
    const { from, to } = this.state;
    const rows = this.layout.selectedRows();
    const made = this.parts[this.state.tab].draw(byId(`panel-${this.state.tab}`), rows, from, to);
    const scope = rows.length === this.model.rows.length ? "all rows" : plural(rows.length, "row");
    byId("scope").textContent = `${scope}, ${rangeText(made, this.state)}`;
    this.made = made;
  }

  #split() {
    const splitter = byId("splitter");
    const panels = byId("panels");
    const set = height => {
      panels.style.height = `${clamp(height, 60, window.innerHeight - 200)}px`;
    };
    splitter.addEventListener("pointerdown", event => {
      const start = panels.getBoundingClientRect().height + event.clientY;
      const move = next => set(start - next.clientY);
      splitter.setPointerCapture(event.pointerId);
      splitter.addEventListener("pointermove", move);
      splitter.addEventListener("pointerup", () => splitter.removeEventListener("pointermove", move), { once: true });
    });
    splitter.addEventListener("keydown", event => {
      const step = { ArrowUp: 30, ArrowDown: -30 }[event.key];
      if (step) {
        event.preventDefault();
        event.stopPropagation();
        set(panels.getBoundingClientRect().height + step);
      }
    });
  }
}

/** "exact" or the buckets to which a window was rounded. */
function rangeText(made, state) {
  const step = Math.max((made.to - made.from) / 10000, 1);
  const range = `${pointText(made.from, step, made.to)} to ${pointText(made.to, step)}`;
  const same = Math.abs(made.from - state.from) < 1 && Math.abs(made.to - state.to) < 1;
  return made.exact ? `exact, ${range}` : same ? `whole buckets, ${range}` : `rounded to buckets: ${range}`;
}

class FunctionsPanel {
  constructor(model, state, look) {
    Object.assign(this, { model, state, look, sort: "self" });
  }

  draw(box, rows, from, to) {
    const sums = windowSums(this.model, rows, from, to);
    const list = sumsByRegion(this.model, sums);
    const all = list.reduce((sum, one) => sum + one.self, 0);
    const most = Math.max(1, ...list.map(one => one.self));
    const name = one => this.model.regions[one.region]?.name ?? "";
    list.sort((a, b) => (this.sort === "name" ? (name(a) < name(b) ? -1 : 1) : b[this.sort] - a[this.sort]));
    const withSamples = list.some(one => one.samples > 0);
    this.isCut = !sums.exact && this.model.meta.sums.cut;
    const columns = [["name", "Region"], ["group", "Group"], ["self", "Self time"], [null, ""], ["incl", "With callees"], ["calls", "Calls"],
                     ...(withSamples ? [["samples", "Samples"]] : [])].map(([key, title]) => this.#column(key, title));
    const shownList = list.slice(0, 500);
    const table = tableOf(this.#caption(sums, list, all, withSamples), columns, shownList.map(one => this.#row(one, all, most, withSamples)));
    box.replaceChildren(table);
    this.list = list;
    return sums;
  }

  #caption(sums, list, all, withSamples) {
    return `${plural(list.length, "region")}, ${timeText(all)} in all` + (list.length > 500 ? "; the first 500" : "") +
           (list.some(one => one.calls === 0 && one.self <= 0 && one.incl > 0)
             ? ". Functions without a time of their own were seen on call stacks: they have that of the calls below them." : "") +
           (withSamples ? ". Samples are counts of looks, not times." : "") +
           (this.isCut ? " Small sums were put together as (other): there were too many for the page." : "");
  }

  #column(key, title) {
    const sortable = ["name", "self", "incl", "calls", "samples"].includes(key);
    return {
      title, number: ["self", "incl", "calls", "samples"].includes(key), class: key === "name" ? "name" : key === null ? "bar-cell" : null,
      sorted: sortable && this.sort === key ? (key === "name" ? "ascending" : "descending") : null,
      head: sortable ? element("button", { type: "button", onclick: () => { this.sort = key; this.state.changed("look"); } },
                               title + (this.sort === key ? " \u25be" : "")) : null,
    };
  }

  #row(one, all, most, withSamples) {
    const region = this.model.regions[one.region] ?? { name: "(unknown)", group: "other" };
    const colour = this.look.of(one.region).css;
    const timed = one.self > 0 || one.calls > 0;
    return [
      element("button", { type: "button", title: shown(region.name), onclick: () => lookFor(this.state, one.region) }, swatch(colour), shown(region.name)),
      GROUP_TITLES[groupOf(region.group)], timed ? `${timeText(one.self)}  ${percentText(all > 0 ? one.self / all : 0)}` : "",
      element("span", { class: "share", style: { background: colour, width: `${100 * one.self / most}%` }, "aria-hidden": "true" }),
      timed || one.incl > 0 ? timeText(one.incl) : "", timed ? countText(one.calls) : "", ...(withSamples ? [countText(one.samples)] : []),
    ];
  }
}

/** Highlights a region, or none if it was this one. */
function lookFor(state, region) {
  state.region = state.region === region ? -1 : region;
  state.changed("look");
}

class RowsPanel {
  constructor(model, state, layout, look) {
    Object.assign(this, { model, state, layout, look });
  }

  /** The picture as a table: for those who do not see it. */
  draw(box, rows, from, to) {
    const listed = rows.slice(0, clamp(Math.floor(4e6 / (this.model.paths.count + 1)), 20, 200));
    const columns = [{ title: "Row", class: "name" }, { title: "State" }, { title: "Most time", class: "name" }, { title: "Share", number: true },
                     { title: "Then", class: "name" }, { title: "Calls", number: true }, { title: "In calls that wait", number: true },
                     { title: "Not as usual", class: "name" }];
    let last = { exact: false, from, to };
    const cells = listed.map(row => {
      last = windowSums(this.model, [row], from, to);
      return this.#row(row, sumsByRegion(this.model, last), from, to);
    });
    box.replaceChildren(tableOf(`${plural(rows.length, "row")}${rows.length > listed.length ? `, the first ${listed.length} (select rows for others)` : ""}`,
                                columns, cells));
    return last;
  }

  #row(row, list, from, to) {
    const { model } = this;
    const process = model.processes[model.rows[row].process];
    const all = Math.max(1, list.reduce((sum, one) => sum + one.self, 0));
    const name = one => (one ? shown(model.regions[one.region]?.name ?? "") : "");
    const waiting = list.reduce((sum, one) => sum + one.waiting, 0);
    const marks = model.marksOf[row].filter(mark => mark.from <= to && mark.to >= from);
    return [`${process ? `${shown(process.name)}: ` : ""}${shown(model.rows[row].name)}`, process?.state ?? "", name(list[0]),
            list[0] ? percentText(list[0].self / all) : "", name(list[1]), countText(list.reduce((sum, one) => sum + one.calls, 0)),
            percentText(waiting / all),
            marks.map(mark => `${MARK_TITLES[mark.kind] ?? mark.kind} at ${pointText(mark.from, this.state.span / 1000)}`).join("; ")];
  }
}
