// SPDX-License-Identifier: BSD-3-Clause
// What the page of spur view shows of a trace that is known, and what each of its controls does.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { colourOf, pixelAt, run, sameColour, settled, untroubled, windowOf } from "./browser.mjs";
import { stencil, writePage } from "./synthetic.mjs";

const MS = 1e6;
const trace = stencil({ killed: true });
const read = { page: "", buckets: "" };

function pages(build) {
  if (!read.page) {
    read.page = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/stencil.html`, trace.data());
    read.buckets = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/stencil_buckets.html`, trace.data({ exact: [] }));
  }
  return read;
}

/** Self time of a region in a window, as the trace was made: [ns, calls]. */
function known(name, from, to) {
  const region = trace.regions.findIndex(one => one.name === name);
  const inside = (begin, end) => Math.max(0, Math.min(end, to) - Math.max(begin, from));
  let [self, calls] = [0, 0];
  for (const call of trace.calls) {
    const path = trace.paths[call.path];
    if (path.region === region) {
      self += inside(call.begin, call.end);
      calls += call.begin >= from && call.begin <= to ? 1 : 0;
    }
    if (path.parent !== 0xffffffff && trace.paths[path.parent].region === region) {
      self -= inside(call.begin, call.end);
    }
  }
  return [self, calls];
}

const sumsOf = (page, from, to) => page.evaluate(([a, b]) => {
  const { model, sums, byRegion } = window.spurView;
  const made = sums(model.rows.map((_, row) => row), a, b);
  return { exact: made.exact, from: made.from, to: made.to,
           list: byRegion(made).map(one => ({ ...one, name: model.regions[one.region].name })) };
}, [from, to]);

async function pixelsAreTheRegions(browser, build) {
  for (const file of Object.values(pages(build))) {
    const page = await browser.open(file, { fragment: "#messages=0" });
    for (const [row, time, name] of [["r0", 4.5 * MS, "read"], ["r4", 4.5 * MS, "read"], ["r1", 13 * MS, "omp parallel @ forces.c:41"],
                                     ["r0", 19.1 * MS, "MPI_Allreduce"], ["r2", 8 * MS, "read_input"], ["r0", 425 * MS, "main"]]) {
      sameColour(await pixelAt(page, row, time), await colourOf(page, name), `${name} at ${time} on ${row} of ${file}`);
    }
    untroubled(page);
    await page.context().close();
  }
}

async function sumsAreTheTrace(browser, build) {
  const page = await browser.open(pages(build).page);
  const whole = [0, trace.duration];
  for (const [from, to] of [whole, [100 * MS, 117.5 * MS], [33.3 * MS, 33.4 * MS]]) {
    const sums = await sumsOf(page, from, to);
    assert(sums.exact);
    for (const { name, self, calls } of sums.list.filter(one => one.name !== "(program)")) {
      const [ns, count] = known(name, from, to);
      assert(Math.abs(self - ns) < 1, `${name}: ${self} and not ${ns}`);
      if (!/pair|neighbour/.test(name)) {
        assert.equal(calls, count, name);
      }
    }
    const life = trace.rows.reduce((sum, row) => sum + Math.max(0, Math.min(row.end, to) - Math.max(row.begin, from)), 0);
    assert(Math.abs(sums.list.reduce((sum, one) => sum + one.self, 0) - life) < 1, "times add up");
  }
  const exact = await sumsOf(page, ...whole);
  const rounded = await browser.open(pages(build).buckets);
  const buckets = await sumsOf(rounded, ...whole);
  assert(!buckets.exact);
  for (const one of exact.list) {
    const other = buckets.list.find(each => each.name === one.name);
    assert(Math.abs(one.self - other.self) < 1 && one.calls === other.calls && Math.abs(one.incl - other.incl) < 1 && one.samples === other.samples, one.name);
  }
  const part = await sumsOf(rounded, 101 * MS, 109 * MS);
  assert(part.from <= 101 * MS && part.to >= 109 * MS && part.from > 90 * MS, "rounded outwards");
  await rounded.evaluate(() => window.spurView.state.show(101e6, 109e6));
  await settled(rounded);
  assert.match(await rounded.textContent("#scope"), /rounded to buckets: \d+/);
  assert.match(await rounded.textContent("#readout"), /buckets of/);
  assert.match(await page.textContent("#readout"), /exact/);
  const pairs = await page.evaluate(() => window.spurView.pairs(window.spurView.model.rows.map((_, i) => i), 0, 1e12).pairs);
  assert.equal(pairs.reduce((sum, pair) => sum + pair.messages, 0), trace.messages.length);
  assert.equal(pairs.reduce((sum, pair) => sum + pair.bytes, 0), 65536 * trace.messages.length);
  untroubled(page);
  untroubled(rounded);
}

async function keysWork(browser, build) {
  const page = await browser.open(pages(build).page);
  const span = async () => (await windowOf(page)).reduce((from, to) => to - from);
  const press = async key => { await page.keyboard.press(key); await settled(page); };
  const all = await span();
  await page.focus("#plot");
  for (const [zoomIn, zoomOut] of [["w", "s"], ["+", "-"], ["=", "-"], ["W", "S"]]) {
    await press(zoomIn);
    assert(await span() < all, zoomIn);
    await press(zoomOut);
    assert(Math.abs(await span() - all) < 1, zoomOut);
  }
  await press("w");
  for (const [later, earlier] of [["d", "a"], ["ArrowRight", "ArrowLeft"]]) {
    const [before] = await windowOf(page);
    await press(later);
    assert((await windowOf(page))[0] > before, later);
    await press(earlier);
    assert(Math.abs((await windowOf(page))[0] - before) < 1, earlier);
  }
  await press("End");
  assert.equal((await windowOf(page))[1], trace.duration);
  await press("Home");
  assert.equal((await windowOf(page))[0], 0);
  const before = await windowOf(page);
  await press("f");
  assert.deepEqual(await windowOf(page), [0, trace.duration]);
  await press("Backspace");
  assert.deepEqual(await windowOf(page), before);
  await press("]");
  const [from, to] = await windowOf(page);
  assert(from < 100 * MS && from > 90 * MS && to > 112 * MS && to < 120 * MS, "] goes to the first finding");
  await press("[");
  assert.deepEqual(await windowOf(page), [0, trace.duration]);
  const state = name => page.evaluate(field => window.spurView.state[field], name);
  await press("m");
  assert.equal(await state("messages"), false);
  await press("m");
  const height = await state("rowHeight");
  await press("}");
  assert(await state("rowHeight") > height);
  await press("{");
  const lanes = () => page.evaluate(() => window.spurView.layout.lanes.length);
  const open = await lanes();
  await press("o");
  assert.equal(await lanes(), 6);
  await press("o");
  assert.equal(await lanes(), open);
  for (let i = 0; i < 6; i++) {
    await press("}");
  }
  await press("PageDown");
  assert(await state("top") > 0);
  await press("PageUp");
  await press("ArrowDown");
  const top = await state("top");
  assert(top > 0);
  await press("ArrowUp");
  assert(await state("top") < top);
  await press("?");
  assert(await page.isVisible("#help"));
  await press("Escape");
  assert(!await page.isVisible("#help"));
  await searchByKeys(page, press, state);
  untroubled(page);
}

async function searchByKeys(page, press, state) {
  await press("f");
  await press("/");
  await page.keyboard.type("mpi_re");
  await settled(page);
  assert.match(await page.textContent('#found [aria-selected="true"]'), /MPI_Recv/);
  await press("Enter");
  assert.equal(await state("region"), 4);
  assert.equal(await page.evaluate(() => document.activeElement.id), "plot");
  await press("n");
  const first = await windowOf(page);
  await press("n");
  const second = await windowOf(page);
  assert(second[0] > first[0], "n goes on");
  await press("N");
  assert((await windowOf(page))[0] < second[0], "N goes back");
  await press("Escape");
  assert.equal(await state("region"), -1);
  await press("/");
  await page.keyboard.type("no such thing");
  await settled(page);
  assert.match(await page.textContent("#found"), /nothing has this name/);
  await press("Escape");
  assert(await page.isHidden("#found"));
}

async function treeByKeys(browser, build) {
  const page = await browser.open(pages(build).page);
  const press = async key => { await page.keyboard.press(key); await settled(page); };
  const lanes = () => page.evaluate(() => window.spurView.layout.lanes.length);
  await page.focus('#tree [tabindex="0"]');
  const all = await lanes();
  await press("ArrowLeft");
  assert.equal(await lanes(), all - 3, "closed: rank 0 with its rows and its counter");
  await press("ArrowRight");
  assert.equal(await lanes(), all);
  await press("ArrowDown");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /main thread/);
  await press("Enter");
  assert.deepEqual(await page.evaluate(() => [...window.spurView.state.open]), ["r0"]);
  sameColour(await pixelAt(page, "r0", 4 * MS, 0.1), await colourOf(page, "main"), "its calls are one below the other");
  await press("Enter");
  await press(" ");
  assert.deepEqual(await page.evaluate(() => [...window.spurView.state.selected]), ["r0"]);
  assert.match(await page.textContent("#scope"), /^1 row,/);
  await press("End");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /OpenMP thread 1/);
  await press("Home");
  assert.match(await page.evaluate(() => document.activeElement.textContent), /rank 0/);
  untroubled(page);
}

async function mouseWorks(browser, build) {
  const page = await browser.open(pages(build).page);
  const box = await page.locator("#plot").boundingBox();
  const at = async (time, key) => page.evaluate(([when, wanted]) => {
    const { state, layout, timeline } = window.spurView;
    const lane = layout.lanes[layout.laneOfKey.get(wanted)];
    return [(when - state.from) / state.span * timeline.width, 26 + lane.y - state.top + lane.h * 0.6];
  }, [time, key]);
  const go = async (time, key) => {
    const [x, y] = await at(time, key);
    await page.mouse.move(box.x + x, box.y + y);
  };
  await go(4.5 * MS, "r0");
  await settled(page);
  assert.match(await page.textContent("#tip"), /Callread.*main › read_input › read/);
  await page.mouse.down();
  await page.mouse.up();
  await settled(page);
  assert.match(await page.textContent("#details"), /Duration5 ms/);
  await page.keyboard.down("Control");
  await page.mouse.wheel(0, -300);
  await page.keyboard.up("Control");
  await settled(page);
  let [from, to] = await windowOf(page);
  assert(from < 4.5 * MS && to > 4.5 * MS && to - from < 0.6 * trace.duration, "the wheel zooms at the pointer");
  await page.mouse.move(box.x + 400, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 300, box.y + 200, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  assert((await windowOf(page))[0] > from, "dragging moves");
  [from, to] = await windowOf(page);
  await page.keyboard.down("Shift");
  await page.mouse.wheel(0, 100);
  await settled(page);
  assert((await windowOf(page))[0] > from, "shift and the wheel move");
  await page.mouse.move(box.x + 100, box.y + 200);
  await page.mouse.down();
  await page.mouse.move(box.x + 200, box.y + 200, { steps: 3 });
  await page.mouse.up();
  await page.keyboard.up("Shift");
  await settled(page);
  const drawn = await windowOf(page);
  assert(Math.abs((drawn[1] - drawn[0]) / (to - from) - 100 / box.width) < 0.01, "shift and dragging zoom to what was drawn");
  await page.click('[data-do="fit"]');
  await page.mouse.move(box.x + 300, box.y + 10);
  await page.mouse.down();
  await page.mouse.move(box.x + 600, box.y + 10, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  assert((await windowOf(page))[1] < 0.8 * trace.duration, "dragging in the ruler zooms");
  await page.click('[data-do="fit"]');
  await settled(page);
  await go(4.5 * MS, "r0");
  await page.mouse.dblclick(...(await at(4.5 * MS, "r0")).map((v, i) => v + [box.x, box.y][i]));
  await settled(page);
  [from, to] = await windowOf(page);
  assert(from < 2 * MS && from > 1 * MS && to > 7 * MS && to < 8 * MS, "a double click zooms to the call");
  await page.keyboard.down("Alt");
  for (let i = 0; i < 6; i++) {
    await page.mouse.wheel(0, -100);
  }
  await page.keyboard.up("Alt");
  await settled(page);
  assert(await page.evaluate(() => window.spurView.state.rowHeight) > 40, "Alt and the wheel make rows higher");
  await page.mouse.wheel(0, 60);
  await settled(page);
  assert.equal(await page.evaluate(() => window.spurView.state.top), 60, "the wheel alone moves rows");
  untroubled(page);
}

async function buttonsWork(browser, build) {
  const page = await browser.open(pages(build).page);
  const click = async what => { await page.click(what); await settled(page); };
  await click('[data-do="zoomIn"]');
  const inner = await windowOf(page);
  await click('[data-do="zoomOut"]');
  assert.deepEqual(await windowOf(page), [0, trace.duration]);
  await page.evaluate(([from, to]) => window.spurView.state.show(from, to), inner);
  await click('[data-do="fit"]');
  await click('[data-do="back"]');
  assert.deepEqual(await windowOf(page), inner);
  await click('[data-do="messages"]');
  assert.equal(await page.getAttribute('[data-do="messages"]', "aria-pressed"), "false");
  await click('[data-do="rowsHigher"]');
  await click('[data-do="rowsLower"]');
  await click('[data-do="help"]');
  await click("#help button");
  await click("#findings button");
  const [from, to] = await windowOf(page);
  assert(from < 100 * MS && to > 112 * MS && to - from < 25 * MS, "a finding leads to its place");
  await click("#legend li:nth-child(2) button");
  assert.notEqual(await page.evaluate(() => window.spurView.state.region), -1);
  await click("#tree .group .twist");
  assert.equal(await page.getAttribute("#tree .group", "aria-expanded"), "false");
  await click("#tree .group .twist");
  await click('#tree [data-key="g1"] .name');
  assert.match(await page.textContent("#scope"), /^2 rows/);
  await page.click('#tree [data-key="g2"] .name', { modifiers: ["Control"] });
  await settled(page);
  assert.match(await page.textContent("#scope"), /^4 rows/);
  await panelsWork(page, click);
  const overview = await page.locator("#overview").boundingBox();
  await page.mouse.move(overview.x + overview.width * 0.6, overview.y + 10);
  await page.mouse.down();
  await page.mouse.move(overview.x + overview.width * 0.7, overview.y + 10, { steps: 3 });
  await page.mouse.up();
  await settled(page);
  assert(Math.abs((await windowOf(page))[0] / trace.duration - 0.6) < 0.01, "drawn in the strip");
  untroubled(page);
}

async function panelsWork(page, click) {
  await click("#panel-functions th:nth-child(1) button");
  const names = await page.locator("#panel-functions tbody td:first-child").allTextContents();
  assert.deepEqual(names, [...names].sort(), "sorted by name");
  await click("#panel-functions tbody button");
  await click("#tab-flame");
  assert.match(await page.textContent("#panel-flame"), /in all/);
  const flame = await page.locator("#panel-flame canvas").boundingBox();
  await page.mouse.move(flame.x + 20, flame.y + 5);
  assert.match(await page.textContent("#panel-flame p"), /main: .*ms, \d/);
  await page.focus("#panel-flame canvas");
  await page.keyboard.press("ArrowDown");
  await page.keyboard.press("ArrowDown");
  assert.match(await page.textContent("#panel-flame p"), /main › /);
  await page.keyboard.press("Enter");
  await page.keyboard.press("Escape");
  await click("#tab-matrix");
  assert.match(await page.textContent("#panel-matrix"), /rank 1rank 2/);
  await page.focus("#panel-matrix canvas");
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  assert.match(await page.textContent("#panel-matrix p"), /rank 0 → rank 1: /);
  await click("#panel-matrix button:nth-child(2)");
  await page.focus("#tab-matrix");
  await page.keyboard.press("ArrowRight");
  await settled(page);
  assert.match(await page.textContent("#panel-rows"), /rank 1: main thread/);
  const height = (await page.locator("#panels").boundingBox()).height;
  await page.focus("#splitter");
  await page.keyboard.press("ArrowUp");
  assert((await page.locator("#panels").boundingBox()).height > height);
}

async function addressKeepsTheView(browser, build) {
  const page = await browser.open(pages(build).page, { fragment: "#from=50000000&to=70000000&sel=r2&closed=g0&open=r2&tab=matrix&height=30" });
  assert.deepEqual(await windowOf(page), [50 * MS, 70 * MS]);
  assert.equal(await page.getAttribute("#tab-matrix", "aria-selected"), "true");
  assert.equal(await page.getAttribute('#tree [data-key="g0"]', "aria-expanded"), "false");
  await page.keyboard.press("d");
  await page.waitForFunction(() => /from=54000000&to=74000000/.test(location.hash));
  const url = page.url();
  await page.evaluate(() => { location.hash = "#finding=1"; });
  await page.waitForFunction(() => window.spurView.state.from > 90e6);
  const again = await browser.open(pages(build).page, { fragment: new URL(url).hash });
  assert.deepEqual(await windowOf(again), [54 * MS, 74 * MS]);
  for (const bad of ["#from=9&to=3", "#from=-1&to=x", "#sel=<b>&tab=../x&height=1e9&region=99999&finding=77"]) {
    untroubled(await browser.open(pages(build).page, { fragment: bad }));
  }
  untroubled(page);
}

async function picturesAreSaved(browser, build) {
  const page = await browser.open(pages(build).page, { fragment: "#from=90000000&to=120000000" });
  for (const [button, check] of [["png", bytes => bytes.subarray(1, 4).toString() === "PNG" && bytes.length > 20000],
                                 ["svg", bytes => bytes.toString().startsWith("<svg") && bytes.includes("MPI_Recv")]]) {
    const [download] = await Promise.all([page.waitForEvent("download"), page.click(`[data-do="${button}"]`)]);
    assert.match(download.suggestedFilename(), new RegExp(`^synthetic.*\\.${button}$`));
    const bytes = readFileSync(await download.path());
    assert(check(bytes), button);
  }
  const svg = await page.evaluate(() => {
    const parsed = new DOMParser().parseFromString(window.spurView.svg(), "image/svg+xml");
    return [parsed.querySelector("parsererror")?.textContent ?? "", parsed.querySelectorAll("rect").length];
  });
  assert.equal(svg[0], "");
  assert(svg[1] > 100);
  untroubled(page);
}

async function screenReadersFindLabels(browser, build) {
  const page = await browser.open(pages(build).page);
  for (const tab of ["functions", "flame", "matrix", "rows"]) {
    await page.click(`#tab-${tab}`);
    await settled(page);
    const session = await page.context().newCDPSession(page);
    const { nodes } = await session.send("Accessibility.getFullAXTree");
    const wanted = new Set(["button", "tab", "tabpanel", "treeitem", "tree", "image", "img", "combobox", "toolbar", "table", "separator", "link", "heading"]);
    const nameless = nodes.filter(node => !node.ignored && wanted.has(node.role?.value) && !node.name?.value);
    assert.deepEqual(nameless.map(node => node.role.value).filter(role => role !== "table"), [], `without a name in ${tab}`);
    assert(nodes.some(node => node.role?.value === "treeitem" && /rank 5/.test(node.name.value)));
    assert(nodes.some(node => /^Timeline of 12 locations: 0/.test(node.name?.value ?? "")), "the picture says what it is of");
  }
  assert.equal(await page.evaluate(() => document.documentElement.lang), "en");
  const seen = [];
  await page.evaluate(() => document.activeElement.blur());
  for (let i = 0; i < 40; i++) {
    await page.keyboard.press("Tab");
    seen.push(await page.evaluate(() => document.activeElement.id || document.activeElement.dataset.do || document.activeElement.closest("[id]")?.id));
  }
  const order = ["skip", "back", "fit", "search", "png", "help", "tree", "plot", "findings", "legend", "splitter"].map(id => seen.indexOf(id));
  assert(order.every((place, i) => place >= 0 && (i === 0 || place > order[i - 1])), `order of tabs: ${seen}`);
  untroubled(page);
}

async function darkIsDark(browser, build) {
  const page = await browser.open(pages(build).page, { scheme: "dark" });
  const back = await page.evaluate(() => getComputedStyle(document.body).backgroundColor.match(/\d+/g).map(Number));
  assert(back.every(part => part < 40));
  sameColour(await pixelAt(page, "r0", 4.5 * MS), await colourOf(page, "read"), "read");
  await page.emulateMedia({ colorScheme: "light" });
  await page.waitForFunction(() => !window.spurView.look.isDark);
  untroubled(page);
}

async function marksAreSeen(browser, build) {
  const page = await browser.open(pages(build).page);
  const find = await page.evaluate(() => window.spurView.look.findCss.match(/\w\w/g).map(part => parseInt(part, 16)));
  const killed = trace.marks.find(mark => mark.kind === "killed").from;
  sameColour(await pixelAt(page, "r10", killed + 1, 0.5), find, "the end of the killed process");
  assert.match(await page.textContent('#tree [data-key="g5"]'), /killed/);
  const distinct = new Set();
  for (let i = 0; i < 12; i++) {
    distinct.add((await pixelAt(page, "r5", (152 + i) * MS, 0.5)).join());
  }
  const parallel = (await colourOf(page, "omp parallel @ forces.c:41")).join();
  assert(!distinct.has(parallel) && distinct.size > 1, "a pause is striped");
  await page.click("#tab-rows");
  await settled(page);
  assert.match(await page.textContent("#panel-rows"), /paused at 150/);
  assert.match(await page.textContent("#panel-rows"), /before the ring begins/);
  untroubled(page);
}

await run({ pixelsAreTheRegions, sumsAreTheTrace, keysWork, treeByKeys, mouseWorks, buttonsWork, addressKeepsTheView, picturesAreSaved,
            screenReadersFindLabels, darkIsDark, marksAreSeen });
