// SPDX-License-Identifier: BSD-3-Clause
// Rows as the calls that they are: bars, in which inner calls lie in outer ones, or stacks, in which they lie
// below them. Samples are points: nobody knows what happened between them.

class CallPainter {
  constructor(model) {
    this.model = model;
  }

  /** One lane. scale: {x(time), from, to, width}; look: colours. */
  paint(context, lane, y, data, stack, scale, look) {
    const depths = Math.min(data.deepest(lane.index), 64);
    for (let depth = 0; depth < depths; depth++) {
      const place = stack ? { y: y + depth * CALL_HEIGHT, h: CALL_HEIGHT - 1 } : CallPainter.insetOf(depth, y, lane.h);
      if (place.h > 0) {
        this.#paintDepth(context, lane.index, depth, place, data, stack, scale, look);
      }
    }
    this.paintSamples(context, lane, y, data, scale, look);
  }

  /** Where the calls of a depth lie in a lane: a step lower than what is around them. */
  static insetOf(depth, y, h) {
    const step = h >= 16 ? 3 : h >= 10 ? 1 : 0;
    const down = Math.min(depth * step, Math.max(0, h - 8));
    return { y: y + down, h: Math.max(h - 1 - down, 1) };
  }

  #paintDepth(context, row, depth, place, data, stack, scale, look) {
    const { begin, end, path, flags } = data.calls;
    const [first, last] = data.callsAt(row, depth, scale.from, scale.to);
    const pixel = (scale.to - scale.from) / scale.width;
    for (let i = first; i < last; i++) {
      const left = Math.max(scale.x(begin[i]), -2);
      const right = Math.min(scale.x(end[i]), scale.width + 2);
      const region = data.paths.region[path[i]];
      const colour = look.colour(region);
      context.fillStyle = look.isDim(region) ? colour.tintCss : colour.css;
      context.fillRect(left, place.y, Math.max(right - left - (right - left > 3 ? 0.5 : 0), 1), place.h);
      if (right - left < 1) {
        // The next one that begins in another pixel.
        const next = firstIndex(i + 1, last, j => end[j] > begin[i] + pixel);
        i = Math.max(i, next - 1);
        continue;
      }
      if (!stack && data.paths.waits(path[i]) && place.h >= 10 && !look.isDim(region)) {
        context.fillStyle = look.waitCss;
        context.fillRect(left, place.y + place.h - 2, right - left, 2);
      }
      this.#paintEnds(context, left, right, place, flags[i], look);
      if (right - left > 34 && place.h >= 11 && (stack || this.#isInnermost(data, row, depth, begin[i], end[i]))) {
        label(context, shown(data.paths.nameOf(path[i])), left, right, place, look.isDim(region) ? look.textCss : colour.text);
      }
    }
  }

  #isInnermost(data, row, depth, begin, end) {
    const [first, last] = data.callsAt(row, depth + 1, begin, end);
    return first === last;
  }

  #paintEnds(context, left, right, place, flags, look) {
    if (flags & CUT) {
      context.fillStyle = look.findCss;
      context.fillRect(right - 2, place.y, 2, place.h);
    }
    if (flags & WITH_STACK && right - left > 6) {
      context.fillStyle = look.textCss;
      context.fillRect(left, place.y, 4, 1.5);
    }
  }

  /** The samples of a lane, at its bottom. */
  paintSamples(context, lane, y, data, scale, look) {
    const [first, last] = data.samplesIn(lane.index, scale.from, scale.to);
    const h = clamp(lane.h / 4, 2, 6);
    const bottom = y + lane.h - 1 - h;
    let before = -1;
    for (let i = first; i < last; i++) {
      const x = Math.round(scale.x(data.samples.time[i]));
      if (x !== before) {
        const region = data.paths.region[data.samples.path[i]];
        context.fillStyle = look.textCss;
        context.fillRect(x - 1.5, bottom - 1, 3, h + 1);
        context.fillStyle = look.colour(region).css;
        context.fillRect(x - 1, bottom, 2, h);
        before = x;
      }
    }
  }
}

/** A name in a bar, as much of it as there is room for. */
function label(context, name, left, right, place, colour) {
  const from = Math.max(left, 0) + 4;
  const room = Math.min(right, 1e5) - from - 3;
  const fits = Math.floor(room / 6.5);
  if (fits >= 3) {
    context.fillStyle = colour;
    context.fillText(name.length <= fits ? name : `${name.slice(0, fits - 1)}\u2026`, from, place.y + place.h / 2 + 0.5);
  }
}
