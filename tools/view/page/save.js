// SPDX-License-Identifier: BSD-3-Clause
// The picture as a file: the names of the rows, the rows, the legend of what is seen, and what it is.

const NAMES_WIDTH = 230;
const TITLE_HEIGHT = 40;

function offer(blob, ending) {
  const link = element("a", { href: URL.createObjectURL(blob), download: `${document.title.replace(/[^\w.-]+/g, "_").slice(0, 60) || "trace"}.${ending}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

/** The groups of regions that are in the picture's colours. */
function paintLegend(context, view, y) {
  const groups = [...new Set(view.model.regions.map(region => groupOf(region.group)))];
  let x = 12;
  for (const group of groups) {
    const first = view.model.regions.findIndex(region => groupOf(region.group) === group);
    context.fillStyle = view.look.of(first).css;
    context.fillRect(x, y - 5, 10, 10);
    context.fillStyle = view.look.textCss;
    context.fillText(GROUP_TITLES[group], x + 15, y);
    x += 34 + 6.3 * GROUP_TITLES[group].length;
  }
}

/** Title, names and legend around the picture; within(x, y, w, h, paint) draws the picture in its place. */
function paintSheet(context, view, width, height, within) {
  const { look, state, layout } = view;
  const plotHeight = height - TITLE_HEIGHT - 26;
  context.fillStyle = look.backCss;
  context.fillRect(0, 0, width, height);
  context.textBaseline = "middle";
  context.font = "11px system-ui, 'DejaVu Sans', sans-serif";
  context.fillStyle = look.textCss;
  context.fillText(`${document.title}: ${byId("readout").textContent}`, 12, 14);
  context.fillStyle = look.softCss;
  context.fillText(byId("subtitle").textContent, 12, 30);
  within(0, TITLE_HEIGHT + RULER_HEIGHT, NAMES_WIDTH, plotHeight - RULER_HEIGHT, () => {
    const [first, end] = layout.lanesIn(state.top, state.top + plotHeight - RULER_HEIGHT);
    for (const lane of layout.lanes.slice(first, end)) {
      if (lane.h >= 9) {
        const name = shown(lane.node.name);
        context.fillStyle = look.textCss;
        context.fillText(name.length > 34 ? `${name.slice(0, 33)}\u2026` : name, 12 + 10 * (lane.node.depth - 1), lane.y - state.top + lane.h / 2);
      }
    }
  });
  within(NAMES_WIDTH, TITLE_HEIGHT, width - NAMES_WIDTH, plotHeight, () => "picture");
  paintLegend(context, view, height - 12);
}

function sheetSize(view) {
  const box = view.timeline.plot.getBoundingClientRect();
  return { w: box.width, h: box.height, width: box.width + NAMES_WIDTH, height: box.height + TITLE_HEIGHT + 26 };
}

function drawPng(view) {
  const ratio = 2;
  const { w, h, width, height } = sheetSize(view);
  const canvas = element("canvas", { width: Math.round(width * ratio), height: Math.round(height * ratio) });
  const context = canvas.getContext("2d");
  context.scale(ratio, ratio);
  paintSheet(context, view, width, height, (x, y, boxW, boxH, paint) => {
    context.save();
    context.beginPath();
    context.rect(x, y, boxW, boxH);
    context.clip();
    context.translate(x, y);
    if (paint() === "picture") {
      const own = element("canvas", { width: Math.round(w * ratio), height: Math.round(h * ratio) });
      const inner = own.getContext("2d");
      inner.scale(ratio, ratio);
      new Picture(view.model, view.state, view.layout, view.look).paint(inner, w, h, ratio);
      context.drawImage(own, 0, 0, w, h);
    }
    context.restore();
  });
  return canvas;
}

function drawSvg(view) {
  const { w, h, width, height } = sheetSize(view);
  const context = new SvgContext(Math.ceil(width), Math.ceil(height));
  paintSheet(context, view, width, height, (x, y, boxW, boxH, paint) => {
    context.within(x, y, boxW, boxH);
    if (paint() === "picture") {
      new Picture(view.model, view.state, view.layout, view.look).paint(context, w, h, 1);
    }
    context.endWithin();
  });
  return context.text();
}

function savePng(view) {
  drawPng(view).toBlob(blob => offer(blob, "png"), "image/png");
}

function saveSvg(view) {
  offer(new Blob([drawSvg(view)], { type: "image/svg+xml" }), "svg");
}
