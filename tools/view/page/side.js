// SPDX-License-Identifier: BSD-3-Clause
// Beside the timeline: findings that lead to their place, what is selected, the legend.

class Side {
  constructor(model, state, layout, look, timeline) {
    Object.assign(this, { model, state, layout, look, timeline });
    this.#findings();
    state.listen(() => this.soon());
    this.soon = later(() => this.draw(), 60);
    this.draw();
  }

  draw() {
    this.#legend();
    if (!this.chosen) {
      this.#selection();
    }
  }

  #findings() {
    const { findings } = this.model;
    const remarks = [this.model.meta.trouble, ...this.model.meta.remarks ?? []].filter(Boolean);
    byId("findings").replaceChildren(...findings.map((finding, i) => element("li", {}, element("button", {
      type: "button", "data-severity": finding.from === null ? "info" : null, title: shown(finding.text), onclick: () => this.jump(i),
    }, element("span", {}, shown(finding.text))))),
                                   ...remarks.map(text => element("li", { class: "soft" }, shown(text))));
    if (findings.length === 0 && remarks.length === 0) {
      byId("findings").replaceChildren(element("li", { class: "soft" }, "None."));
    }
  }

  /** Shows where a finding is: its time with some room, and its rows. */
  jump(number) {
    const finding = this.model.findings[number];
    if (!finding) {
      return;
    }
    this.finding = number;
    if (finding.from === null) {
      this.state.fit();
      return;
    }
    finding.rows.forEach(row => this.layout.reveal(row));
    this.layout.place();
    this.timeline.tree.stale = true;
    this.timeline.picture.mark = { from: finding.from, to: finding.to,
                                   lanes: new Set(finding.rows.map(row => this.layout.lanes[this.layout.laneOfRow[row]])) };
    const room = Math.max((finding.to - finding.from) * 0.25, 200);
    this.state.show(finding.from - room, finding.to + room, true);
    if (finding.rows.length > 0) {
      this.timeline.showLane(this.layout.laneOfRow[finding.rows[0]]);
    }
    this.timeline.redraw();
  }

  /** What was clicked on; null forgets it. */
  choose(hit) {
    this.chosen = hit;
    if (hit) {
      byId("details").replaceChildren(factsList(describe(this.model, this.layout, hit)));
    } else {
      this.#selection();
    }
  }

  #selection() {
    const names = [...this.state.selected].map(key => this.layout.nodes.get(key)?.name).filter(name => name !== undefined).map(shown);
    const wanted = this.model.regions[this.state.region];
    byId("details").replaceChildren(...(wanted ? [element("p", {}, swatch(this.look.of(this.state.region).css), shown(wanted.name),
      element("span", { class: "soft" }, " is searched: n and N go to its places, Esc ends the search."))] : []), names.length === 0
      ? element("p", { class: "soft" }, "Click on a call to see its path. Click on names of rows to sum up only these rows.")
      : element("p", {}, names.slice(0, 20).join(", ") + (names.length > 20 ? " \u2026" : "")));
  }

  #legend() {
    const key = [this.state.region, this.look.isDark].join();
    if (this.legendKey === key) {
      return;
    }
    this.legendKey = key;
    const groups = new Map();
    this.model.regions.forEach((region, i) => listAdd(groups, groupOf(region.group), i));
    const parts = [...groups].map(([group, regions], number) => element("details", { open: number < 4 && regions.length <= 12 },
      element("summary", {}, swatch(this.look.of(regions[0]).css), `${GROUP_TITLES[group]} (${regions.length})`),
      element("ul", {}, ...regions.slice(0, 30).map(i => element("li", {}, element("button", {
        type: "button", "aria-pressed": String(this.state.region === i), onclick: () => lookFor(this.state, i),
      }, swatch(this.look.of(i).css), shown(this.model.regions[i].name)))),
              regions.length > 30 ? element("li", { class: "soft" }, `and ${regions.length - 30} more: search for them`) : null)));
    const told = [["line below a bar", "share of waiting"], ["height of a bar", "share of the region in its bucket"],
                  ["stripes", "not recorded"], ["points", "samples: looks, not calls"], ["\u2715", "killed, stopped, cut, dropped"]];
    byId("legend").replaceChildren(...parts, element("dl", { class: "soft" },
      ...told.flatMap(([sign, text]) => [element("dt", {}, sign), element("dd", {}, text)])));
  }
}
