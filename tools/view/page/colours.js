// SPDX-License-Identifier: BSD-3-Clause
// Colours of regions: a hue for each group, a shade for each region. The hues are those that people
// with any of the common kinds of colour blindness tell apart; shades differ in lightness.

/** Group: hue in degrees, chroma, lightness, in OKLCH. */
const GROUP_COLOURS = {
  user: [252, 0.115, 0.64], mpi: [48, 0.15, 0.68], shmem: [30, 0.13, 0.58], openmp: [165, 0.11, 0.62], pthread: [335, 0.13, 0.62],
  io: [98, 0.14, 0.82], process: [260, 0.015, 0.6], sampled: [235, 0.08, 0.76], gpu: [195, 0.1, 0.72],
  memory: [130, 0.12, 0.72], other: [295, 0.11, 0.6], program: [252, 0.045, 0.72], idle: [260, 0.008, 0.9],
  "not recorded": [260, 0.005, 0.75],
};
const GROUP_TITLES = {
  user: "User code", mpi: "MPI", openmp: "OpenMP", pthread: "Threads and locks", io: "Input and output",
  process: "Processes", sampled: "Sampled functions", gpu: "GPU", memory: "Memory", shmem: "SHMEM", other: "Other",
  program: "Outside of all regions", idle: "Idle", "not recorded": "Not recorded",
};
const GROUP_ALIASES = { compiler: "user" };
/** Time in which nothing is called lies in the background. */
const PALE = new Set(["program", "idle", "not recorded"]);
/** Shades within a group, in this order: [lightness, hue, chroma] away from the group's own. */
const SHADES = [[0, 0, 1], [-0.11, -14, 1], [0.1, 12, 0.9], [-0.05, 22, 1], [0.05, -24, 0.95], [-0.18, 6, 0.9], [0.15, -6, 0.7],
                [-0.09, 34, 0.9]];

function groupOf(name) {
  const lower = String(name || "other").toLowerCase();
  const known = GROUP_ALIASES[lower] || lower;
  return GROUP_COLOURS[known] ? known : "other";
}

/** OKLCH as [red, green, blue] of sRGB, 0..255 each. */
function rgbOf(lightness, chroma, degrees) {
  const a = chroma * Math.cos(degrees * Math.PI / 180);
  const b = chroma * Math.sin(degrees * Math.PI / 180);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
                  -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
                  -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s];
  return linear.map(value => {
    const part = value <= 0.0031308 ? 12.92 * value : 1.055 * Math.max(value, 0) ** (1 / 2.4) - 0.055;
    return clamp(Math.round(255 * part), 0, 255);
  });
}

/** A colour in the forms that drawing needs: text, a pixel of ImageData, what is legible on it. */
function colourFrom([red, green, blue], back) {
  const tint = [red, green, blue].map((part, i) => Math.round(0.22 * part + 0.78 * back[i]));
  const light = 0.2126 * (red / 255) ** 2.2 + 0.7152 * (green / 255) ** 2.2 + 0.0722 * (blue / 255) ** 2.2;
  return {
    rgb: [red, green, blue], css: `rgb(${red},${green},${blue})`, tintCss: `rgb(${tint})`,
    pixel: pixelOf([red, green, blue]), tint: pixelOf(tint), text: light > 0.33 ? "#10131a" : "#ffffff",
  };
}

function pixelOf([red, green, blue]) {
  return (0xff000000 | blue << 16 | green << 8 | red) >>> 0;
}

/** "#rrggbb" as [red, green, blue]. */
function hexRgb(hex) {
  const value = parseInt(hex.slice(1, 7), 16);
  return [value >> 16 & 255, value >> 8 & 255, value & 255];
}

/** Colours of all regions, on the background `back`. */
function regionColours(regions, back) {
  const used = {};
  return regions.map(region => {
    const group = groupOf(region.group);
    const [hue, chroma, lightness] = GROUP_COLOURS[group];
    const number = used[group] = (used[group] ?? -1) + 1;
    const [lighter, turn, strength] = SHADES[number % SHADES.length];
    const round = Math.floor(number / SHADES.length) % 3;
    const rgb = rgbOf(clamp(lightness + lighter + 0.03 * round, 0.4, 0.9), chroma * strength, hue + turn + 5 * round);
    return colourFrom(PALE.has(group) ? rgb.map((part, i) => Math.round(0.4 * part + 0.6 * back[i])) : rgb, back);
  });
}

/** From nothing to much: for the matrix. Lightness tells it all. */
function heat(share, dark) {
  const lightness = dark ? 0.25 + 0.6 * share : 0.97 - 0.62 * share;
  return `rgb(${rgbOf(lightness, 0.02 + 0.11 * share, 255 - 20 * share)})`;
}
