// SPDX-License-Identifier: BSD-3-Clause
// The timeline: the tree of rows, the picture beside it, and the strip above that shows the whole trace.

class Timeline {
  constructor(model, state, layout, look) {
    Object.assign(this, { model, state, layout, look });
    this.picture = new Picture(model, state, layout, look);
    this.plot = byId("plot");
    this.tip = byId("tip");
    this.scroll = byId("tree-scroll");
    this.tree = new TreeView(model, state, layout);
    this.overview = new Overview(model, state, look);
    this.frames = 0;
    this.pending = 0;
    this.scrolledTo = 0; // by this page, and not by the user
    this.scroll.addEventListener("scroll", () => {
      if (Math.abs(this.scroll.scrollTop - this.scrolledTo) < 1) {
        return;
      }
      state.top = this.scrolledTo = this.scroll.scrollTop;
      this.hideTip();
      this.redraw();
      state.keep();
    });
    new ResizeObserver(() => this.redraw()).observe(this.plot);
    state.listen(what => {
      if (what === "rows") {
        layout.place();
        this.tree.stale = true;
      }
      this.redraw();
    });
  }

  /** Draws with the next frame. */
  redraw() {
    this.pending ||= requestAnimationFrame(() => {
      this.pending = 0;
      this.draw();
    });
  }

  draw() {
    const { context, width, height, ratio } = fitCanvas(this.plot);
    this.#keepTop(height);
    this.drawn = this.picture.paint(context, width, height, ratio);
    this.tree.draw(height);
    this.overview.draw();
    this.frames++;
    this.onDrawn?.(this.drawn);
  }

  /** The scroll bar follows the state, which a fragment may have set. */
  #keepTop(height) {
    this.tree.setHeight(this.layout.height + 4);
    this.state.top = clamp(this.state.top, 0, Math.max(0, this.layout.height + 4 - (height - RULER_HEIGHT)));
    if (Math.abs(this.scroll.scrollTop - this.state.top) >= 1) {
      this.scroll.scrollTop = this.state.top;
      this.scrolledTo = this.scroll.scrollTop;
    }
  }

  get width() {
    return this.plot.getBoundingClientRect().width;
  }

  scrollTo(top) {
    this.state.top = top;
    this.redraw();
  }

  /** Scrolls so that a lane is seen. */
  showLane(number) {
    const lane = this.layout.lanes[number];
    const room = this.plot.getBoundingClientRect().height - RULER_HEIGHT;
    if (lane && (lane.y < this.state.top || lane.y + lane.h > this.state.top + room)) {
      this.scrollTo(Math.max(0, lane.y - room / 3));
    }
  }

  hit(event) {
    const box = this.plot.getBoundingClientRect();
    return this.picture.hit(event.clientX - box.left, event.clientY - box.top, box.width);
  }

  showTip(event) {
    const hit = this.hit(event);
    if (!hit) {
      this.hideTip();
      return;
    }
    this.tip.replaceChildren(factsList(describe(this.model, this.layout, hit)));
    this.tip.hidden = false;
    const box = byId("timeline").getBoundingClientRect();
    const own = this.tip.getBoundingClientRect();
    const x = event.clientX - box.left + 14;
    const y = event.clientY - box.top + 16;
    this.tip.style.left = `${x + own.width > box.width ? Math.max(0, x - own.width - 28) : x}px`;
    this.tip.style.top = `${y + own.height > box.height ? Math.max(0, y - own.height - 28) : y}px`;
  }

  hideTip() {
    this.tip.hidden = true;
  }
}

/** The rows' names, as a tree: as many items as are seen. */
class TreeView {
  constructor(model, state, layout) {
    Object.assign(this, { model, state, layout });
    this.box = byId("tree");
    this.stale = true;
    this.focused = null;
    this.box.addEventListener("click", event => this.#click(event));
    this.box.addEventListener("dblclick", event => this.#act(this.#laneOf(event.target), "toggle"));
    this.box.addEventListener("keydown", event => this.#key(event));
    state.listen(what => { this.stale ||= what === "selection" || what === "rows"; });
  }

  setHeight(height) {
    if (this.height !== height) {
      this.height = height;
      this.box.style.height = `${height}px`;
    }
  }

  draw(height) {
    const range = this.layout.lanesIn(this.state.top, this.state.top + height);
    const seen = range.join();
    if (!this.stale && this.seen === seen) {
      return;
    }
    const hadFocus = this.box.contains(document.activeElement);
    this.seen = seen;
    this.stale = false;
    const lanes = this.layout.lanes.slice(...range);
    const first = lanes.find(lane => lane.node.key === this.focused) || lanes[0];
    this.box.replaceChildren(...lanes.filter(lane => lane.h >= 9 || lane.of === "groups").map(lane => this.#item(lane, lane === first)));
    if (hadFocus) {
      this.box.querySelector('[tabindex="0"]')?.focus({ preventScroll: true });
    }
    byId("rowcount").textContent = `${plural(this.model.rows.length, "location")}, ${plural(this.model.processes.length, "process", "es")}`;
  }

  #item(lane, isFirst) {
    const { node } = lane;
    const closable = node.children.length > 0;
    const process = node.process >= 0 ? this.model.processes[node.process] : null;
    const stack = this.layout.isStack(node);
    const item = element("div", {
      role: "treeitem", "data-key": node.key, "aria-level": node.depth, tabindex: isFirst ? 0 : -1,
      "aria-expanded": closable ? String(!this.layout.isClosed(node)) : null,
      "aria-selected": String(this.state.selected.has(node.key)),
      class: node.of === "groups" ? "group" : node.of, title: this.#titleOf(node, process),
      style: { top: `${lane.y}px`, height: `${lane.h}px`, paddingLeft: `${4 + 12 * (node.depth - 1)}px`,
               fontSize: lane.h < 15 ? `${Math.max(lane.h - 3, 5)}px` : "" },
    });
    const canStack = node.of === "rows" && this.layout.depths[node.index] > 1;
    item.append(element("span", { class: "twist", "aria-hidden": "true" }, closable ? (this.layout.isClosed(node) ? "\u25b8" : "\u25be") : ""),
                element("span", { class: "name" }, shown(node.name)));
    if (process && process.state !== "ended") {
      item.append(element("span", { class: "state" }, `\u2715 ${shown(process.state)}`));
    } else if (canStack && lane.h >= 14) {
      item.append(element("span", { class: stack ? "note twist stack on" : "note twist stack", "aria-hidden": "true" }, "\u2261"));
    }
    return item;
  }

  #titleOf(node, process) {
    const told = [shown(node.name)];
    if (process) {
      told.push(process.state, shown(this.model.meta.commands?.[process.command] ?? ""), process.note && shown(process.note));
    }
    if (node.of === "rows") {
      const row = this.model.rows[node.index];
      told.push(`${row.kind}, ${plural(row.events, "event")}`, "Enter or double click: calls one below the other");
    }
    return told.filter(Boolean).join("\n");
  }

  #laneOf(target) {
    const key = target.closest?.("[data-key]")?.dataset.key;
    return this.layout.lanes[this.layout.laneOfKey.get(key)] || null;
  }

  #click(event) {
    const lane = this.#laneOf(event.target);
    if (!lane) {
      return;
    }
    this.focused = lane.node.key;
    if (event.target.classList.contains("stack")) {
      this.#act(lane, "stack");
    } else if (event.target.classList.contains("twist") && lane.node.children.length > 0) {
      this.#act(lane, "close");
    } else {
      this.state.select(lane.node.key, event.ctrlKey || event.metaKey || event.shiftKey);
    }
  }

  #act(lane, what) {
    if (!lane) {
      return;
    }
    const closable = lane.node.children.length > 0;
    if (what === "close" || (what === "toggle" && lane.of !== "rows")) {
      if (closable) {
        this.state.toggle(this.state.closed, lane.node.key, "rows");
      }
    } else if (lane.of === "rows") {
      this.state.toggle(this.state.open, lane.node.key, "rows");
    }
  }

  #key(event) {
    const lane = this.#laneOf(event.target);
    if (!lane || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const number = this.layout.laneOfKey.get(lane.node.key);
    const closed = this.layout.isClosed(lane.node);
    const closable = lane.node.children.length > 0;
    const parent = lane.node.parent && this.layout.laneOfKey.get(lane.node.parent.key);
    const work = {
      ArrowDown: () => this.focus(number + 1), ArrowUp: () => this.focus(number - 1),
      Home: () => this.focus(0), End: () => this.focus(this.layout.lanes.length - 1),
      ArrowRight: () => (closable && closed ? this.#act(lane, "close") : closable ? this.focus(number + 1) : null),
      ArrowLeft: () => (closable && !closed ? this.#act(lane, "close") : parent !== null && this.focus(parent)),
      Enter: () => this.#act(lane, "toggle"), " ": () => this.state.select(lane.node.key, true),
    }[event.key];
    if (work) {
      event.preventDefault();
      event.stopPropagation();
      this.focused ??= lane.node.key;
      work();
    }
  }

  focus(number) {
    if (this.layout.lanes.length === 0) {
      return;
    }
    const lane = this.layout.lanes[clamp(number, 0, this.layout.lanes.length - 1)];
    this.focused = lane.node.key;
    this.stale = true;
    this.onFocus?.(this.layout.laneOfKey.get(lane.node.key));
  }
}

/** The whole trace in a strip, with the window that is seen: to drag it, or to draw a new one. */
class Overview {
  constructor(model, state, look) {
    Object.assign(this, { model, state, look });
    this.canvas = byId("overview");
    this.canvas.addEventListener("pointerdown", event => this.#drag(event));
  }

  #timeAt(event) {
    const box = this.canvas.getBoundingClientRect();
    return clamp((event.clientX - box.left) / box.width, 0, 1) * this.model.duration;
  }

  #drag(event) {
    const start = this.#timeAt(event);
    const { from, to } = this.state;
    const moves = start >= from && start <= to && to - from < 0.95 * this.model.duration;
    this.state.history.push([from, to]);
    const move = next => {
      const time = this.#timeAt(next);
      if (moves) {
        this.state.show(clamp(from + time - start, 0, this.model.duration - (to - from)),
                        clamp(to + time - start, to - from, this.model.duration));
      } else if (Math.abs(time - start) > this.model.duration / 500) {
        this.state.show(Math.min(start, time), Math.max(start, time));
      }
    };
    this.canvas.setPointerCapture(event.pointerId);
    this.canvas.addEventListener("pointermove", move);
    this.canvas.addEventListener("pointerup", () => this.canvas.removeEventListener("pointermove", move), { once: true });
  }

  /** The strip without the window: drawn once for a size and theme. */
  #strip(width, height, ratio) {
    const key = [width, height, ratio, this.look.isDark].join();
    if (this.key === key) {
      return;
    }
    this.key = key;
    this.image = document.createElement("canvas");
    this.image.width = Math.round(width * ratio);
    this.image.height = Math.round(height * ratio);
    const context = this.image.getContext("2d");
    context.scale(ratio, ratio);
    context.fillStyle = this.look.laneCss;
    context.fillRect(0, 0, width, height);
    const lanes = this.#lanes();
    const cells = new CellPainter(this.model);
    const plain = Object.create(this.look, { isDim: { value: () => false } });
    cells.begin({ isVector: true }, width, height, 1, this.look);
    lanes.forEach((lane, i) => {
      const level = this.model.levelFor(this.model.duration / width, this.model.cellKind(lane));
      if (level) {
        cells.paintRectangles(context, lane, i * height / lanes.length, height / lanes.length + 1, level, 0, this.model.duration, plain);
      }
    });
  }

  /** Some of the rows or groups, at even distances. */
  #lanes() {
    const of = this.model.rows.length <= 16 || !this.model.levels.some(level => level.groups) ? "rows" : "groups";
    const count = this.model[of].length;
    const wanted = Math.min(count, 16);
    return Array.from({ length: wanted }, (_, i) => ({ of, index: Math.floor(i * count / wanted) }));
  }

  draw() {
    const { context, width, height, ratio } = fitCanvas(this.canvas);
    this.#strip(width, height, ratio);
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.drawImage(this.image, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const left = this.state.from / this.model.duration * width;
    const right = Math.max(this.state.to / this.model.duration * width, left + 2);
    context.fillStyle = this.look.isDark ? "#0009" : "#fffb";
    context.fillRect(0, 0, left, height);
    context.fillRect(right, 0, width - right, height);
    context.strokeStyle = this.look.accentCss;
    context.lineWidth = 1.5;
    context.strokeRect(left + 0.5, 0.75, right - left - 1, height - 2.5);
  }
}
