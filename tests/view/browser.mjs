// SPDX-License-Identifier: BSD-3-Clause
// Debian's Chromium, driven by playwright-core. Every page that is opened here is watched: a request that
// leaves it, an error or a warning on its console fails the test.
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { existsSync } from "node:fs";
import { pathToFileURL } from "node:url";

const FLAGS = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--disable-component-update", "--disable-sync",
               "--no-first-run", "--disable-features=Translate,OptimizationHints", "--force-color-profile=srgb", "--hide-scrollbars=0"];

export class Browser {
  static async start(build) {
    const chromium = ["/usr/bin/chromium-headless-shell", "/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find(existsSync);
    assert(chromium, "Chromium is missing (Debian: chromium-headless-shell)");
    assert(existsSync(`${build}/tests/view/node_modules/playwright-core`), "playwright-core is missing: run scripts/test");
    const browser = new Browser();
    const playwright = createRequire(`${build}/tests/view/`)("playwright-core");
    browser.inner = await playwright.chromium.launch({ executablePath: chromium, args: FLAGS, headless: true });
    return browser;
  }

  /** Opens a page of spur view and waits until it is drawn. allowed: where requests may go (a server's own pages). */
  async open(file, { fragment = "", width = 1440, height = 900, scheme = "light", ratio = 1, allowed = null } = {}) {
    const context = await this.inner.newContext({ viewport: { width, height }, colorScheme: scheme, deviceScaleFactor: ratio, acceptDownloads: true });
    const page = await context.newPage();
    const first = file.startsWith("http") ? file : pathToFileURL(file).href;
    page.troubles = [];
    page.on("request", request => {
      const url = request.url();
      if (url.split("#")[0] !== first.split("#")[0] && !/^(blob|data):/.test(url) && !(allowed && url.startsWith(allowed))) {
        page.troubles.push(`it asks for ${url}`);
      }
    });
    page.on("console", message => ["error", "warning"].includes(message.type()) && page.troubles.push(`console: ${message.text()}`));
    page.on("pageerror", error => page.troubles.push(`error: ${error.stack || error.message}`));
    page.on("dialog", dialog => { page.troubles.push(`dialog: ${dialog.message()}`); dialog.dismiss(); });
    await page.goto(first + fragment);
    await page.evaluate(() => window.spurView.ready.then(() => true));
    await settled(page);
    return page;
  }

  async close() {
    await this.inner.close();
  }
}

/** Waits until what was asked for is drawn, and the panels too. */
export async function settled(page) {
  // What was done with the mouse may still be on its way to the page: it is there before the next frame.
  await page.evaluate(() => new Promise(done => requestAnimationFrame(() => setTimeout(done))));
  await page.waitForFunction(() => !window.spurView.isBusy());
}

export function untroubled(page) {
  assert.deepEqual(page.troubles, []);
}

/** The colour of the picture at a time, in a row: [r, g, b]; part: how far down in the row. */
export async function pixelAt(page, key, time, part = 0.7) {
  return page.evaluate(([wanted, at, down]) => {
    const { state, layout, timeline } = window.spurView;
    const canvas = document.getElementById("plot");
    const lane = layout.lanes[layout.laneOfKey.get(wanted)];
    const ratio = devicePixelRatio;
    timeline.draw();
    const x = (at - state.from) / state.span * timeline.width * ratio;
    const y = (26 + lane.y - state.top + lane.h * down) * ratio;
    const copy = document.createElement("canvas").getContext("2d", { willReadFrequently: true });
    copy.drawImage(canvas, Math.floor(x), Math.floor(y), 1, 1, 0, 0, 1, 1);
    return [...copy.getImageData(0, 0, 1, 1).data].slice(0, 3);
  }, [key, time, part]);
}

/** Are these the same colour, but for how the canvas rounds? */
export function sameColour(seen, wanted, what) {
  assert(seen.every((part, i) => Math.abs(part - wanted[i]) <= 3), `${what}: rgb(${seen}) and not rgb(${wanted})`);
}

/** A region's colour: [r, g, b]. */
export async function colourOf(page, name) {
  return page.evaluate(wanted => {
    const { model, look } = window.spurView;
    return look.of(model.regions.findIndex(region => region.name === wanted)).rgb;
  }, name);
}

export async function windowOf(page) {
  return page.evaluate(() => [window.spurView.state.from, window.spurView.state.to]);
}

/** Runs the cases of a test file, one after the other, and ends as its worst. */
export async function run(cases) {
  const [build, ...wanted] = process.argv.slice(2);
  const browser = await Browser.start(build);
  let [passed, failed] = [0, 0];
  for (const [name, work] of Object.entries(cases)) {
    if (wanted.length > 0 && !wanted.includes(name)) {
      continue;
    }
    const start = Date.now();
    try {
      await work(browser, build);
      passed++;
      console.log(`ok ${name} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
    } catch (error) {
      failed++;
      console.log(`not ok ${name}: ${error.stack || error}`);
    }
  }
  await browser.close();
  console.log(`${passed} passed, ${failed} failed`);
  process.exit(failed > 0 ? 1 : 0);
}
