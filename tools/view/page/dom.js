// SPDX-License-Identifier: BSD-3-Clause
// Elements of the page. Text goes in as text only: names of a trace are never read as HTML.

const byId = id => document.getElementById(id);

/** element("td", {class: "n", onclick: f}, child or text, ...) */
function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) {
      made.addEventListener(name.slice(2), value);
    } else if (name === "style") {
      Object.assign(made.style, value);
    } else if (value !== null && value !== undefined && value !== false) {
      made.setAttribute(name, value === true ? "" : value);
    }
  }
  made.append(...children.filter(child => child !== null && child !== undefined));
  return made;
}

/** Control characters of a name as their pictures; marks of direction as their names. */
function shown(name) {
  return String(name)
    .replace(/[\u0000-\u001f]/g, c => String.fromCharCode(0x2400 + c.charCodeAt(0)))
    .replace(/\u007f/g, "\u2421")
    .replace(/[\u0080-\u009f\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
             c => `<U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0")}>`);
}

function swatch(fill) {
  return element("span", { class: "swatch", style: { background: fill }, "aria-hidden": "true" });
}

/** A table: columns {title, number?}, rows of cells (text, number or element). */
function tableOf(caption, columns, rows) {
  return element("table", {},
    element("caption", {}, caption),
    element("thead", {}, element("tr", {}, ...columns.map(column =>
      element("th", { scope: "col", class: column.number ? "n" : null, "aria-sort": column.sorted || null }, column.head || column.title)))),
    element("tbody", {}, ...rows.map(cells => element("tr", {}, ...cells.map((cell, i) =>
      element("td", { class: columns[i].number ? "n" : columns[i].class || null,
                      title: columns[i].class === "name" && typeof cell === "string" ? cell : null }, cell))))));
}

/** A canvas as sharp as the screen; its context, in CSS pixels. */
function fitCanvas(canvas) {
  const box = canvas.getBoundingClientRect();
  const ratio = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * ratio));
  const height = Math.max(1, Math.round(box.height * ratio));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  const context = canvas.getContext("2d");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return { context, width: box.width, height: box.height, ratio };
}

/** One of the colours of style.css. */
function themeColour(name) {
  return getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
}
