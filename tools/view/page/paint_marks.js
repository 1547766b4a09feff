// SPDX-License-Identifier: BSD-3-Clause
// What is not as in a whole recording: pauses, lost events, killed processes, where a ring begins;
// counters as curves; the ruler.

const MARK_TITLES = { pause: "paused", dropped: "events dropped", killed: "killed", stopped: "stopped", ring: "before the ring begins",
                      cut: "recording ends" };
/** What these marks are about was not recorded. */
const MARK_HATCHED = new Set(["pause", "dropped", "ring"]);

/** Time outside of a row's life: nothing could be recorded there. */
function paintLife(context, row, y, h, scale, look, base) {
  context.fillStyle = look.absentCss;
  context.fillRect(0, y, scale.width, h - 1);
  const left = clamp(scale.x(row.begin), 0, scale.width);
  const right = clamp(scale.x(row.end), 0, scale.width);
  context.fillStyle = base;
  context.fillRect(left, y, right - left, h - 1);
}

/** Time outside of calls that is not the program's. */
function paintIdle(context, data, row, y, h, scale, colour) {
  context.fillStyle = colour;
  data.eachIdle(row, scale.from, scale.to, (begin, end) => context.fillRect(scale.x(begin), y, scale.x(end) - scale.x(begin), h - 1));
}

function paintMarks(context, marks, y, h, scale, look) {
  for (const mark of marks) {
    const left = scale.x(mark.from);
    const right = scale.x(mark.to);
    if (right < 0 || left > scale.width) {
      continue;
    }
    const serious = mark.kind !== "pause" && mark.kind !== "ring";
    const [x0, x1] = [Math.max(left, 0), Math.min(Math.max(right, left + 1), scale.width)];
    if (MARK_HATCHED.has(mark.kind)) {
      context.fillStyle = look.absentCss;
      context.fillRect(x0, y, x1 - x0, h - 1);
      hatch(context, x0, y, x1 - x0, h - 1, serious ? look.findCss : look.hatchCss);
      if (x1 - x0 > 70 && h >= 12) {
        outlined(context, MARK_TITLES[mark.kind], x0 + 5, y + h / 2, look);
      }
    } else {
      context.fillStyle = look.findCss;
      context.fillRect(clamp(left, 0, scale.width - 2), y, 2, h - 1);
      if (h >= 12) {
        const text = `\u2715 ${MARK_TITLES[mark.kind] ?? mark.kind}`;
        const fits = left + 8 + 6.2 * text.length < scale.width;
        outlined(context, text, fits ? left + 6 : Math.max(left - 6 - 6.2 * text.length, 2), y + h / 2, look);
      }
    }
  }
}

/** Text that can be read on everything. */
function outlined(context, text, x, y, look) {
  context.strokeStyle = look.backCss;
  context.lineWidth = 3;
  context.strokeText(text, x, y);
  context.fillStyle = look.textCss;
  context.fillText(text, x, y);
}

/** The records of a curve that are seen in [from, to], with those next to it: [first, end). */
function recordsOf({ time, first, count }, from, to) {
  const low = firstIndex(first, first + count, i => time[i] >= from);
  const high = firstIndex(low, first + count, i => time[i] > to);
  return [Math.max(first, low - 1), Math.min(first + count, high + 1)];
}

/** A curve's lowest and highest value in [from, to]. */
function rangeOf(curve, from, to) {
  const [first, end] = recordsOf(curve, from, to);
  let low = Infinity;
  let high = -Infinity;
  for (let i = first; i < end; i++) {
    low = Math.min(low, curve.value[i]);
    high = Math.max(high, curve.value[i]);
  }
  return low <= high ? [Math.min(low, 0), high > Math.min(low, 0) ? high : low + 1] : null;
}

function paintCurve(context, model, metric, y, h, scale, look) {
  const { unit } = model.metrics[metric];
  const curve = model.curveOf(metric, scale.from, scale.to);
  const range = rangeOf(curve, scale.from, scale.to);
  context.fillStyle = look.laneCss;
  context.fillRect(0, y, scale.width, h - 1);
  if (!range) {
    return;
  }
  const { time, value } = curve;
  const heightOf = v => y + h - 3 - (h - 8) * (v - range[0]) / (range[1] - range[0]);
  const [first, end] = recordsOf(curve, scale.from, scale.to);
  context.beginPath();
  for (let i = first; i < end; i++) {
    const x = clamp(scale.x(time[i]), -2, scale.width + 2);
    // A value holds until the next one.
    if (i === first) {
      context.moveTo(x, heightOf(value[i]));
    } else {
      context.lineTo(x, heightOf(value[i - 1]));
      context.lineTo(x, heightOf(value[i]));
    }
  }
  if (first < end) {
    const last = end === curve.first + curve.count ? clamp(scale.x(model.rows[model.metrics[metric].row].end), -2, scale.width + 2) : 0;
    context.lineTo(Math.max(last, clamp(scale.x(time[end - 1]), -2, scale.width + 2)), heightOf(value[end - 1]));
  }
  context.strokeStyle = look.accentCss;
  context.lineWidth = 1.4;
  context.stroke();
  outlined(context, `${valueText(range[1])}${unit ? ` ${shown(unit)}` : ""}`, 4, y + 9, look);
  outlined(context, valueText(range[0]), 4, y + h - 8, look);
}

function paintRuler(context, scale, look) {
  const { step, first } = rulerSteps(scale.from, scale.to, scale.width / 130);
  context.fillStyle = look.raisedCss;
  context.fillRect(0, 0, scale.width, RULER_HEIGHT);
  context.fillStyle = look.lineCss;
  context.fillRect(0, RULER_HEIGHT - 1, scale.width, 1);
  for (let time = first; time <= scale.to; time += step) {
    const x = Math.round(scale.x(time));
    context.fillStyle = look.softCss;
    context.fillRect(x, RULER_HEIGHT - 8, 1, 8);
    context.fillText(pointText(time, step, scale.to), x + 4, RULER_HEIGHT / 2 - 1);
    for (let small = 1; small < 5; small++) {
      context.fillRect(Math.round(scale.x(time + small * step / 5)), RULER_HEIGHT - 4, 1, 4);
    }
  }
}
