// SPDX-License-Identifier: BSD-3-Clause
// What is under the pointer, or at the selected place, in words: [term, text] pairs.

const MOST_PATH = 12;

function laneTitle(layout, lane) {
  const names = [];
  for (let node = lane.node; node; node = node.parent) {
    names.unshift(shown(node.name));
  }
  return names.join(" \u203a ");
}

function describe(model, layout, hit) {
  const facts = [["Row", laneTitle(layout, hit.lane)], ["Time", pointText(hit.time, (hit.scale.to - hit.scale.from) / hit.scale.width)]];
  if (hit.source?.data) {
    describeCall(hit, model, facts);
  } else if (hit.source?.level) {
    describeCell(hit, model, facts);
  } else if (hit.lane.of === "metrics") {
    describeValue(hit, model, facts);
  }
  if (hit.lane.of === "rows") {
    model.marksOf[hit.lane.index].filter(mark => mark.from - 1 <= hit.time && hit.time <= mark.to + 1)
      .forEach(mark => facts.push([MARK_TITLES[mark.kind] ?? mark.kind, shown(mark.text)]));
  }
  return facts;
}

function pathText(paths, path) {
  const names = paths.names(path).map(shown);
  return (names.length > MOST_PATH ? ["\u2026", ...names.slice(-MOST_PATH)] : names).join(" \u203a ");
}

/** The collective operation that a call was, and the messages that were sent and received in it. */
function describeCommunication(data, model, row, begin, end, facts) {
  const { meta } = model;
  const [first] = data.collectivesIn(row, begin, end);
  const { collectives, messages } = data;
  if (first < collectives.count && collectives.row[first] === row && collectives.begin[first] <= end) {
    const root = collectives.root[first] === NONE ? "" : `, root ${collectives.root[first]}`;
    facts.push(["Collective", `${shown(meta.ops[collectives.op[first]] ?? "")} on ${shown(meta.comms[collectives.comm[first]] ?? "?")}${root}`],
               ["Bytes", `${bytesText(collectives.sent[first])} sent, ${bytesText(collectives.received[first])} received`]);
  }
  const other = peer => (peer === NONE ? "?" : shown(model.processName(model.rows[peer].process)));
  let told = 0;
  data.eachMessage(begin, end, i => {
    const sends = messages.from[i] === row && messages.sent[i] >= begin && messages.sent[i] <= end;
    const receives = messages.to[i] === row && messages.received[i] >= begin && messages.received[i] <= end;
    if ((sends || receives) && ++told <= 4) {
      facts.push([sends ? "Sends" : "Receives", `${bytesText(messages.bytes[i])} ${sends ? "to" : "from"} ${other(sends ? messages.to[i] : messages.from[i])}, ` +
                  `tag ${messages.tag[i]}${Number.isNaN(messages.sent[i]) || Number.isNaN(messages.received[i]) ? ", other end unknown"
                    : `, under way ${timeText(messages.received[i] - messages.sent[i])}`}`]);
    }
  });
  if (told > 4) {
    facts.push(["", `and ${plural(told - 4, "more message")}`]);
  }
}

function describeCall(hit, model, facts) {
  const { data, calls = data.calls } = hit.source;
  if (hit.call >= 0) {
    const path = calls.path[hit.call];
    const region = model.regions[data.paths.region[path]];
    facts.unshift(["Call", shown(data.paths.nameOf(path))]);
    facts.push(["Group", GROUP_TITLES[groupOf(region?.group)]], ["Begin", pointText(calls.begin[hit.call], 1)],
               [calls.flags[hit.call] & (CUT | GOES_ON) ? "Seen for" : "Duration", timeText(calls.end[hit.call] - calls.begin[hit.call])],
               ["Call path", pathText(data.paths, path)]);
    if (calls.calls[hit.call] > 1) {
      facts.push(["Calls", `${countText(calls.calls[hit.call])} in a row, without success before the last`]);
    }
    if (["mpi", "shmem"].includes(groupOf(region?.group))) {
      describeCommunication(data, model, hit.lane.index, calls.begin[hit.call], calls.end[hit.call], facts);
    }
    if (region?.line > 0) {
      facts.push(["Source", `${shown(region.file ?? "")}:${region.line}`]);
    }
    if (calls.flags[hit.call] & CUT) {
      facts.push(["Note", "nobody left it: it ends with its caller or with the trace"]);
    } else if (calls.flags[hit.call] & GOES_ON) {
      facts.push(["Note", "it goes on behind the window that is known exactly"]);
    }
    if (calls.flags[hit.call] & WITH_STACK) {
      facts.push(["Note", "recorded with its call stack: functions around it were seen, not timed"]);
    }
  } else {
    facts.unshift(["Call", "none: outside of all regions"]);
  }
  if (hit.sample >= 0) {
    facts.push(["Sample", `${pathText(data.paths, data.samples.path[hit.sample])} at ${pointText(data.samples.time[hit.sample], 1)}`],
               ["Note", "a sample is one look: what happened around it is not known"]);
  }
}

function describeCell(hit, model, facts) {
  const { level } = hit.source;
  const region = level.region[hit.cell];
  const name = region === NO_REGION ? "nothing" : region === HIGH_REGION ? "(one of the rarer regions)" : shown(model.regions[region].name);
  facts.unshift(["Mostly", region === NO_REGION ? name : `${name}, ${percentText(level.share[hit.cell] / 255)} of the bucket`]);
  facts.push(["Bucket", `${pointText(hit.bucket * level.bucket, level.bucket / 10)}, ${timeText(level.bucket)} long`]);
  if (level.waiting[hit.cell] > 0) {
    facts.push(["Waiting", percentText(level.waiting[hit.cell] / 255)]);
  }
  if (level.off[hit.cell] > 0) {
    facts.push(["Not recorded", percentText(level.off[hit.cell] / 255)]);
  }
  if (level.depth[hit.cell] > 0) {
    facts.push(["Deepest call", `depth ${level.depth[hit.cell]}`]);
  }
  if (level.bytes[hit.cell] > 0) {
    facts.push(["Messages", `about ${bytesText(2 ** (level.bytes[hit.cell] / 1024) - 1)}`]);
  }
  facts.push(["Note", hit.lane.of === "groups" ? "means over the group's rows, rounded to the bucket" : "rounded to the bucket: zoom in for more"]);
}

function describeValue(hit, model, facts) {
  const { name, unit } = model.metrics[hit.lane.index];
  const { time, value, first, count, isExact } = model.curveOf(hit.lane.index, hit.scale.from, hit.scale.to);
  const at = firstIndex(first, first + count, i => time[i] > hit.time) - 1;
  facts.unshift(["Counter", shown(name)]);
  if (at >= first) {
    facts.push(["Value", `${valueText(value[at])}${unit ? ` ${shown(unit)}` : ""}`], ["Since", pointText(time[at], 1)]);
  }
  if (!isExact) {
    facts.push(["Note", "lowest and highest value of each stretch: there were more"]);
  }
}

function factsList(facts) {
  return element("dl", {}, ...facts.flatMap(([term, text]) => [element("dt", {}, term), element("dd", {}, text)]));
}
