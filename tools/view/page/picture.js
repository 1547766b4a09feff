// SPDX-License-Identifier: BSD-3-Clause
// The picture of the rows, on a canvas or as SVG.

class Picture {
  constructor(model, state, layout, look) {
    Object.assign(this, { model, state, layout, look });
    this.cells = new CellPainter(model);
    this.dense = new DensePainter(this.cells);
    this.calls = new CallPainter(model);
    this.messages = new MessagePainter(model, layout);
  }

  scaleFor(width) {
    const { from, to } = this.state;
    return { from, to, width, x: time => (time - from) / (to - from) * width, time: x => from + x / width * (to - from) };
  }

  /** How a lane is drawn: {data} exactly, {level} as buckets, {metric}; null if nothing is known of it. */
  sourceOf(lane, scale) {
    if (lane.of === "metrics") {
      return { metric: lane.index };
    }
    if (lane.of === "groups" && !this.layout.isClosed(lane.node)) {
      return null; // its rows are there
    }
    const pixel = (scale.to - scale.from) / scale.width;
    const level = this.model.levelFor(pixel, this.model.cellKind(lane));
    const data = lane.of === "rows" ? this.model.exactFor(lane.index, scale.from, scale.to) : null;
    const calls = data ? data.countCalls(lane.index, scale.from, scale.to) : 0;
    if (data && (calls <= 2 * scale.width || !level || level.bucket > 3 * pixel)) {
      return { data, isDense: calls > 0.6 * scale.width };
    }
    return level ? { level } : null;
  }

  /** All of it: ruler, the lanes that are seen, messages. Says what it has drawn. */
  paint(context, width, height, ratio) {
    const scale = this.scaleFor(width);
    const { layout, state, look } = this;
    const [first, end] = layout.lanesIn(state.top, state.top + height - RULER_HEIGHT);
    const shownLanes = layout.lanes.slice(first, end).map(lane =>
      ({ lane, y: RULER_HEIGHT + lane.y - state.top, source: this.sourceOf(lane, scale) }));
    context.textBaseline = "middle";
    context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
    this.cells.begin(context, width, height, ratio, look);
    if (context.isVector) {
      context.fillStyle = look.backCss;
      context.fillRect(0, 0, width, height);
    }
    shownLanes.forEach(one => this.#paintCells(context, one, scale));
    this.cells.end(context);
    shownLanes.forEach(one => this.#paintOver(context, one, scale));
    const plan = state.messages ? this.#paintMessages(context, scale, height, shownLanes) : null;
    this.#paintSelection(context, shownLanes, scale);
    paintRuler(context, scale, look);
    return { scale, lanes: shownLanes, plan };
  }

  #paintCells(context, { lane, y, source }, scale) {
    if (source?.isDense) {
      this.dense.paint(context, lane, y, lane.h, source.data, this.layout.isStack(lane.node), scale, this.look);
    }
    if (!source?.level) {
      return;
    }
    const h = this.layout.isStack(lane.node) ? CALL_HEIGHT : lane.h;
    if (context.isVector) {
      if (lane.of === "rows") {
        paintLife(context, this.model.rows[lane.index], y, h, scale, this.look, this.look.laneCss);
      }
      this.cells.paintRectangles(context, lane, y, h, source.level, scale.from, scale.to, this.look);
    } else {
      this.cells.paintPixels(lane, y, h, source.level, scale.from, scale.to, this.look);
    }
  }

  #paintOver(context, { lane, y, source }, scale) {
    const stack = this.layout.isStack(lane.node);
    if (lane.of === "groups" && !source) {
      context.fillStyle = this.look.raisedCss;
      context.fillRect(0, y, scale.width, lane.h);
    } else if (source?.isDense) {
      this.calls.paintSamples(context, lane, y, source.data, scale, this.look);
    } else if (source?.data) {
      const row = this.model.rows[lane.index];
      const base = group => (stack ? undefined : this.look.colours[this.model.regionOf(group)])?.css ?? this.look.laneCss;
      paintLife(context, row, y, lane.h, scale, this.look, base("program"));
      paintIdle(context, source.data, lane.index, y, lane.h, scale, base("idle"));
      this.calls.paint(context, lane, y, source.data, stack, scale, this.look);
    } else if (source?.level && stack) {
      this.cells.paintDepth(context, lane, y + CALL_HEIGHT + 1, lane.h - CALL_HEIGHT - 2, source.level, scale.from, scale.to, this.look);
    } else if (source && "metric" in source) {
      paintCurve(context, this.model, source.metric, y, lane.h, scale, this.look);
    }
    if (lane.of === "rows") {
      paintMarks(context, this.model.marksOf[lane.index], y, lane.h, scale, this.look);
    }
  }

  /** Messages come from what is known exactly, if that is so of a row that is seen. */
  #paintMessages(context, scale, height, lanes) {
    const rows = lanes.filter(one => one.lane.of === "rows");
    const data = rows.find(one => this.model.exactFor(one.lane.index, scale.from, scale.to));
    const known = data ? this.model.exactFor(data.lane.index, scale.from, scale.to) : null;
    const plan = this.messages.plan(known, scale);
    if (known && !rows.every(one => known.covers(one.lane.index, Math.max(scale.from, 0), Math.min(scale.to, this.model.duration)))) {
      plan.note += plan.note ? ", only of the rows that are known exactly here" : "";
    }
    if (known?.hasLooseEnds) {
      plan.note += `${plan.note ? ", " : "messages: "}ends of some that lie elsewhere are not known`;
    }
    const middle = number => {
      const lane = this.layout.lanes[number];
      const h = this.layout.isStack(lane.node) ? CALL_HEIGHT : lane.h;
      return clamp(RULER_HEIGHT + lane.y - this.state.top + h / 2, -200, height + 200);
    };
    context.save();
    context.beginPath();
    context.rect(0, RULER_HEIGHT, scale.width, height - RULER_HEIGHT);
    context.clip();
    this.messages.paint(context, plan, scale, middle, this.look);
    context.restore();
    if (plan.note) {
      outlined(context, plan.note, 8, height - 12, this.look);
    }
    return plan;
  }

  #paintSelection(context, lanes, scale) {
    context.strokeStyle = this.look.selectCss;
    context.lineWidth = 1.5;
    for (const { lane, y } of lanes) {
      if (this.state.selected.has(lane.node.key)) {
        context.strokeRect(0.75, y + 0.25, scale.width - 1.5, lane.h - 1.5);
      }
    }
    if (this.mark) {
      const [left, right] = [scale.x(this.mark.from), scale.x(this.mark.to)];
      context.strokeStyle = this.look.findCss;
      context.setLineDash([4, 3]);
      for (const { lane, y } of lanes) {
        if (this.mark.lanes.has(lane)) {
          context.strokeRect(clamp(left, -3, scale.width + 3), y + 0.5, Math.max(clamp(right, -3, scale.width + 3) - clamp(left, -3, scale.width + 3), 2), lane.h - 2);
        }
      }
      context.setLineDash([]);
    }
  }

  /** What is seen at a point of the picture: {lane, time, source, call | cell}; null outside of the rows. */
  hit(x, y, width) {
    const lane = y < RULER_HEIGHT ? null : this.layout.laneAt(y - RULER_HEIGHT + this.state.top);
    if (!lane) {
      return null;
    }
    const scale = this.scaleFor(width);
    const time = scale.time(x);
    const source = this.sourceOf(lane, scale);
    const found = { lane, time, source, scale };
    if (source?.data) {
      const stack = this.layout.isStack(lane.node);
      const inLane = y - RULER_HEIGHT + this.state.top - lane.y;
      const depth = stack ? Math.floor(inLane / CALL_HEIGHT) : Infinity;
      found.call = source.data.callOver(lane.index, time, depth);
      found.sample = this.#sampleNear(source.data, lane.index, time, scale);
    } else if (source?.level) {
      const bucket = clamp(Math.floor(time / source.level.bucket), 0, source.level.n - 1);
      found.bucket = bucket;
      found.cell = this.model.cellsOf(source.level, lane) + bucket;
    }
    return found;
  }

  #sampleNear(data, row, time, scale) {
    const near = 4 * (scale.to - scale.from) / scale.width;
    const [first, end] = data.samplesIn(row, time - near, time + near);
    return first < end ? first : -1;
  }
}
