// SPDX-License-Identifier: BSD-3-Clause
// What keys, buttons, the wheel and the mouse do.

const KEYS = [
  ["w", "zoom in", "w +  ="], ["s", "zoom out", "s  -"], ["a", "earlier", "a  \u2190"], ["d", "later", "d  \u2192"],
  ["", "rows up and down", "\u2191  \u2193  PgUp  PgDn"], ["", "begin, end of the trace", "Home  End"], ["", "whole trace", "f"],
  ["", "the window before", "Backspace"], ["", "search", "/"], ["", "next, previous place of the region", "n  N"],
  ["", "next, previous finding", "]  ["], ["", "messages on and off", "m"], ["", "lower, higher rows", "{  }"],
  ["", "open or close all groups", "o"], ["", "calls of a row one below the other", "Enter on its name"],
  ["", "select a row", "Space on its name"], ["", "clear the selection and the search", "Esc"],
  ["", "save as PNG, as SVG", "p  v"], ["", "this help", "?"],
];
const POINTER = [["Ctrl + wheel, pinch", "zoom at the pointer"], ["Wheel", "rows up and down; zoom, if all rows are visible"],
                 ["Shift + wheel", "earlier, later"], ["Alt + wheel", "lower, higher rows"],
                 ["Drag", "move"], ["Shift + drag, or drag in the ruler", "zoom to what was drawn"], ["Click", "details of a call"],
                 ["Double click", "zoom to the call"]];

class Controls {
  constructor(view) {
    Object.assign(this, view);
    this.actions = this.#actions();
    byId("toolbar").addEventListener("click", event => this.do(event.target.closest("[data-do]")?.dataset.do));
    document.addEventListener("keydown", event => this.#key(event));
    this.#pointer();
    this.#help();
    this.state.listen(() => this.#pressed());
    this.#pressed();
  }

  do(name) {
    this.actions[name]?.();
  }

  #actions() {
    const { state, layout, timeline, search } = this;
    const scroll = by => timeline.scrollTo(Math.max(0, state.top + by));
    return {
      zoomIn: () => state.zoom(0.6), zoomOut: () => state.zoom(1 / 0.6), earlier: () => state.pan(-0.2), later: () => state.pan(0.2),
      up: () => scroll(-2 * state.rowHeight), down: () => scroll(2 * state.rowHeight), pageUp: () => scroll(-400), pageDown: () => scroll(400),
      begin: () => state.show(0, state.span), end: () => state.show(this.model.duration - state.span, this.model.duration),
      fit: () => state.fit(), back: () => state.back(), search: () => search.focus(),
      next: () => search.next(1), previous: () => search.next(-1), nextFinding: () => this.#finding(1), previousFinding: () => this.#finding(-1),
      messages: () => { state.messages = !state.messages; state.changed("look"); },
      rowsLower: () => state.setRowHeight(state.rowHeight * 0.75), rowsHigher: () => state.setRowHeight(Math.max(state.rowHeight * 1.34, state.rowHeight + 1)),
      groups: () => this.#allGroups(layout), clear: () => this.#clear(), png: () => savePng(this), svg: () => saveSvg(this),
      help: () => byId("help").showModal(),
    };
  }

  static names = {
    w: "zoomIn", "+": "zoomIn", "=": "zoomIn", s: "zoomOut", "-": "zoomOut", a: "earlier", ArrowLeft: "earlier", d: "later", ArrowRight: "later",
    ArrowUp: "up", ArrowDown: "down", PageUp: "pageUp", PageDown: "pageDown", Home: "begin", End: "end", f: "fit", Backspace: "back",
    "/": "search", n: "next", N: "previous", "]": "nextFinding", "[": "previousFinding", m: "messages", "{": "rowsLower", "}": "rowsHigher",
    o: "groups", Escape: "clear", p: "png", v: "svg", "?": "help",
  };

  #key(event) {
    const { target } = event;
    const typing = target.closest?.("input, dialog");
    const own = event.key.length > 1 && target.closest?.("[role=tabpanel], aside, button, [role=tree]");
    if (typing || own || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const key = event.key.length === 1 && /[A-Z]/.test(event.key) && event.key !== "N" ? event.key.toLowerCase() : event.key;
    const name = Controls.names[key];
    if (name) {
      event.preventDefault();
      this.do(name);
    }
  }

  #finding(step) {
    const count = this.model.findings.length;
    if (count > 0) {
      const next = this.side.finding === undefined ? (step > 0 ? 0 : count - 1) : (this.side.finding + step + count) % count;
      this.side.jump(next);
      say(`Finding ${next + 1} of ${count}: ${shown(this.model.findings[next].text)}`);
    }
  }

  #allGroups(layout) {
    const groups = [...layout.nodes.values()].filter(node => node.children.length > 0 && node.of === "groups");
    const open = groups.some(node => layout.isClosed(node));
    groups.forEach(node => (open ? this.state.closed.delete(node.key) : this.state.closed.add(node.key)));
    this.state.changed("rows");
  }

  #clear() {
    this.state.selected.clear();
    this.state.region = -1;
    this.timeline.picture.mark = null;
    this.side.choose(null);
    this.timeline.hideTip();
    this.state.changed("selection");
  }

  #pressed() {
    byId("toolbar").querySelector('[data-do="messages"]').setAttribute("aria-pressed", String(this.state.messages));
  }

  #help() {
    const row = (keys, text) => element("div", {}, element("span", {}, ...keys.split(/ +/).map(key => (/^(on|its|name)$/.test(key) ? ` ${key} ` : element("kbd", {}, key)))), text);
    byId("help").replaceChildren(
      element("h2", { id: "help-title" }, "Keys"), element("div", { class: "keys" }, ...KEYS.map(([, text, keys]) => row(keys, text))),
      element("h2", {}, "Mouse"), element("div", { class: "keys" }, ...POINTER.map(([what, text]) => element("div", {}, element("b", {}, what), text))),
      element("p", { class: "soft" }, "The address of the page contains the view: send it to others who have the file."),
      element("form", { method: "dialog" }, element("button", {}, "Close")));
  }

  #pointer() {
    const { plot } = this.timeline;
    plot.addEventListener("wheel", event => this.#wheel(event), { passive: false });
    plot.addEventListener("pointerdown", event => event.button === 0 && this.#press(event));
    plot.addEventListener("pointermove", event => !this.dragging && this.timeline.showTip(event));
    plot.addEventListener("pointerleave", () => this.timeline.hideTip());
    plot.addEventListener("dblclick", event => this.#zoomTo(this.timeline.hit(event)));
  }

  #wheel(event) {
    event.preventDefault();
    const box = this.timeline.plot.getBoundingClientRect();
    const turn = event.deltaY * (event.deltaMode === 1 ? 30 : 1);
    const scrolls = !event.ctrlKey && !event.metaKey && this.layout.height > box.height - RULER_HEIGHT;
    if (event.altKey) {
      this.state.setRowHeight(this.state.rowHeight * (turn > 0 ? 0.85 : 1.2) + (turn > 0 ? 0 : 0.5));
    } else if (event.shiftKey || Math.abs(event.deltaX) > Math.abs(event.deltaY)) {
      this.state.pan((event.deltaX || turn) / box.width);
    } else if (scrolls) {
      this.timeline.scrollTo(Math.max(0, this.state.top + turn));
    } else {
      const time = this.state.from + (event.clientX - box.left) / box.width * this.state.span;
      this.state.zoom(Math.exp(clamp(turn, -300, 300) * 0.002), time);
    }
    this.timeline.hideTip();
  }

  #press(event) {
    const { state, timeline } = this;
    const box = timeline.plot.getBoundingClientRect();
    const start = { x: event.clientX, y: event.clientY, from: state.from, to: state.to, top: state.top };
    const draws = event.shiftKey || event.clientY - box.top < RULER_HEIGHT;
    const timeAt = x => start.from + (x - box.left) / box.width * (start.to - start.from);
    this.dragging = { moved: false };
    timeline.plot.setPointerCapture(event.pointerId);
    const move = next => {
      this.dragging.moved ||= Math.hypot(next.clientX - start.x, next.clientY - start.y) > 3;
      if (this.dragging.moved && draws) {
        timeline.picture.mark = { from: Math.min(timeAt(start.x), timeAt(next.clientX)), to: Math.max(timeAt(start.x), timeAt(next.clientX)),
                                  lanes: new Set(this.layout.lanes) };
        timeline.redraw();
      } else if (this.dragging.moved) {
        const by = clamp(timeAt(start.x) - timeAt(next.clientX), -start.from, this.model.duration - start.to);
        state.show(start.from + by, start.to + by);
        timeline.scrollTo(Math.max(0, start.top + start.y - next.clientY));
      }
      timeline.hideTip();
    };
    const release = next => {
      timeline.plot.removeEventListener("pointermove", move);
      const { moved } = this.dragging;
      this.dragging = null;
      if (moved && draws) {
        timeline.picture.mark = null;
        state.show(Math.min(timeAt(start.x), timeAt(next.clientX)), Math.max(timeAt(start.x), timeAt(next.clientX)), true);
        timeline.redraw();
      } else if (!moved) {
        this.side.choose(timeline.hit(next));
      }
    };
    timeline.plot.addEventListener("pointermove", move);
    timeline.plot.addEventListener("pointerup", release, { once: true });
  }

  #zoomTo(hit) {
    if (hit?.source?.data && hit.call >= 0) {
      const { begin, end } = hit.source.data.calls;
      const room = (end[hit.call] - begin[hit.call]) * 0.1 + 10;
      this.state.show(begin[hit.call] - room, end[hit.call] + room, true);
    } else if (hit) {
      this.state.history.push([this.state.from, this.state.to]);
      this.state.zoom(0.25, hit.time);
    }
  }
}
