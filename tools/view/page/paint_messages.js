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

  /** What is drawn in this window: {arrows: [number], bundles: Map, total, note}. */
  plan(data, scale) {
    const plan = { data, arrows: [], bundles: new Map(), total: 0, note: "" };
    if (data) {
      this.#gather(plan, data, scale);
    } else {
      this.#gatherPairs(plan, scale);
    }
    if (plan.bundles.size > 0) {
      const drawn = Math.min(plan.bundles.size, MOST_BUNDLES);
      plan.note = `${plural(plan.total, "message")}, bundled by pair` +
                  (drawn < plan.bundles.size ? ` (the ${drawn} heaviest of ${countText(plan.bundles.size)} bundles)` : "");
    } else if (plan.arrows.length > 0) {
      plan.note = plural(plan.arrows.length, "message");
    }
    return plan;
  }

  #gather(plan, data, scale) {
    const { from, to, sent, bytes } = data.messages;
    const all = [];
    data.eachMessage(scale.from, scale.to, i => {
      if (this.#laneOf(from[i]) !== this.#laneOf(to[i])) {
        all.push(i);
      }
    });
    plan.total = all.length;
    if (all.length <= MOST_ARROWS) {
      plan.arrows = all;
      return;
    }
    const length = (scale.to - scale.from) * BUNDLE_PIXELS / scale.width;
    for (const i of all) {
      if (from[i] !== NONE && to[i] !== NONE) {
        const part = Math.floor(clamp(sent[i], scale.from, scale.to) / length);
        this.#add(plan, part, length, this.#laneOf(from[i]), this.#laneOf(to[i]), 1, bytes[i]);
      }
    }
  }

  #gatherPairs(plan, scale) {
    const { pairs, pairStarts, meta } = this.model;
    const bucket = meta.pairs.bucket;
    const first = clamp(Math.floor(scale.from / bucket), 0, meta.pairs.n);
    const end = clamp(Math.ceil(scale.to / bucket), first, meta.pairs.n);
    const step = Math.max(1, Math.round((scale.to - scale.from) * BUNDLE_PIXELS / scale.width / bucket));
    for (let i = pairStarts[first]; i < pairStarts[end]; i++) {
      const lanes = [this.#laneOfProcess(pairs.from[i]), this.#laneOfProcess(pairs.to[i])];
      if (lanes[0] !== lanes[1] && lanes[0] >= 0 && lanes[1] >= 0) {
        plan.total += pairs.messages[i];
        this.#add(plan, Math.floor(pairs.bucket[i] / step), step * bucket, ...lanes, pairs.messages[i], pairs.bytes[i]);
      }
    }
  }

  #add(plan, part, length, from, to, messages, bytes) {
    const key = `${part} ${from} ${to}`;
    const bundle = plan.bundles.get(key) || { begin: part * length, end: (part + 1) * length, from, to, messages: 0, bytes: 0 };
    bundle.messages += messages;
    bundle.bytes += bytes;
    plan.bundles.set(key, bundle);
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
    const heaviest = [...plan.bundles.values()].sort((a, b) => b.messages - a.messages || b.bytes - a.bytes).slice(0, MOST_BUNDLES);
    const most = Math.max(1, ...heaviest.map(bundle => bundle.messages));
    heaviest.forEach(bundle => this.#bundle(context, bundle, most, scale, middle));
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
