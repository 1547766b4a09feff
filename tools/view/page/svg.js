// SPDX-License-Identifier: BSD-3-Clause
// What painters use of a canvas, written as SVG.

class SvgContext {
  isVector = true;
  fillStyle = "#000";
  strokeStyle = "#000";
  lineWidth = 1;
  globalAlpha = 1;
  #parts = [];
  #path = [];
  #dash = [];
  #depth = [];
  #clips = 0;

  constructor(width, height) {
    this.width = width;
    this.height = height;
  }

  static #number(value) {
    return Number(value.toFixed(2));
  }

  static #text(value) {
    return String(value).replace(/[&<>"]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[c])
      .replace(/[^\t\n\r\u0020-\ud7ff\ue000-\ufffd]/g, "\ufffd");
  }

  get #alpha() {
    return this.globalAlpha < 1 ? ` opacity="${SvgContext.#number(this.globalAlpha)}"` : "";
  }

  #box(x, y, w, h) {
    return ["x", "y", "width", "height"].map((name, i) => `${name}="${SvgContext.#number([x, y, w, h][i])}"`).join(" ");
  }

  fillRect(x, y, w, h) {
    this.#parts.push(`<rect ${this.#box(x, y, Math.max(w, 0), Math.max(h, 0))} fill="${this.fillStyle}"${this.#alpha}/>`);
  }

  strokeRect(x, y, w, h) {
    this.#parts.push(`<rect ${this.#box(x, y, Math.max(w, 0), Math.max(h, 0))} fill="none" stroke="${this.strokeStyle}" ` +
                     `stroke-width="${this.lineWidth}"${this.#dashes()}${this.#alpha}/>`);
  }

  #dashes() {
    return this.#dash.length > 0 ? ` stroke-dasharray="${this.#dash.join(" ")}"` : "";
  }

  fillText(text, x, y) {
    this.#write(text, x, y, `fill="${this.fillStyle}"`);
  }

  strokeText(text, x, y) {
    this.#write(text, x, y, `fill="none" stroke-linejoin="round" stroke="${this.strokeStyle}" stroke-width="${this.lineWidth}"`);
  }

  #write(text, x, y, look) {
    this.#parts.push(`<text x="${SvgContext.#number(x)}" y="${SvgContext.#number(y)}" ${look}>${SvgContext.#text(text)}</text>`);
  }

  beginPath() {
    this.#path = [];
  }

  #put(letter, ...numbers) {
    this.#path.push(letter + numbers.map(SvgContext.#number).join(" "));
  }

  moveTo(x, y) {
    this.#put("M", x, y);
  }

  lineTo(x, y) {
    this.#put("L", x, y);
  }

  bezierCurveTo(...points) {
    this.#put("C", ...points);
  }

  rect(x, y, w, h) {
    this.#path.push(`M${[x, y].map(SvgContext.#number).join(" ")}h${SvgContext.#number(w)}v${SvgContext.#number(h)}h${SvgContext.#number(-w)}z`);
  }

  closePath() {
    this.#path.push("z");
  }

  stroke() {
    this.#parts.push(`<path d="${this.#path.join("")}" fill="none" stroke="${this.strokeStyle}" ` +
                     `stroke-width="${SvgContext.#number(this.lineWidth)}"${this.#dashes()}${this.#alpha}/>`);
  }

  fill() {
    this.#parts.push(`<path d="${this.#path.join("")}" fill="${this.fillStyle}"${this.#alpha}/>`);
  }

  setLineDash(dash) {
    this.#dash = dash;
  }

  save() {
    this.#depth.push(0);
  }

  /** Holds until restore(). */
  clip() {
    const name = `clip${++this.#clips}`;
    this.#parts.push(`<clipPath id="${name}"><path d="${this.#path.join("")}"/></clipPath><g clip-path="url(#${name})">`);
    this.#depth[this.#depth.length - 1]++;
  }

  restore() {
    this.#parts.push("</g>".repeat(this.#depth.pop()));
  }

  /** Everything that is drawn from now on lies further to the right and below, inside a box. */
  within(x, y, w, h) {
    const name = `clip${++this.#clips}`;
    this.#parts.push(`<g transform="translate(${x} ${y})"><clipPath id="${name}"><rect width="${w}" height="${h}"/></clipPath>` +
                     `<g clip-path="url(#${name})">`);
  }

  endWithin() {
    this.#parts.push("</g></g>");
  }

  text() {
    return `<svg xmlns="http://www.w3.org/2000/svg" width="${this.width}" height="${this.height}" ` +
           `viewBox="0 0 ${this.width} ${this.height}" font-family="system-ui, 'DejaVu Sans', sans-serif" font-size="11" ` +
           `dominant-baseline="central">\n${this.#parts.join("\n")}\n</svg>\n`;
  }
}
