// SPDX-License-Identifier: BSD-3-Clause
// Names that would like to be more than names, archives of nothing, answers of a server.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { run, settled, untroubled, windowOf } from "./browser.mjs";
import { Trace, stencil, writePage } from "./synthetic.mjs";

const NAMES = ["</script><script>window.hacked=1</script>", "<img src=x onerror='window.hacked=1'>", "\"quotes\" & 'others' <b>bold</b>", "two\nlines\tand\u0000nul",
               "\u202egnp.exe\u202c right to left \u05d0\u05d1\u05d2", "broken \ufffd\ufffd utf-8", "]]><!-- ${alert(1)} {{7*7}}", "x".repeat(400), "javascript:alert(1)",
               "line\u2028separator", ""];

function hostileTrace() {
  const trace = new Trace(1e6, NAMES.map(name => ({ name, group: name, waits: false, file: name, line: 3 })));
  trace.hosts = NAMES;
  NAMES.forEach((name, i) => {
    const process = trace.process(name, { rank: i, rows: [name, `${name}2`], state: i % 2 ? "killed" : "ended", note: name });
    trace.call(2 * process, [i, 1e5, 9e5, [[(i + 1) % NAMES.length, 2e5, 8e5]]]);
    trace.marks.push({ row: 2 * i, from: 5e4, to: 9e4, kind: i % 3 ? "pause" : name, text: name });
    trace.findings.push({ kind: name, text: name, seconds: 1e-4, percent: 3, from: 1e5, to: 2e5, rows: [2 * i] });
    trace.counter(2 * i, name, name, [[0, 1], [5e5, -3]]);
  });
  trace.message(0, 4, 2e5, 3e5, 100);
  return trace;
}

async function namesAreText(browser, build) {
  const more = { archive: NAMES[0], machine: NAMES[1], remarks: NAMES, trouble: NAMES[0], commands: NAMES };
  const file = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/hostile.html`, hostileTrace().data({ name: NAMES[0], more }));
  const page = await browser.open(file);
  for (const tab of ["functions", "flame", "matrix", "rows"]) {
    await page.click(`#tab-${tab}`);
    await settled(page);
  }
  const text = await page.evaluate(() => document.body.innerText);
  for (const name of [NAMES[0], NAMES[1], NAMES[2]]) {
    assert(text.includes(name), `${name} is not shown as text`);
  }
  assert(text.includes("two\u240alines\u2409and\u2400nul") && text.includes("<U+202E>gnp.exe"), "control characters are shown");
  await page.fill("#search", "script");
  await settled(page);
  assert.equal(await page.locator('#found [role="option"]').count() > 3, true);
  await page.mouse.move(600, 200);
  await page.locator("#findings button").first().click();
  await settled(page);
  const svg = await page.evaluate(() => {
    const made = new DOMParser().parseFromString(window.spurView.svg(), "image/svg+xml");
    return [made.querySelector("parsererror")?.textContent ?? "", made.querySelectorAll("script, img, foreignObject, a").length];
  });
  assert.deepEqual(svg, ["", 0]);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe, b:not(#help b)").length), 0);
  untroubled(page);
}

const WRITE_NAMES = `
import sys
sys.path.insert(0, sys.argv[1])
from judge.otf2_write import write_archive
NONE = 0xffffffff
names = ["</script><script>window.hacked=1</script>", "<img src=x onerror='window.hacked=1'>", 'say "hi" & bye', "two\\nlines",
         "bad \\udcff\\udcc3 byte", "\\u202egnp.exe", "<!-- -->"]
events, strings = {}, [("String", i, text) for i, text in enumerate(["", *names])]
for row in range(len(names)):
    events[row] = [event for i in range(len(names)) for event in ((10 * i, "Enter", i), (10 * i + 10, "Leave", i))]
made = strings + [("ClockProperties", 1000, 0, 80, NONE << 32 | NONE)]
made += [("SystemTreeNode", i, i + 1, i + 1, NONE) for i in range(len(names))]
made += [("LocationGroup", i, i + 1, 1, i, NONE) for i in range(len(names))]
made += [("Location", i, i + 1, 1, len(events[i]), i) for i in range(len(names))]
made += [("Region", i, i + 1, NONE, 0, i + 1, 5, 0, i + 1, 1, 1, 0) for i in range(len(names))]
write_archive("names", made, events)
`;

/** The same through spur view: regions, their files, hosts, processes and threads of an archive have such names. */
async function archivesNamesAreText(browser, build) {
  const folder = `${build}/tests/view/names`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  execFileSync("/usr/bin/python3", ["-B", "-c", WRITE_NAMES, fileURLToPath(new URL("../lib", import.meta.url))], { cwd: folder });
  execFileSync(`${build}/bin/spur`, ["view", "-o", "names.html", "names"], { cwd: folder, timeout: 300000 });
  const page = await browser.open(`${folder}/names.html`);
  await page.keyboard.press("o");
  for (const tab of ["functions", "flame", "matrix", "rows"]) {
    await page.click(`#tab-${tab}`);
    await settled(page);
    if (tab === "functions") {
      const text = await page.textContent("#panel-functions");
      for (const name of ["</script><script>window.hacked=1</script>", "<img src=x onerror='window.hacked=1'>", 'say "hi" & bye', "two\u240alines",
                          "bad \ufffd\ufffd byte", "<U+202E>gnp.exe", "<!-- -->"]) {
        assert(text.includes(name), `${name} is not shown as text`);
      }
    }
  }
  const plot = await page.locator("#plot").boundingBox();
  for (let i = 0; i < 12; i++) {
    await page.mouse.click(plot.x + plot.width * (i + 0.5) / 12, plot.y + 40 + 20 * i);
  }
  await settled(page);
  assert.match(await page.textContent("#tree"), /<\/script>/);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.evaluate(() => document.querySelectorAll("img, iframe").length), 0);
  untroubled(page);
}

/** An archive without events, or even without locations, has a page too. */
async function nothingIsShown(browser, build) {
  const empty = new Trace(0, []);
  const quiet = new Trace(1000, []);
  quiet.process("rank 0");
  for (const [name, trace] of Object.entries({ empty, quiet })) {
    const page = await browser.open(writePage(`${build}/tools/view_page.html`, `${build}/tests/view/${name}.html`, trace.data({ levels: [] })));
    for (const key of ["w", "s", "d", "f", "]", "n", "o", "m", "}"]) {
      await page.keyboard.press(key);
    }
    for (const tab of ["flame", "matrix", "rows"]) {
      await page.click(`#tab-${tab}`);
      await settled(page);
    }
    await page.mouse.move(600, 200);
    await page.mouse.click(600, 120);
    await page.evaluate(() => window.spurView.svg().length + window.spurView.png().width);
    untroubled(page);
  }
}

/** What the policy of the page is worth, should a name ever get through: a script in the data is not run. */
async function policyHolds(browser, build) {
  const file = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/policy.html`, stencil({ steps: 3 }).data());
  const bad = `${build}/tests/view/policy_bad.html`;
  writeFileSync(bad, readFileSync(file, "utf8").replace("<noscript>", `<script>window.hacked=1</script><img src="http://127.0.0.1:9/x.png" onerror="window.hacked=2"><noscript>`));
  const page = await browser.open(bad);
  await page.evaluate(() => fetch("http://127.0.0.1:9/").catch(() => 0));
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert(page.troubles.length >= 3 && page.troubles.every(trouble => /Content Security Policy|asks for http:\/\/127/.test(trouble)), page.troubles.join("\n"));
}

/** An answer of `spur view --serve`, of the parts of a trace that a window holds. */
function answerOf({ meta, sections }, flags = 0) {
  const names = ["calls", "messages", "samples"];
  const head = Buffer.alloc(16 + 24 * names.length);
  head.write("SPURWIN1");
  head.writeUInt32LE(flags, 8);
  head.writeUInt32LE(names.length, 12);
  let offset = head.length;
  const parts = names.map((name, i) => {
    head.write(name, 16 + 24 * i);
    head.writeUInt32LE(meta.counts[name], 28 + 24 * i);
    head.writeUInt32LE(offset, 32 + 24 * i);
    const part = Buffer.concat([sections[name], Buffer.alloc((8 - sections[name].length % 8) % 8)]);
    offset += part.length;
    return part;
  });
  return Buffer.concat([head, ...parts]);
}

async function windowsAreAsked(browser, build) {
  const trace = stencil();
  const data = trace.data({ exact: [], more: { served: true } });
  const file = writePage(`${build}/tools/view_page.html`, `${build}/tests/view/served.html`, data);
  const text = readFileSync(file, "utf8").replace("connect-src 'none'", "connect-src 'self'");
  const asked = [];
  const answer = answerOf(trace.data());
  const server = createServer((request, response) => {
    const url = new URL(request.url, "http://x");
    if (url.pathname.endsWith("/window")) {
      asked.push(url.search);
      const span = url.searchParams.get("to") - url.searchParams.get("from");
      const status = span > 3e8 ? 413 : 200;
      response.writeHead(status).end(status === 200 ? answer : "too many events for one window: 123456");
    } else {
      response.writeHead(200, { "content-type": "text/html" }).end(text);
    }
  });
  await new Promise(resolve => server.listen(0, "127.0.0.1", resolve));
  const base = `http://127.0.0.1:${server.address().port}/0123456789abcdef/`;
  const page = await browser.open(base, { allowed: base });
  await page.waitForFunction(() => window.spurView.server.refused);
  assert.equal(asked.length, 1, "the whole trace is asked for");
  assert.match(await page.textContent("#readout"), /buckets/, "and is too much");
  page.troubles = page.troubles.filter(trouble => !/413/.test(trouble));
  await page.evaluate(() => window.spurView.state.show(100e6, 120e6));
  await page.waitForFunction(() => window.spurView.model.served);
  await settled(page);
  assert.match(asked[1], /^\?from=90000000&to=130000000&rows=0-11$/);
  assert.match(await page.textContent("#readout"), /exact/);
  assert.match(await page.textContent("#scope"), /exact/);
  await page.evaluate(() => window.spurView.state.pan(0.2));
  await settled(page);
  assert.equal(asked.length, 2, "what is known is not asked for again");
  assert.deepEqual(await windowOf(page), [104e6, 124e6]);
  untroubled(page);
  await page.context().close();
  server.close();
}

await run({ namesAreText, archivesNamesAreText, nothingIsShown, policyHolds, windowsAreAsked });
