// SPDX-License-Identifier: BSD-3-Clause
// The colours to draw with: those of style.css, light or dark, and those of the regions.

class Look {
  constructor(model, state) {
    this.model = model;
    this.state = state;
    this.refresh();
  }

  /** After the system went from light to dark or back. */
  refresh() {
    for (const name of ["back", "raised", "line", "text", "soft", "accent", "lane", "absent", "hatch", "wait", "message", "find", "select"]) {
      this[`${name}Css`] = themeColour(name);
    }
    for (const name of ["back", "lane", "absent", "hatch", "wait"]) {
      this[name] = pixelOf(hexRgb(this[`${name}Css`]));
    }
    const back = hexRgb(this.laneCss);
    this.isDark = back[0] < 128;
    this.depthCss = this.isDark ? "#2a3140" : "#dfe5ee";
    this.colours = regionColours(this.model.regions, back);
    this.unknown = colourFrom([128, 128, 128], back);
  }

  of(region) {
    return this.colours[region] || this.unknown;
  }

  isDim(region) {
    return this.state.region >= 0 && region !== this.state.region;
  }

  /** A region's colour in buckets: pale, if another one is looked for. */
  colour(region) {
    const colour = this.of(region);
    if (!this.isDim(region)) {
      return colour;
    }
    return colour.dim ||= { ...colour, pixel: colour.tint, css: colour.tintCss };
  }
}
