// SPDX-License-Identifier: BSD-3-Clause
// How fast the page draws, measured by itself: frames a second while it pans through the trace.

/** Pans for a time; {frames, seconds, perSecond, slowestMs, drawMs}. */
async function measureFrames(view, seconds = 2) {
  const { state, timeline, model } = view;
  const before = [state.from, state.to];
  const span = Math.min(state.span, model.duration / 4);
  const start = performance.now();
  const times = [];
  let drawing = 0;
  while (performance.now() - start < 1000 * seconds) {
    const part = (performance.now() - start) / (1000 * seconds);
    const from = part * (model.duration - span);
    const began = performance.now();
    state.show(from, from + span);
    timeline.draw();
    drawing += performance.now() - began;
    await new Promise(requestAnimationFrame);
    times.push(performance.now());
  }
  state.show(...before);
  const gaps = times.slice(1).map((time, i) => time - times[i]);
  const took = (times[times.length - 1] - start) / 1000;
  return { frames: times.length, seconds: took, perSecond: times.length / took, slowestMs: Math.max(...gaps), drawMs: drawing / times.length };
}
