// While nobody plays the large screen shows the break: who bears a title, the evening so far, and the
// table of honour. Where the evening has titles these take turns, slowly. Whatever happens at the
// table ends it at once.

const RESTS_MS = 40000; // so long the slate is left to be read, and a moment to be seen
const AGAIN_AFTER_MS = 30000; // at the soonest; a round that lasts longer is shown to its end
const TITLE_MS = 8000;
const PAGE_MS = 15000;
const WAITS_MS = 8000;

const pause = document.getElementById("break");
const wantsNoMotion = matchMedia("(prefers-reduced-motion: reduce)");
let restsAt; // the step at which the table rests, or none
let pauseLater;

function followRest() {
  const { seq, rests } = document.getElementById("table").dataset;
  const now = rests === undefined ? null : seq;
  if (now === restsAt) return;
  restsAt = now;
  clearTimeout(pauseLater);
  pause.hidden = true;
  if (now !== null) pauseLater = setTimeout(showPause, RESTS_MS);
}

async function showPause() {
  const asked = restsAt;
  try {
    const signal = AbortSignal.timeout(WAITS_MS);
    const answer = await fetch(`/tv/break${location.search}`, { signal });
    const text = answer.status === 200 ? await answer.text() : null;
    if (asked !== restsAt) return;
    if (text !== null) {
      const page = new DOMParser().parseFromString(text, "text/html");
      pause.replaceChildren(...page.body.childNodes);
    }
    pause.hidden = text === null;
  } catch {
    // what stands there stays: the slate says aloud that the connection is lost
  }
  if (asked === restsAt) showTurn(turns());
}

// What takes turns, each with how long it stands. The rarest title comes last. Where nothing is to
// move all titles stand there at once, and the evening beside the honours as where there are none.
function turns() {
  const titles = [...pause.querySelectorAll(".title")];
  if (!titles.length) return [];
  const isStill = wantsNoMotion.matches || document.body.classList.contains("theme-quiet");
  pause.classList.toggle("is-still", isStill);
  if (isStill) return [".titles", ".halves"].map((one) => [pause.querySelector(one), PAGE_MS]);
  const pages = [...pause.querySelectorAll(".halves > *")];
  return [...titles.reverse().map((one) => [one, TITLE_MS]), ...pages.map((one) => [one, PAGE_MS])];
}

// Show the first of those that are left, and let the others follow; then all is read anew.
function showTurn(left, shownMs = 0) {
  const [turn, ...others] = left;
  if (turn) showAlone(turn[0]);
  const ownMs = turn ? turn[1] : 0;
  const lastsMs = others.length ? ownMs : Math.max(ownMs, AGAIN_AFTER_MS - shownMs);
  const next = others.length ? () => showTurn(others, shownMs + lastsMs) : showPause;
  pauseLater = setTimeout(next, lastsMs);
}

function showAlone(shown) {
  for (const one of pause.querySelectorAll(".titles, .title, .halves, .halves > *")) {
    one.hidden = !one.contains(shown) && !shown.contains(one);
  }
}

document.addEventListener("drawn", followRest);
followRest();
