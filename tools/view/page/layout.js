// SPDX-License-Identifier: BSD-3-Clause
// The tree of rows, and which of them lie where: lanes. A lane is a row, a group, or the curve of a counter.

const RULER_HEIGHT = 26;
const CALL_HEIGHT = 16;
const HEADING_HEIGHT = 19;
const CURVE_HEIGHT = 46;
const MANY_ROWS = 300;

class Layout {
  constructor(model, state) {
    this.model = model;
    this.state = state;
    this.depths = Array.from(model.rows, (_, row) => this.#depthOf(row));
    this.nodes = new Map();
    this.roots = this.#groupNodes(-1, 1);
    this.#closeAtFirst();
    this.place();
  }

  /** How many calls are open at once on a row, at most. */
  #depthOf(row) {
    let deepest = this.model.embedded.deepest(row);
    const level = this.model.levels.findLast(one => one.rows);
    for (let i = 0; level && i < level.n; i++) {
      deepest = Math.max(deepest, level.depth[row * level.n + i]);
    }
    return clamp(deepest, 1, 32);
  }

  #groupNodes(parent, depth) {
    if (!this.children) {
      this.children = new Map();
      this.model.groups.forEach((group, i) => listAdd(this.children, group.parent, i));
      this.members = Array.from(this.model.groups, () => []);
      this.model.rows.forEach((row, i) => this.members[row.group]?.push(i));
    }
    return (this.children.get(parent) || []).map(index => this.#groupNode(index, depth));
  }

  #groupNode(index, depth) {
    const group = this.model.groups[index];
    const rows = this.members[index];
    const process = group.kind === "process" ? group.of : -1;
    if (rows.length === 1 && !this.children.has(index) && process >= 0) {
      const row = this.model.rows[rows[0]];
      const name = row.name === group.name || /^(main|master|thread 0)/i.test(row.name) ? group.name : `${group.name}: ${row.name}`;
      return this.#rowNode(rows[0], depth, name, process);
    }
    const node = this.#node("g", "groups", index, depth, group.name, process);
    node.children = [...rows.map(row => this.#rowNode(row, depth + 1, this.model.rows[row].name, -1)),
                     ...this.#groupNodes(index, depth + 1)];
    node.children.forEach(child => { child.parent = node; });
    return node;
  }

  #rowNode(index, depth, name, process) {
    const node = this.#node("r", "rows", index, depth, name, process);
    node.children = (this.model.metricsOf.get(index) || []).map(metric => {
      const child = this.#node("m", "metrics", metric, depth + 1, this.model.metrics[metric].name, -1);
      child.parent = node;
      return child;
    });
    return node;
  }

  #node(letter, of, index, depth, name, process) {
    const node = { key: letter + index, of, index, depth, name, process, children: [], parent: null };
    this.nodes.set(node.key, node);
    return node;
  }

  #closeAtFirst() {
    const { model, state } = this;
    if (model.rows.length > MANY_ROWS) {
      const hosts = this.roots.filter(node => node.of === "groups");
      const closing = hosts.length > 1 ? hosts : [...this.nodes.values()].filter(node => node.of === "groups" && node.depth > 1);
      closing.forEach(node => state.closed.add(node.key));
    }
    if (model.metrics.length > 8) {
      this.nodes.forEach(node => node.of === "rows" && node.children.length > 0 && state.closed.add(node.key));
    }
    if (model.rows.length <= 4) {
      model.rows.forEach((_, row) => this.depths[row] > 1 && state.open.add(`r${row}`));
    }
  }

  /** Few rows are as high as there is room for. */
  fitRows(room) {
    const { state } = this;
    state.rowHeight = state.usualHeight = [44, 36, 28].find(height => {
      state.rowHeight = height;
      this.place();
      return this.height <= room;
    }) ?? 22;
    this.place();
  }

  isClosed(node) {
    return this.state.closed.has(node.key);
  }

  isStack(node) {
    return node.of === "rows" && this.state.open.has(node.key);
  }

  #heightOf(node) {
    if (node.of === "metrics") {
      return Math.max(CURVE_HEIGHT, this.state.rowHeight);
    }
    if (this.isStack(node)) {
      return this.depths[node.index] * CALL_HEIGHT + 8;
    }
    if (node.of === "groups" && !this.isClosed(node)) {
      return Math.min(this.state.rowHeight, HEADING_HEIGHT);
    }
    return this.state.rowHeight;
  }

  /** Says anew where each lane lies, after something was opened or closed. */
  place() {
    this.version = (this.version ?? 0) + 1;
    this.lanes = [];
    this.laneOfRow = new Int32Array(this.model.rows.length).fill(-1);
    this.height = 0;
    this.roots.forEach(node => this.#put(node));
    this.laneOfKey = new Map(this.lanes.map((lane, i) => [lane.node.key, i]));
  }

  #put(node) {
    const h = this.#heightOf(node);
    const number = this.lanes.length;
    this.lanes.push({ node, of: node.of, index: node.index, y: this.height, h });
    this.height += h;
    if (node.of === "rows") {
      this.laneOfRow[node.index] = number;
    }
    if (!this.isClosed(node)) {
      node.children.forEach(child => this.#put(child));
    } else if (node.of === "groups") {
      const [first, count] = this.model.groups[node.index].rows;
      this.laneOfRow.fill(number, first, first + count);
    }
  }

  /** The lanes that are seen between two heights: [first, end). */
  lanesIn(top, bottom) {
    const first = firstIndex(0, this.lanes.length, i => this.lanes[i].y + this.lanes[i].h > top);
    return [first, firstIndex(first, this.lanes.length, i => this.lanes[i].y >= bottom)];
  }

  laneAt(y) {
    const [first, end] = this.lanesIn(y, y + 1);
    return first < end ? this.lanes[first] : null;
  }

  /** The rows that a node stands for. */
  rowsOfNode(node) {
    if (node.of === "groups") {
      return this.model.rowsOf(node.index);
    }
    return [node.of === "metrics" ? this.model.metrics[node.index].row : node.index];
  }

  /** The rows that are selected; all if none is. */
  selectedRows() {
    const rows = new Set();
    for (const key of this.state.selected) {
      const node = this.nodes.get(key);
      if (node) {
        this.rowsOfNode(node).forEach(row => rows.add(row));
      }
    }
    return rows.size > 0 ? [...rows].sort((a, b) => a - b) : this.model.rows.map((_, row) => row);
  }

  /** Opens what is around a row, so that it has a lane of its own. */
  reveal(row) {
    let node = this.nodes.get(`r${row}`)?.parent;
    for (; node; node = node.parent) {
      this.state.closed.delete(node.key);
    }
    this.place();
  }
}
