// While nobody plays the large screen shows the evening so far, and the table of honour. Whatever
// happens at the table ends it at once.

const RESTS_MS = 40000; // so long the slate is left to be read, and a moment to be seen
const AGAIN_AFTER_MS = 30000;
const WAITS_MS = 8000;

const pause = document.getElementById("break");
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
  if (asked === restsAt) pauseLater = setTimeout(showPause, AGAIN_AFTER_MS);
}

document.addEventListener("drawn", followRest);
followRest();
