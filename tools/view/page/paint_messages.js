// SPDX-License-Identifier: BSD-3-Clause
// Messages: an arrow for each when they are few; when they are many, a bundle for each pair of lanes and
// stretch of time, the wider, the more messages it has.

const MOST_ARROWS = 400;
const MOST_BUNDLES = 250;
const BUNDLE_PIXELS = 110;

class MessagePainter {
  constructor(model, layout) {
    this.model = model;
    this.layout = layout;
  }

  /** What is drawn in this window: {data, arrows: [number], bundles: [...], note}. */
  plan(data, scale) {
    const plan = { data, arrows: data ? this.#fewMessages(data, scale) : null, bundles: [], note: "" };
    if (plan.arrows) {
      plan.note = plan.arrows.length > 0 ? plural(plan.arrows.length, "message") : "";
      return plan;
    }
    plan.arrows = [];
    const { length, stretches } = data ? this.#messageStretches(data, scale) : this.#pairStretches(scale);
    const [found, counts] = [[], { messages: 0, bundles: 0 }];
    for (let part = Math.floor(scale.from / length); part * length <= scale.to; part++) {
      const stretch = stretches.get(part);
      if (stretch) {
        found.push(...stretch.heaviest);
        counts.messages += stretch.messages;
        counts.bundles += stretch.bundles;
      }
    }
    plan.bundles = found.sort(MessagePainter.#byWeight).slice(0, MOST_BUNDLES);
    if (counts.bundles > 0) {
      plan.note = `${plural(counts.messages, "message")}, bundled by pair, in stretches of ${timeText(length)}` +
        (plan.bundles.length < counts.bundles ? ` (the ${plan.bundles.length} heaviest of ${countText(counts.bundles)} bundles)` : "");
    }
    return plan;
  }

  static #byWeight(a, b) {
    return b.messages - a.messages || b.bytes - a.bytes;
  }

  /** The messages of the window; null if they are too many for an arrow each. */
  #fewMessages(data, scale) {
    const { from, to } = data.messages;
    const found = [];
    data.eachMessage(scale.from, scale.to, i => {
      if (this.#laneOf(from[i]) !== this.#laneOf(to[i])) {
        found.push(i);
      }
      return found.length <= MOST_ARROWS;
    });
    return found.length <= MOST_ARROWS ? found : null;
  }

  /** Stretches of time are some power of 2 of a unit long, so that they stay the same while the window moves. */
  static #lengthFor(scale, unit) {
    return unit * 2 ** Math.max(0, Math.ceil(Math.log2((scale.to - scale.from) * BUNDLE_PIXELS / scale.width / unit)));
  }

  #messageStretches(data, scale) {
    const { from, to, sent, bytes, count } = data.messages;
    return this.#stretches(data, MessagePainter.#lengthFor(scale, 1), add => {
      for (let i = 0; i < count; i++) {
        if (from[i] !== NONE && to[i] !== NONE) {
          add(sent[i], this.#laneOf(from[i]), this.#laneOf(to[i]), 1, bytes[i]);
        }
      }
    });
  }

  #pairStretches(scale) {
    const { pairs, meta } = this.model;
    return this.#stretches(pairs, MessagePainter.#lengthFor(scale, meta.pairs.bucket), add => {
      for (let i = 0; i < pairs.count; i++) {
        add(pairs.bucket[i] * meta.pairs.bucket, this.#laneOfProcess(pairs.from[i]), this.#laneOfProcess(pairs.to[i]),
            pairs.messages[i], pairs.bytes[i]);
      }
    });
  }

  /** {length, stretches: by number {messages, bundles, heaviest}}; made once for a length, a source and a layout. */
  #stretches(source, length, feed) {
    const { layout, last } = this;
    if (last && last.source === source && last.length === length && last.version === layout.version) {
      return last;
    }
    const lanes = layout.lanes.length;
    const parts = new Map();
    feed((time, from, to, messages, bytes) => {
      if (from === to || from < 0 || to < 0) {
        return;
      }
      const part = Math.floor(time / length);
      let bundles = parts.get(part);
      if (!bundles) {
        parts.set(part, bundles = new Map());
      }
      const bundle = bundles.get(from * lanes + to);
      if (bundle) {
        bundle.messages += messages;
        bundle.bytes += bytes;
      } else {
        bundles.set(from * lanes + to, { begin: part * length, end: (part + 1) * length, from, to, messages, bytes });
      }
    });
    const stretches = new Map();
    for (const [part, bundles] of parts) {
      const all = [...bundles.values()];
      stretches.set(part, { messages: all.reduce((sum, one) => sum + one.messages, 0), bundles: all.length,
                            heaviest: all.sort(MessagePainter.#byWeight).slice(0, MOST_BUNDLES) });
    }
    this.last = { source, length, version: layout.version, stretches };
    return this.last;
  }

  #laneOf(row) {
    return row === NONE ? -1 : this.layout.laneOfRow[row];
  }

  #laneOfProcess(process) {
    if (!this.processLanes) {
      this.processLanes = new Map();
      this.model.rows.forEach((row, i) => {
        if (!this.processLanes.has(row.process)) {
          this.processLanes.set(row.process, i);
        }
      });
    }
    const row = this.processLanes.get(process);
    return row === undefined ? -1 : this.layout.laneOfRow[row];
  }

  /** Draws a plan; middle(lane number) is the height of a lane's middle. */
  paint(context, plan, scale, middle, look) {
    context.strokeStyle = look.messageCss;
    context.fillStyle = look.messageCss;
    this.alpha = clamp(1.1 - plan.arrows.length / 400, 0.3, 0.85);
    plan.arrows.forEach(i => this.#arrow(context, plan.data.messages, i, scale, middle));
    const most = Math.max(1, ...plan.bundles.map(bundle => bundle.messages));
    plan.bundles.forEach(bundle => this.#bundle(context, bundle, most, scale, middle));
    context.globalAlpha = 1;
  }

  #arrow(context, messages, i, scale, middle) {
    const known = [!Number.isNaN(messages.sent[i]) && messages.from[i] !== NONE, !Number.isNaN(messages.received[i]) && messages.to[i] !== NONE];
    const x0 = scale.x(known[0] ? messages.sent[i] : messages.received[i]);
    const x1 = scale.x(known[1] ? messages.received[i] : messages.sent[i]);
    const y0 = known[0] ? middle(this.#laneOf(messages.from[i])) : middle(this.#laneOf(messages.to[i])) - 12;
    const y1 = known[1] ? middle(this.#laneOf(messages.to[i])) : middle(this.#laneOf(messages.from[i])) + 12;
    context.globalAlpha = this.alpha;
    context.lineWidth = 1;
    context.setLineDash(known[0] && known[1] ? [] : [3, 3]);
    context.beginPath();
    context.moveTo(x0, y0);
    context.lineTo(x1, y1);
    context.stroke();
    context.setLineDash([]);
    this.#head(context, x0, y0, x1, y1, 6);
  }

  #head(context, x0, y0, x1, y1, size) {
    const turn = Math.atan2(y1 - y0, x1 - x0);
    context.beginPath();
    context.moveTo(x1, y1);
    context.lineTo(x1 - size * Math.cos(turn - 0.4), y1 - size * Math.sin(turn - 0.4));
    context.lineTo(x1 - size * Math.cos(turn + 0.4), y1 - size * Math.sin(turn + 0.4));
    context.closePath();
    context.fill();
  }

  #bundle(context, bundle, most, scale, middle) {
    const share = Math.log1p(bundle.messages) / Math.log1p(most);
    const [x0, x1] = [scale.x(bundle.begin), scale.x(bundle.end)];
    const [y0, y1] = [middle(bundle.from), middle(bundle.to)];
    const bend = (x1 - x0) * 0.4;
    context.globalAlpha = 0.18 + 0.4 * share;
    context.lineWidth = 0.6 + 2.2 * share;
    context.beginPath();
    context.moveTo(x0, y0);
    context.bezierCurveTo(x0 + bend, y0, x1 - bend, y1, x1 - 4, y1);
    context.stroke();
    this.#head(context, x1 - 10, y1, x1, y1, 6 + 3 * share);
  }
}
