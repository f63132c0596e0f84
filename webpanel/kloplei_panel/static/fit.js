// Whatever is said on the large screen stands within its frame: a line with too much on it says
// it closer, then by signs; a slate with too much on it says everything smaller.

const root = document.documentElement;
const MANNERS = ["", "close", "signs"];
const SIZES = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42];
const FRAMES = ".slate, .says, .rows, .sides, .side";
const SLACK_REM = 0.25; // a line of text has some air above and below

// Each look at what stands where costs the browser a layout of the page, so there are few.
export function fit() {
  const lines = [...document.querySelectorAll(".rows .row")];
  if (standsAt(SIZES[0], lines, MANNERS)) return;
  let [full, fits] = [0, SIZES.length - 1];
  while (fits - full > 1) {
    const between = (full + fits) >> 1;
    if (standsAt(SIZES[between], lines, MANNERS.slice(-1))) fits = between;
    else full = between;
  }
  standsAt(SIZES[fits], lines, MANNERS);
}

// Draw all in this size, each line in the first of the manners that has room, and return whether
// everything has.
function standsAt(size, lines, manners) {
  root.style.setProperty("--fit", size);
  const slack = SLACK_REM * parseFloat(getComputedStyle(root).fontSize);
  const isFull = (box) =>
    box.scrollHeight > box.clientHeight + slack || box.scrollWidth > box.clientWidth + 1;
  for (const manner of manners) {
    for (const line of lines) line.dataset.fit = manner;
    lines = lines.filter((line) => isFull(line) || isFull(line.querySelector(".state")));
    if (!lines.length) break;
  }
  return !lines.length && ![...document.querySelectorAll(FRAMES)].some(isFull);
}

document.addEventListener("drawn", fit);
addEventListener("resize", fit);
document.fonts.ready.then(fit);
fit();
