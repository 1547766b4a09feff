// SPDX-License-Identifier: BSD-3-Clause
// The communication matrix of the window: who sent how much to whom.

const MOST_CELLS = 128;
const LISTED_PAIRS = 40;

class MatrixPanel {
  constructor(model, state, look) {
    Object.assign(this, { model, state, look, by: "bytes" });
    this.canvas = element("canvas", { tabindex: 0, role: "img" });
    this.note = element("p", { class: "soft", role: "status" });
    this.canvas.addEventListener("pointermove", event => this.#hover(event));
    this.canvas.addEventListener("keydown", event => this.#key(event));
    this.canvas.addEventListener("pointerleave", () => { this.note.textContent = this.summary; });
  }

  draw(box, rows, from, to) {
    this.last = [box, rows, from, to];
    const made = windowPairs(this.model, rows, from, to);
    this.made = made;
    this.#aggregate(made.pairs);
    const buttons = ["bytes", "messages"].map(by => element("button", {
      type: "button", "aria-pressed": String(this.by === by), onclick: () => { this.by = by; this.draw(...this.last); },
    }, by === "bytes" ? "Bytes" : "Messages"));
    const listed = [...made.pairs].sort((a, b) => b[this.by] - a[this.by]).slice(0, LISTED_PAIRS);
    const columns = [{ title: "From", class: "name" }, { title: "To", class: "name" }, { title: "Messages", number: true }, { title: "Bytes", number: true }];
    const total = made.pairs.reduce((sum, pair) => [sum[0] + pair.messages, sum[1] + pair.bytes], [0, 0]);
    this.summary = made.pairs.length === 0 ? "No messages were sent in this window."
      : `${plural(total[0], "message")}, ${bytesText(total[1])}, ${plural(made.pairs.length, "pair")}. Down: senders, across: receivers.` +
        (this.block > 1 ? ` A square is ${this.block} by ${this.block} processes.` : "") +
        (!made.exact && this.model.meta.pairs.cut ? " Pairs with few messages were put together as (other)." : "");
    this.note.textContent = this.summary;
    this.canvas.setAttribute("aria-label", `Communication matrix. ${this.summary}`);
    box.replaceChildren(element("div", { class: "line" }, ...buttons, this.note), element("div", { class: "columns" }, this.canvas,
      tableOf(made.pairs.length > listed.length ? `The ${listed.length} first of ${countText(made.pairs.length)} pairs` : "Pairs", columns,
              listed.map(pair => [shown(this.model.processName(pair.from)), shown(this.model.processName(pair.to)),
                                  countText(pair.messages), bytesText(pair.bytes)]))));
    this.#paint(box);
    return made;
  }

  /** Processes that send or receive; blocks of them, when they are many. */
  #aggregate(pairs) {
    const seen = new Set(pairs.flatMap(pair => [pair.from, pair.to]));
    const some = this.model.processes.map((_, i) => i).filter(i => seen.has(i) || this.model.processes[i].rank !== null);
    this.order = seen.has(NONE) ? [...some, NONE] : some;
    this.block = Math.max(1, Math.ceil(this.order.length / MOST_CELLS));
    this.size = Math.max(1, Math.ceil(this.order.length / this.block));
    this.cells = Array.from({ length: this.size * this.size }, () => ({ messages: 0, bytes: 0 }));
    const place = new Map(this.order.map((process, i) => [process, Math.floor(i / this.block)]));
    for (const pair of pairs) {
      const cell = this.cells[place.get(pair.from) * this.size + place.get(pair.to)];
      cell.messages += pair.messages;
      cell.bytes += pair.bytes;
    }
  }

  #paint(box) {
    const room = clamp(box.getBoundingClientRect().height - 70, 90, 420);
    this.square = Math.max(2, Math.min(34, Math.floor(room / this.size)));
    this.canvas.style.width = this.canvas.style.height = `${this.square * this.size + 2}px`;
    const { context, width, height } = fitCanvas(this.canvas);
    const most = Math.max(1e-9, ...this.cells.map(cell => cell[this.by]));
    context.clearRect(0, 0, width, height);
    context.fillStyle = this.look.lineCss;
    context.fillRect(0, 0, width, height);
    this.cells.forEach((cell, i) => {
      const [x, y] = [i % this.size * this.square + 1, Math.floor(i / this.size) * this.square + 1];
      const gap = this.square > 5 ? 1 : 0;
      context.fillStyle = cell.messages > 0 ? heat(0.12 + 0.88 * cell[this.by] / most, this.look.isDark) : this.look.laneCss;
      context.fillRect(x, y, this.square - gap, this.square - gap);
      if (i === this.current) {
        context.strokeStyle = this.look.findCss;
        context.lineWidth = 2;
        context.strokeRect(x, y, this.square - gap, this.square - gap);
      }
    });
  }

  #blockName(block) {
    const first = this.order[block * this.block];
    const last = this.order[Math.min((block + 1) * this.block, this.order.length) - 1];
    const name = shown(this.model.processName(first));
    return first === last ? name : `${name} to ${shown(this.model.processName(last))}`;
  }

  #tell(number) {
    const cell = this.cells[number];
    this.note.textContent = `${this.#blockName(Math.floor(number / this.size))} \u2192 ${this.#blockName(number % this.size)}: ` +
                            `${plural(cell.messages, "message")}, ${bytesText(cell.bytes)}`;
  }

  #hover(event) {
    const frame = this.canvas.getBoundingClientRect();
    const [x, y] = [event.clientX - frame.left - 1, event.clientY - frame.top - 1].map(v => Math.floor(v / this.square));
    if (x >= 0 && y >= 0 && x < this.size && y < this.size && this.order.length > 0) {
      this.#tell(y * this.size + x);
    }
  }

  #key(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: this.size, ArrowUp: -this.size }[event.key];
    if (step && this.order.length > 0) {
      event.preventDefault();
      event.stopPropagation();
      this.current = this.current === undefined ? 0 : clamp(this.current + step, 0, this.cells.length - 1);
      this.#paint(this.last[0]);
      this.#tell(this.current);
    }
  }
}
