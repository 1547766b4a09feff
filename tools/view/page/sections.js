// SPDX-License-Identifier: BSD-3-Clause
// The data that the page carries: META as JSON, and sections, which are base64 of gzip of little-endian
// records. docs/view.md lists the records.

/** Columns of the sections, in their order; u64 is none of them: numbers of this size are f64. */
const SECTIONS = {
  paths: { u32: ["parent", "region", "kind"] },
  sums: { f64: ["self", "calls"], u32: ["row", "bucket", "path", "samples"] },
  pairs: { f64: ["bytes"], u32: ["bucket", "from", "to", "messages"] },
  calls: { f64: ["begin", "end", "calls"], u32: ["row", "path", "depth", "flags"] },
  messages: { f64: ["sent", "received", "bytes"], u32: ["from", "to", "tag", "comm"] },
  collectives: { f64: ["begin", "end", "sent", "received"], u32: ["row", "op", "comm", "root"] },
  samples: { f64: ["time"], u32: ["row", "path"] },
  idle: { f64: ["begin", "end"], u32: ["row"] },
  counters: { f64: ["time", "value"] },
  metrics: { u32: ["metric", "first", "count"] }, // of a server's answer: whose counters these are
};
const NONE = 0xffffffff;
/** Cells: nothing happened here; a region whose number is too high for a cell. */
const NO_REGION = 0xffff;
const HIGH_REGION = 0xfffe;
/** Flags of calls. */
const CUT = 1;
const WITH_STACK = 2;
const GOES_ON = 4;
/** Kinds of call paths. */
const SEEN_BY_SAMPLES = 1;
const AROUND_CALLS = 2;
const ALONE = 3; // a barrier of a team of one thread

function bytesOfBase64(text) {
  if (Uint8Array.fromBase64) {
    return Uint8Array.fromBase64(text);
  }
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) {
    bytes[i] = binary.charCodeAt(i);
  }
  return bytes;
}

/** The bytes of a section; null if the page has none of this name. */
async function sectionBytes(name) {
  const holder = byId(`spur-${name}`);
  if (!holder) {
    return null;
  }
  const text = holder.textContent.trim();
  holder.remove();
  if (text === "") {
    return null;
  }
  const unpacked = new Blob([bytesOfBase64(text)]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(unpacked).arrayBuffer());
}

/** The bytes `at` as `count` numbers of `Kind`; a copy only if they do not lie where such numbers may. */
function arrayAt(bytes, at, Kind, count) {
  const begin = bytes.byteOffset + at;
  if (begin % Kind.BYTES_PER_ELEMENT === 0) {
    return new Kind(bytes.buffer, begin, count);
  }
  return new Kind(bytes.slice(at, at + count * Kind.BYTES_PER_ELEMENT).buffer);
}

/** The columns of a section: {count, field: array, ...}. */
function columnsOf(name, bytes, count) {
  const columns = { count: bytes ? count : 0 };
  let at = 0;
  for (const [type, Kind] of [["f64", Float64Array], ["u32", Uint32Array]]) {
    for (const field of SECTIONS[name][type] || []) {
      columns[field] = bytes ? arrayAt(bytes, at, Kind, count) : new Kind(0);
      at += count * Kind.BYTES_PER_ELEMENT;
    }
  }
  return columns;
}

/** The levels of the pyramid: META's, each with its columns. Cells of rows come first, then those of groups. */
function levelsOf(meta, bytes) {
  let at = 0;
  return meta.levels.map(level => {
    const lanes = (level.rows ? meta.rows.length : 0) + (level.groups ? meta.groupCells : 0);
    const cells = lanes * level.n;
    const made = { ...level, firstGroup: level.rows ? meta.rows.length : 0 };
    for (const [field, Kind] of [["region", Uint16Array], ["bytes", Uint16Array], ["share", Uint8Array], ["waiting", Uint8Array],
                                 ["off", Uint8Array], ["depth", Uint8Array]]) {
      made[field] = bytes ? arrayAt(bytes, at, Kind, cells) : new Kind(cells).fill(field === "region" ? NO_REGION : 0);
      at += cells * Kind.BYTES_PER_ELEMENT;
    }
    return made;
  });
}

/** Where the records of each of `buckets` numbers begin, in records that are in their order; one more at the end. */
function startsOf(numbers, buckets) {
  const starts = new Uint32Array(buckets + 1);
  for (let i = 0; i < numbers.length; i++) {
    if (numbers[i] < buckets) {
      starts[numbers[i] + 1]++;
    }
  }
  for (let i = 0; i < buckets; i++) {
    starts[i + 1] += starts[i];
  }
  return starts;
}
