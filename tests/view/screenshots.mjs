// SPDX-License-Identifier: BSD-3-Clause
// The pictures of docs/view.md. node screenshots.mjs BUILD leaves them in BUILD/tests/view; those of docs/images are copies.
import assert from "node:assert/strict";
import { statSync } from "node:fs";
import { run, settled, untroubled } from "./browser.mjs";
import { stencil, writePage } from "./synthetic.mjs";

const SIZE = { width: 1240, height: 780 };

async function shoot(browser, build, name, trace, scheme, fragment, before = async () => {}) {
  const file = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/${name}.html`, trace.data({ name: "stencil", exact: name === "view_matrix" ? [] : undefined }));
  const page = await browser.open(file, { ...SIZE, scheme, fragment });
  await before(page);
  await settled(page);
  const picture = `${build}/tests/view/${name}.png`;
  await page.screenshot({ path: picture });
  assert(statSync(picture).size > 30000 && statSync(picture).size < 300000, `${picture} is ${statSync(picture).size} bytes`);
  untroubled(page);
}

async function timeline(browser, build) {
  await shoot(browser, build, "view_timeline", stencil({ killed: true }), "light", "#from=0&to=300000000");
}

async function calls(browser, build) {
  await shoot(browser, build, "view_calls", stencil({ killed: true }), "light", "#from=94000000&to=121000000&open=r2,r4&closed=g0,r0&top=40&tab=flame", async page => {
    const at = await page.evaluate(() => {
      const { layout, state, timeline: { plot, width } } = window.spurView;
      const lane = layout.lanes[layout.laneOfKey.get("r4")];
      const box = plot.getBoundingClientRect();
      return [box.left + (107.5e6 - state.from) / state.span * width, box.top + 26 + lane.y - state.top + 2.5 * 16];
    });
    await page.mouse.click(...at);
    await page.mouse.move(300, 10);
  });
}

async function matrix(browser, build) {
  await shoot(browser, build, "view_matrix", stencil({ ranks: 24 }), "dark",
              `#from=8000000&to=62000000&tab=matrix&height=18&closed=r0,${Array.from({ length: 24 }, (_, i) => `g${i}`).join(",")}`);
}

await run({ timeline, calls, matrix });
