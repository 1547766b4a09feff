// SPDX-License-Identifier: BSD-3-Clause
// Puts the page together.

// What changes outside of the page: the browser's colours, and the address.
function listen(state, look, side) {
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    look.refresh();
    state.changed("look");
  });
  addEventListener("hashchange", () => {
    const said = state.restore(location.hash);
    state.changed("rows");
    side.jump(said.finding - 1);
  });
}

async function start() {
  const model = await Model.load();
  const { meta } = model;
  const state = new State(model);
  const fragment = location.hash;
  if (meta.view) {
    [state.from, state.to] = [meta.view.from, meta.view.to];
    (meta.view.rows ?? []).forEach(row => state.selected.add(`r${row}`));
  }
  const look = new Look(model, state);
  const layout = new Layout(model, state);
  layout.fitRows(byId("plot").getBoundingClientRect().height - RULER_HEIGHT);
  const { finding } = state.restore(fragment);
  layout.place();
  const timeline = new Timeline(model, state, layout, look);
  const side = new Side(model, state, layout, look, timeline);
  const search = new Search(model, state, layout, timeline, side);
  const panels = new Panels(model, state, layout, look);
  const view = { model, state, layout, look, timeline, side, search, panels };
  view.controls = new Controls(view);
  timeline.onDrawn = drawn => tellWindow(view, drawn);
  timeline.tree.onFocus = lane => { timeline.showLane(lane); timeline.redraw(); };
  tellTrace(model);
  listen(state, look, side);
  if (meta.served) {
    view.server = new Server(view);
  }
  if (finding) {
    side.jump(finding - 1);
  }
  timeline.draw();
  return Object.assign(view, {
    isBusy: () => later.waiting.size > 0 || timeline.pending !== 0, measure: seconds => measureFrames(view, seconds), png: () => drawPng(view), svg: () => drawSvg(view),
    sums: (rows, from, to) => windowSums(model, rows, from, to), byRegion: sums => sumsByRegion(model, sums),
    pairs: (rows, from, to) => windowPairs(model, rows, from, to),
  });
}

function tellTrace(model) {
  const { meta } = model;
  document.title = `${shown(meta.name)} \u2013 spur view`;
  byId("title").textContent = shown(meta.name);
  byId("title").title = shown(meta.archive ?? meta.name);
  const facts = [plural(meta.events, "event"), timeText(meta.duration), meta.machine && shown(meta.machine),
                 meta.begin && meta.begin.replace("T", " ").replace(/\.\d+/, ""), meta.served && "served"];
  byId("subtitle").textContent = facts.filter(Boolean).join(" \u00b7 ");
}

/** Which window is seen, and whether it is exact. */
function tellWindow({ model, state, timeline }, drawn) {
  const step = state.span / 1000;
  const levels = [...new Set(drawn.lanes.map(one => one.source?.level?.bucket).filter(Boolean))];
  const exact = drawn.lanes.filter(one => one.source?.data).length;
  const dense = drawn.lanes.some(one => one.source?.isDense) ? ", one call a pixel" : "";
  const how = levels.length === 0 ? `exact${dense}` : `${exact > 0 ? `${plural(exact, "row")} exact, others ` : ""}buckets of ${timeText(Math.min(...levels))}`;
  const text = `${pointText(state.from, step, state.to)} \u2013 ${pointText(state.to, step)} \u00b7 ${timeText(state.span)} \u00b7 ${how}`;
  const readout = byId("readout");
  if (readout.textContent !== text) {
    readout.textContent = text;
    timeline.plot.setAttribute("aria-label", `Timeline of ${plural(model.rows.length, "location")}: ${text}`);
    byId("plot-text").textContent = "Keys: w and s zoom, a and d pan, f shows all, question mark helps. The tab Rows as a table has the same in words.";
  }
}

window.spurView = { ready: start().then(view => Object.assign(window.spurView, view), error => {
  say(`This page cannot be drawn: ${error.message}`);
  throw error;
}) };
