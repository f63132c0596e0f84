// Look several times a second while somebody tunes, now and then else; a pocket asks nothing.

import { morph } from "./morph.js";

const TUNED_MS = 350;
const IDLE_MS = 3000;
const PATIENCE_MS = 8000;

const tuned = document.getElementById("tune");
const lost = document.getElementById("lost");

async function look() {
  if (!document.hidden) await redraw();
  const { step } = tuned.dataset;
  setTimeout(look, !step || step === "idle" ? IDLE_MS : TUNED_MS);
}

async function redraw() {
  try {
    const answer = await fetch(tuned.dataset.now + location.search, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    morph(tuned, page.getElementById("tune"));
    lost.hidden = true;
    countDown();
  } catch {
    lost.textContent = lost.dataset.lost;
    lost.hidden = false;
  }
}

let beat;

// Between two looks a beat may fall: who records knocks when it does.
function countDown() {
  clearTimeout(beat);
  const count = document.getElementById("count");
  if (!count?.dataset.inMs) return;
  beat = setTimeout(() => {
    count.textContent = count.dataset.go;
    count.classList.add("now");
  }, Number(count.dataset.inMs));
}

look();
