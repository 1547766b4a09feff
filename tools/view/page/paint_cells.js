// SPDX-License-Identifier: BSD-3-Clause
// Rows as buckets: the colour is that of the region with the most time in the bucket, as high as its share;
// a line below tells the share of waiting, stripes from above what was not recorded.

class CellPainter {
  constructor(model) {
    this.model = model;
    this.image = null;
  }

  /** Before the lanes of a frame: an empty picture of this size, in pixels of the screen. */
  begin(context, width, height, ratio, look) {
    this.columns = new Map();
    this.width = Math.round(width * ratio);
    this.height = Math.round(height * ratio);
    this.ratio = ratio;
    if (context.isVector) {
      return;
    }
    if (!this.image || this.image.width !== this.width || this.image.height !== this.height) {
      this.image = new ImageData(this.width, this.height);
      this.pixels = new Uint32Array(this.image.data.buffer);
    }
    this.pixels.fill(look.back);
  }

  /** The bucket that is seen in each column of the picture; -1 where there is none. */
  #bucketsOf(level, from, to, width) {
    let buckets = this.columns.get(level);
    if (!buckets) {
      buckets = new Int32Array(width);
      const step = (to - from) / width;
      for (let x = 0; x < width; x++) {
        const bucket = Math.floor((from + (x + 0.5) * step) / level.bucket);
        buckets[x] = bucket >= 0 && bucket < level.n ? bucket : -1;
      }
      this.columns.set(level, buckets);
    }
    return buckets;
  }

  /** Runs of columns with the same bucket: work(x, end, cell). */
  eachRun(lane, level, from, to, width, work) {
    const buckets = this.#bucketsOf(level, from, to, width);
    const first = this.model.cellsOf(level, lane);
    for (let x = 0, end = 1; x < width; x = end++) {
      while (end < width && buckets[end] === buckets[x]) {
        end++;
      }
      if (buckets[x] >= 0) {
        work(x, end, first + buckets[x]);
      }
    }
  }

  /** A lane, as pixels: `look` tells colours by region. */
  paintPixels(lane, y, h, level, from, to, look) {
    const { pixels, width, ratio } = this;
    const { top, rows, visible } = this.#linesOf(y, h);
    const lineHeight = h >= 12 ? Math.round(3 * ratio) : 0;
    this.#paintLife(lane, top, visible, from, to, look);
    this.eachRun(lane, level, from, to, width, (x, end, cell) => {
      const region = level.region[cell];
      const colour = look.colour(region);
      const off = Math.round(level.off[cell] / 255 * rows);
      const empty = rows - Math.max(Math.round(level.share[cell] / 255 * rows), region === NO_REGION ? 0 : 1);
      const line = look.isDim(region) ? 0 : lineHeight;
      const waits = x + Math.round(level.waiting[cell] / 255 * (end - x));
      for (let row = visible[0]; row < visible[1]; row++) {
        const at = (top + row) * width;
        if (region !== NO_REGION) {
          fillRun(pixels, row >= empty ? colour.pixel : colour.tint, at + x, at + end);
        }
        if (row < off) {
          for (let i = x; i < end; i++) {
            pixels[at + i] = (i + row) % 6 < 2 ? look.hatch : look.absent;
          }
        }
        if (row >= rows - line && waits > x) {
          fillRun(pixels, look.wait, at + x, at + waits);
        }
      }
    });
  }

  /** The time in which a row was there; of a group, all. */
  #paintLife(lane, top, visible, from, to, look) {
    const life = lane.of === "rows" ? this.model.rows[lane.index] : { begin: 0, end: this.model.duration };
    const column = time => clamp(Math.round((time - from) / (to - from) * this.width), 0, this.width);
    for (let row = visible[0]; row < visible[1]; row++) {
      const at = (top + row) * this.width;
      fillRun(this.pixels, look.absent, at, at + this.width);
      this.pixels.fill(look.lane, at + column(life.begin), at + column(life.end));
    }
  }

  /** A lane without anything in it. */
  paintLane(context, lane, y, h, scale, look) {
    if (context.isVector) {
      paintLife(context, this.model.rows[lane.index], y, h, scale, look, look.laneCss);
      return;
    }
    const { top, visible } = this.#linesOf(y, h);
    this.#paintLife(lane, top, visible, scale.from, scale.to, look);
  }

  /** A box over the columns [x, end). */
  paintBox(context, x, end, y, h, colour) {
    if (context.isVector) {
      context.fillStyle = colour.css;
      context.fillRect(x / this.ratio, y, (end - x) / this.ratio, h - 1);
      return;
    }
    const { top, visible } = this.#linesOf(y, h);
    for (let row = visible[0]; row < visible[1]; row++) {
      const at = (top + row) * this.width;
      fillRun(this.pixels, colour.pixel, at + x, at + end);
    }
  }

  /** The lines of the picture that a lane takes: their number, and which of them are seen. */
  #linesOf(y, h) {
    const top = Math.round(y * this.ratio);
    const rows = Math.max(1, Math.round((y + h) * this.ratio) - top - (h > 5 ? Math.ceil(this.ratio) : 0));
    return { top, rows, visible: [Math.max(0, -top), Math.min(rows, this.height - top)] };
  }

  /** The same as rectangles, for a picture that is no pixels. */
  paintRectangles(context, lane, y, h, level, from, to, look) {
    this.eachRun(lane, level, from, to, this.width, (x, end, cell) => {
      const region = level.region[cell];
      const left = x / this.ratio;
      const wide = (end - x) / this.ratio;
      const high = h - 1;
      if (region !== NO_REGION) {
        const part = Math.max(level.share[cell] / 255 * high, 1);
        context.fillStyle = look.colour(region).tintCss;
        context.fillRect(left, y, wide, high - part);
        context.fillStyle = look.colour(region).css;
        context.fillRect(left, y + high - part, wide, part);
      }
      if (level.off[cell] > 0) {
        hatch(context, left, y, wide, level.off[cell] / 255 * high, look.hatchCss);
      }
      if (h >= 12 && level.waiting[cell] > 0) {
        context.fillStyle = look.waitCss;
        context.fillRect(left, y + high - 3, wide * level.waiting[cell] / 255, 3);
      }
    });
  }

  /** How deep calls were, below the buckets of a row that shows its calls one below the other. */
  paintDepth(context, lane, y, h, level, from, to, look) {
    context.fillStyle = look.depthCss;
    this.eachRun(lane, level, from, to, this.width, (x, end, cell) => {
      const deep = Math.min(level.depth[cell] * CALL_HEIGHT, h);
      context.fillRect(x / this.ratio, y, (end - x) / this.ratio, deep);
    });
  }

  /** Puts what paintPixels() has made into the canvas: before anything else is drawn there. */
  end(context) {
    if (!context.isVector) {
      context.putImageData(this.image, 0, 0);
    }
  }
}

/** pixels.fill(), which takes long to begin: most runs are a few pixels wide. */
function fillRun(pixels, colour, from, to) {
  if (to - from > 24) {
    pixels.fill(colour, from, to);
    return;
  }
  for (let i = from; i < to; i++) {
    pixels[i] = colour;
  }
}

/** Stripes. */
function hatch(context, x, y, w, h, colour) {
  if (w <= 0 || h <= 0) {
    return;
  }
  context.save();
  context.beginPath();
  context.rect(x, y, w, h);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1;
  context.beginPath();
  const step = Math.max(6, (w + h) / 400);
  for (let at = Math.floor((x - h) / step) * step; at < x + w; at += step) {
    context.moveTo(at, y + h);
    context.lineTo(at + h, y);
  }
  context.stroke();
  context.restore();
}
