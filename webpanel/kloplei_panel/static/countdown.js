// Let every bar of seconds run down between two scoreboards: a grace, a doubt.

const STEP_MS = 100; // as smooth as a bar has to be: each step is painted, and costs its share
const SLOW_MS = 1000;
const LATE_MS = 500; // so much longer than we thought, and it is another one that runs
const motion = matchMedia("(prefers-reduced-motion: reduce)");
const ends = new WeakMap(); // bar -> when its time is over
let again;

function begin() {
  for (const bar of bars()) {
    const end = performance.now() + 1000 * Number(bar.dataset.left);
    const known = ends.get(bar);
    // One that is only drawn again keeps its end: what the server says is some time old by now.
    if (known === undefined || end > known + LATE_MS) ends.set(bar, end);
  }
  step();
}

function step() {
  clearTimeout(again);
  const left = bars().map(show);
  if (!left.some((seconds) => seconds > 0)) return;
  // Who wants no motion gets a bar that is right once a second, and so does a quiet screen.
  const isStill = motion.matches || document.body.classList.contains("theme-quiet");
  again = setTimeout(step, isStill ? SLOW_MS : STEP_MS);
}

function bars() {
  return [...document.querySelectorAll("progress[data-left]")];
}

function show(bar) {
  bar.value = Math.max(0, (ends.get(bar) - performance.now()) / 1000);
  return bar.value;
}

document.addEventListener("drawn", begin);
begin();
