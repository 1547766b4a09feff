// SPDX-License-Identifier: BSD-3-Clause
// Times, numbers and bytes as text, and the marks of a ruler.

const TIME_UNITS = [["s", 1e9], ["ms", 1e6], ["us", 1e3], ["ns", 1]];

/** The unit in which a time of this length is read best. */
function unitFor(ns) {
  return TIME_UNITS.find(([, size]) => Math.abs(ns) >= size) || TIME_UNITS[3];
}

/** A time with at most `digits` digits: "12.34 ms". */
function timeText(ns, digits = 4) {
  const [unit, size] = unitFor(ns);
  const value = ns / size;
  const whole = Math.max(1, Math.ceil(Math.log10(Math.abs(value) + 1e-9)));
  return `${Number(value.toFixed(Math.max(0, Math.min(unit === "ns" ? 0 : 9, digits - whole))))} ${unit}`;
}

/** A point in time, so exact that neighbours `step` apart differ; in the unit of times `like` this one. */
function pointText(ns, step, like = ns) {
  const [unit, size] = unitFor(Math.max(Math.abs(like), step));
  const decimals = Math.max(0, Math.min(9, Math.ceil(Math.log10(size / Math.max(step, 1)) - 1e-9)));
  return `${(ns / size).toFixed(decimals)} ${unit}`;
}

function countText(value) {
  return Math.round(value).toString().replace(/\B(?=(\d{3})+$)/g, ",");
}

function plural(count, word, ending = "s") {
  return `${countText(count)} ${word}${count === 1 ? "" : ending}`;
}

function percentText(share) {
  return `${(100 * share).toFixed(share < 0.0995 ? 2 : 1)} %`;
}

function bytesText(bytes) {
  let value = bytes;
  for (const unit of ["B", "KiB", "MiB", "GiB", "TiB"]) {
    if (value < 1024 || unit === "TiB") {
      return `${Number(value.toFixed(value < 10 && unit !== "B" ? 2 : value < 100 && unit !== "B" ? 1 : 0))} ${unit}`;
    }
    value /= 1024;
  }
  return "";
}

const PREFIXES = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6]];

/** A counter's value: "12,345", "2.752 G". */
function valueText(value) {
  const size = Math.abs(value);
  const prefix = PREFIXES.find(([, one]) => size >= one);
  if (size >= 1e18 || (size !== 0 && size < 1e-4)) {
    return value.toExponential(3);
  }
  if (prefix) {
    return `${Number((value / prefix[1]).toPrecision(4))} ${prefix[0]}`;
  }
  return Number.isInteger(value) ? (value < 0 ? "-" : "") + countText(size) : Number(value.toPrecision(6)).toString();
}

/** Marks of a ruler over [from, to]: {step, first}, so that about `wanted` of them are seen. */
function rulerSteps(from, to, wanted) {
  const rough = Math.max((to - from) / Math.max(wanted, 1), 1);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(n => n * power).find(n => n >= rough * 0.999);
  return { step, first: Math.ceil(from / step) * step };
}

/** Adds to the list that a map has for a key. */
function listAdd(map, key, value) {
  const list = map.get(key);
  if (list) {
    list.push(value);
  } else {
    map.set(key, [value]);
  }
}

function clamp(value, low, high) {
  return Math.max(low, Math.min(high, value));
}

/** The first index in [low, high) for which `holds` is true; `high` if there is none. */
function firstIndex(low, high, holds) {
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (holds(middle)) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  return low;
}

/** What `work` does, once no further call came for `ms`. later.waiting: what is still to be done. */
function later(work, ms) {
  let timer = 0;
  const run = () => {
    later.waiting.delete(run);
    work();
  };
  return () => {
    clearTimeout(timer);
    later.waiting.add(run);
    timer = setTimeout(run, ms);
  };
}
later.waiting = new Set();
