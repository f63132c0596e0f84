// Whatever is said on the large screen stands within its frame: a line with too much on it says
// it closer, then by signs; a slate with too much on it says everything smaller. A name that still
// has too little room is written smaller, before it is cut.

const root = document.documentElement;
const MANNERS = ["", "close", "signs"];
const SIZES = [1, 0.9, 0.8, 0.7, 0.6, 0.5, 0.42];
const FRAMES = ".slate, .says, .rows, .sides, .side";
const SLACK_REM = 0.25; // a line of text has some air above and below
const SMALLEST_NAME = 0.5;

// Each look at what stands where costs the browser a layout of the page, so there are few.
export function fit() {
  const names = [...document.querySelectorAll("#table .name")];
  for (const name of names) name.style.fontSize = "";
  fitLines();
  // What stands beside a name may take some of what it gave up.
  for (let size = 1; size > SMALLEST_NAME && shrink(names); size *= 0.9);
}

// Write each name smaller that has too little room, and return whether there was one.
function shrink(names) {
  // All are looked at before any is changed: that is one layout for all of them.
  const cut = names.filter(isCut);
  const sizes = cut.map((name) => parseFloat(getComputedStyle(name).fontSize));
  cut.forEach((name, at) => (name.style.fontSize = `${0.9 * sizes[at]}px`));
  return cut.length > 0;
}

// By what its text takes: half a pixel too much is an ellipsis, and no width of the box tells it.
function isCut(name) {
  const text = document.createRange();
  text.selectNodeContents(name);
  return text.getBoundingClientRect().width > name.getBoundingClientRect().width;
}

function fitLines() {
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
