// SPDX-License-Identifier: BSD-3-Clause
// Calls that are known exactly and are too many to draw each: in every column of the picture the one that was
// open in its middle.

class DensePainter {
  /** cells: the CellPainter whose picture it draws into. */
  constructor(cells) {
    this.cells = cells;
  }

  /** Outside of all calls: the program's region, idle, or (-1) the row was not there. */
  static #outside(data, model, row, scale, regions) {
    const column = time => clamp(Math.ceil((time - scale.from) / (scale.to - scale.from) * regions.length - 0.5), 0, regions.length);
    regions.fill(-1);
    regions.fill(model.regionOf("program"), column(model.rows[row].begin), column(model.rows[row].end));
    data.eachIdle(row, scale.from, scale.to, (begin, end) => regions.fill(model.regionOf("idle"), column(begin), column(end)));
  }

  /** The regions of the calls of a depth by column, over what is in `regions` already. */
  static #columns(data, row, depth, scale, regions) {
    const { begin, end, path } = data.calls;
    const [first, last] = data.callsAt(row, depth, scale.from, scale.to);
    const step = (scale.to - scale.from) / regions.length;
    for (let x = 0, i = first; x < regions.length && i < last; x++) {
      const time = scale.from + (x + 0.5) * step;
      for (let jump = 1; i < last && end[i] <= time; jump *= 2) {
        // Not one by one: there may be thousands in a column.
        const far = Math.min(i + jump, last);
        i = end[far - 1] <= time ? far : firstIndex(i, far, j => end[j] > time);
      }
      if (i < last && begin[i] <= time) {
        regions[x] = data.paths.region[path[i]];
      }
    }
  }

  paint(context, lane, y, h, data, stack, scale, look) {
    const depths = Math.min(data.deepest(lane.index), 64);
    const regions = new Int32Array(this.cells.width);
    this.cells.paintLane(context, lane, y, h, scale, look);
    if (stack) {
      regions.fill(-1);
    } else {
      DensePainter.#outside(data, this.cells.model, lane.index, scale, regions);
    }
    for (let depth = 0; depth < depths; depth++) {
      DensePainter.#columns(data, lane.index, depth, scale, regions);
      if (stack || depth === depths - 1) {
        this.#paintRuns(context, regions, stack ? y + depth * CALL_HEIGHT : y, stack ? CALL_HEIGHT : h, look);
      }
      if (stack) {
        regions.fill(-1);
      }
    }
  }

  #paintRuns(context, regions, y, h, look) {
    for (let x = 0, end = 1; x < regions.length; x = end++) {
      while (end < regions.length && regions[end] === regions[x]) {
        end++;
      }
      if (regions[x] >= 0) {
        this.cells.paintBox(context, x, end, y, h, look.colour(regions[x]));
      }
    }
  }
}
