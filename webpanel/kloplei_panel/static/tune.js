// Look several times a second while somebody tunes, now and then else; a pocket asks nothing.

import { morph } from "./morph.js";

const TUNED_MS = 350;
const IDLE_MS = 3000;
const PATIENCE_MS = 8000;

const lost = document.getElementById("lost");

async function look() {
  if (!document.hidden) await redraw();
  const { step } = document.getElementById("tune").dataset;
  setTimeout(look, !step || step === "idle" ? IDLE_MS : TUNED_MS);
}

async function redraw() {
  try {
    const answer = await fetch(`/tune/now${location.search}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    morph(document.getElementById("tune"), page.getElementById("tune"));
    lost.hidden = true;
  } catch {
    lost.textContent = lost.dataset.lost;
    lost.hidden = false;
  }
}

look();
