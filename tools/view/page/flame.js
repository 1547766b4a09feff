// SPDX-License-Identifier: BSD-3-Clause
// The flame graph of the window: call paths, as wide as their share of the time; or of the samples.

const FLAME_HEIGHT = 18;

class FlamePanel {
  constructor(model, state, look) {
    Object.assign(this, { model, state, look, by: "time", focus: -1 });
    this.canvas = element("canvas", { tabindex: 0, role: "img", "aria-roledescription": "flame graph" });
    this.note = element("p", { class: "soft", role: "status" });
    this.canvas.addEventListener("pointermove", event => this.#tell(this.#boxAt(event)));
    this.canvas.addEventListener("pointerleave", () => this.#tell(null));
    this.canvas.addEventListener("click", event => this.#zoom(this.#boxAt(event)));
    this.canvas.addEventListener("keydown", event => this.#key(event));
  }

  draw(box, rows, from, to) {
    this.box = box;
    this.last = [box, rows, from, to];
    const sums = windowSums(this.model, rows, from, to);
    const hasSamples = sums.samples.some(count => count > 0);
    this.by = hasSamples ? this.by : "time";
    this.sums = sums;
    this.weights = totals(sums.paths, this.by === "time" ? sums.self : sums.samples);
    const buttons = ["time", "samples"].map(by => element("button", {
      type: "button", "aria-pressed": String(this.by === by), onclick: () => { this.by = by; this.focus = -1; this.draw(...this.last); },
    }, by === "time" ? "Time in calls" : "Samples"));
    box.replaceChildren(element("div", { class: "line" }, ...(hasSamples ? buttons : []),
                                this.focus >= 0 ? element("button", { type: "button", onclick: () => this.#zoom(null) }, "All paths") : null, this.note),
                        this.canvas);
    this.#place();
    this.#paint();
    this.#tell(null);
    return sums;
  }

  /** Boxes {path, x, w, depth}: children beside each other inside their parents, the widest first. */
  #place() {
    const { paths } = this.sums;
    const children = new Map();
    for (let path = 0; path < paths.count; path++) {
      if (this.weights[path] > 0 && !this.#isIdle(path)) {
        listAdd(children, paths.parent[path], path);
      }
    }
    this.boxes = [];
    const roots = this.focus >= 0 && this.weights[this.focus] > 0 ? [this.focus] : children.get(NONE) || [];
    this.total = roots.reduce((sum, path) => sum + this.weights[path], 0);
    const put = (list, x, depth) => {
      list.sort((a, b) => this.weights[b] - this.weights[a]);
      for (const path of list) {
        const w = this.weights[path] / this.total;
        if (w > 0.0004) {
          this.boxes.push({ path, x, w, depth });
          put(children.get(path) || [], x, depth + 1);
        }
        x += w;
      }
    };
    put(roots, 0, 0);
    this.depth = this.boxes.reduce((deep, one) => Math.max(deep, one.depth + 1), 1);
  }

  #isIdle(path) {
    return ["not recorded"].includes(this.model.regions[this.sums.paths.region[path]]?.group);
  }

  #paint() {
    this.canvas.style.width = "100%";
    this.canvas.style.height = `${this.depth * FLAME_HEIGHT + 2}px`;
    const { context, width, height } = fitCanvas(this.canvas);
    context.clearRect(0, 0, width, height);
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    context.textBaseline = "middle";
    for (const one of this.boxes) {
      const region = this.sums.paths.region[one.path];
      const colour = this.look.of(region);
      const [left, wide, top] = [one.x * width, one.w * width, one.depth * FLAME_HEIGHT];
      const sampled = this.sums.paths.isSeen(one.path);
      context.fillStyle = sampled || this.look.isDim(region) ? colour.tintCss : colour.css;
      context.fillRect(left, top, Math.max(wide - 1, 0.5), FLAME_HEIGHT - 1);
      if (sampled) {
        context.globalAlpha = 0.35;
        hatch(context, left, top, Math.max(wide - 1, 0.5), FLAME_HEIGHT - 1, colour.css);
        context.globalAlpha = 1;
      }
      if (wide > 30) {
        label(context, shown(this.sums.paths.nameOf(one.path)), left, left + wide, { y: top, h: FLAME_HEIGHT - 1 },
              sampled || this.look.isDim(region) ? this.look.textCss : colour.text);
      }
      if (one.path === this.current) {
        context.strokeStyle = this.look.textCss;
        context.strokeRect(left + 0.5, top + 0.5, Math.max(wide - 2, 1), FLAME_HEIGHT - 2);
      }
    }
    this.canvas.setAttribute("aria-label", `Flame graph: ${plural(this.boxes.length, "call path")}, arrow keys go from one to the next`);
  }

  #boxAt(event) {
    const frame = this.canvas.getBoundingClientRect();
    const x = (event.clientX - frame.left) / frame.width;
    const depth = Math.floor((event.clientY - frame.top) / FLAME_HEIGHT);
    return this.boxes.find(one => one.depth === depth && one.x <= x && x < one.x + one.w) || null;
  }

  #tell(one) {
    const amount = value => (this.by === "time" ? timeText(value) : plural(value, "sample"));
    const isHatched = this.boxes.some(box => this.sums.paths.isSeen(box.path));
    const hatched = !isHatched ? "" : this.by === "samples" ? " Hatched: seen by samples, not timed."
                                                            : " Hatched: seen on the call stacks of what is below, not timed.";
    this.note.textContent = one ? `${pathText(this.sums.paths, one.path)}: ${amount(this.weights[one.path])}, ${percentText(one.w)}`
                                : `${amount(this.total)} in all. Click: only what is below.${hatched}`;
  }

  #zoom(one) {
    this.focus = one ? one.path : -1;
    this.draw(...this.last);
  }

  #key(event) {
    const at = this.boxes.findIndex(one => one.path === this.current);
    const one = this.boxes[at];
    const beside = step => this.boxes.filter(other => one && other.depth === one.depth)
      .sort((a, b) => a.x - b.x).find((_, i, list) => list[i - step] === one);
    const next = {
      ArrowDown: () => this.boxes.find(other => one && other.depth === one.depth + 1 && other.x >= one.x - 1e-9 && other.x < one.x + one.w),
      ArrowUp: () => this.boxes.find(other => one && other.depth === one.depth - 1 && other.x <= one.x + 1e-9 && one.x < other.x + other.w),
      ArrowRight: () => beside(1), ArrowLeft: () => beside(-1),
    }[event.key];
    if (next) {
      const to = (one ? next() : this.boxes[0]) || one;
      this.current = to?.path;
      this.#paint();
      this.#tell(to || null);
    } else if (event.key === "Enter") {
      this.#zoom(one || null);
    } else if (event.key !== "Escape") {
      return;
    } else {
      this.#zoom(null);
    }
    event.preventDefault();
    event.stopPropagation();
  }
}
