// SPDX-License-Identifier: BSD-3-Clause
// The search: regions, rows and findings by a part of their name. Enter goes there; for a region, n and N go on.

const MOST_FOUND = 40;

class Search {
  constructor(model, state, layout, timeline, side) {
    Object.assign(this, { model, state, layout, timeline, side, found: [], at: -1 });
    this.input = byId("search");
    this.list = byId("found");
    this.input.addEventListener("input", () => this.#find());
    this.input.addEventListener("focus", () => this.#find());
    this.input.addEventListener("blur", () => setTimeout(() => this.#show(false), 150));
    this.input.addEventListener("keydown", event => this.#key(event));
  }

  focus() {
    this.input.focus();
    this.input.select();
  }

  #show(visible) {
    this.list.hidden = !visible;
    this.input.setAttribute("aria-expanded", String(visible));
  }

  /** {kind, name, go} for each thing whose name contains the words. */
  matches(text) {
    const wanted = text.toLowerCase();
    const has = name => String(name).toLowerCase().includes(wanted);
    const { regions, findings } = this.model;
    const made = [];
    regions.forEach((region, i) => has(region.name) && made.push({ kind: "region", name: region.name, go: () => this.#goRegion(i) }));
    this.layout.nodes.forEach(node => has(node.name) && made.push({ kind: node.of === "metrics" ? "counter" : "row", name: node.name, go: () => this.#goNode(node) }));
    findings.forEach((finding, i) => has(finding.text) && made.push({ kind: "finding", name: finding.text, go: () => this.side.jump(i) }));
    return made;
  }

  #find() {
    const text = this.input.value.trim();
    this.found = text === "" ? [] : this.matches(text);
    this.at = this.found.length > 0 ? 0 : -1;
    this.#list(text);
  }

  #list(text) {
    const items = this.found.slice(0, MOST_FOUND).map((one, i) => element("li", {
      role: "option", id: `found-${i}`, "aria-selected": String(i === this.at),
      onpointerdown: event => { event.preventDefault(); this.#go(i); },
    }, element("span", {}, shown(one.name)), element("small", {}, one.kind)));
    if (this.found.length > MOST_FOUND) {
      items.push(element("li", { class: "soft" }, `and ${countText(this.found.length - MOST_FOUND)} more`));
    } else if (text !== "" && items.length === 0) {
      items.push(element("li", { class: "soft" }, "nothing has this name"));
    }
    this.list.replaceChildren(...items);
    this.input.setAttribute("aria-activedescendant", this.at >= 0 ? `found-${this.at}` : "");
    this.list.children[this.at]?.scrollIntoView({ block: "nearest" });
    this.#show(text !== "");
  }

  #key(event) {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && this.found.length > 0) {
      this.at = clamp(this.at + step, 0, Math.min(this.found.length, MOST_FOUND) - 1);
      this.#list(this.input.value);
      event.preventDefault();
    } else if (event.key === "Enter" && this.at >= 0) {
      this.#go(this.at);
    } else if (event.key === "Escape") {
      this.input.value = "";
      this.#show(false);
      this.timeline.plot.focus();
    }
    event.stopPropagation();
  }

  #go(number) {
    this.#show(false);
    this.found[number].go();
    this.timeline.plot.focus();
  }

  #goNode(node) {
    this.layout.rowsOfNode(node).slice(0, 1).forEach(row => this.layout.reveal(row));
    this.state.selected.clear();
    this.state.selected.add(node.key);
    this.state.changed("rows");
    this.timeline.showLane(this.layout.laneOfKey.get(node.key) ?? 0);
    this.state.changed("selection");
  }

  #goRegion(region) {
    this.state.region = region;
    this.state.changed("look");
    this.next(1, true);
  }

  /** Goes to the next place of the region that is looked for, if it is not seen already. */
  next(direction, unlessSeen = false) {
    const { state, model } = this;
    if (state.region < 0) {
      return;
    }
    const rows = this.layout.selectedRows();
    const middle = (state.from + state.to) / 2;
    const stays = this.place && Math.abs(middle - (this.place.from + this.place.to) / 2) < state.span / 1000;
    const time = stays ? this.place.from : middle;
    const place = this.#exactPlace(rows, time, direction) ?? this.#bucketPlace(rows, time, direction);
    if (!place) {
      say(`No ${direction > 0 ? "later" : "earlier"} place of ${shown(model.regions[state.region].name)} is known.`);
      return;
    }
    if (unlessSeen && state.span >= 0.999 * model.duration) {
      return;
    }
    const span = clamp(state.span, 20, Math.max(40 * (place.to - place.from), SHORTEST_NS));
    this.place = place;
    const centre = (place.from + place.to) / 2;
    this.timeline.picture.mark = { from: place.from, to: place.to, lanes: new Set([this.layout.lanes[this.layout.laneOfRow[place.row]]]) };
    state.show(centre - span / 2, centre + span / 2, true);
    this.timeline.showLane(this.layout.laneOfRow[place.row]);
    this.timeline.redraw();
  }

  #exactPlace(rows, time, direction) {
    const data = this.model.embedded;
    const path = data.nextCall(rows, time, direction, one => data.paths.isOf(one, this.state.region));
    return path === null ? null : { row: data.calls.row[path], from: data.calls.begin[path], to: data.calls.end[path] };
  }

  /** The next bucket of which the region has most. */
  #bucketPlace(rows, time, direction) {
    const level = this.model.levels.findLast(one => one.rows);
    if (!level) {
      return null;
    }
    const start = clamp(Math.floor(time / level.bucket) + direction, 0, level.n);
    for (let bucket = start; bucket >= 0 && bucket < level.n; bucket += direction) {
      const row = rows.find(one => level.region[one * level.n + bucket] === this.state.region);
      if (row !== undefined) {
        return { row, from: bucket * level.bucket, to: (bucket + 1) * level.bucket };
      }
    }
    return null;
  }
}

/** A message that goes away by itself. */
function say(text) {
  const box = byId("message");
  box.textContent = text;
  box.hidden = false;
  clearTimeout(say.timer);
  say.timer = setTimeout(() => { box.hidden = true; }, 6000);
}
