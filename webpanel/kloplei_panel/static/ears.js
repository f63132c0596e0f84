// Look at what was heard every few seconds while somebody looks; a page in a pocket asks nothing.

import { morph } from "./morph.js";

const EVERY_MS = 3000;
const PATIENCE_MS = 8000;

const lost = document.getElementById("lost");
let looking = false;

async function look() {
  if (document.hidden || looking) return;
  looking = true;
  try {
    const answer = await fetch(`/ears/heard${location.search}`, {
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    if (!answer.ok) throw new Error(answer.status);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    morph(document.getElementById("heard"), page.getElementById("heard"));
    lost.hidden = true;
  } catch {
    lost.textContent = lost.dataset.lost;
    lost.hidden = false;
  } finally {
    looking = false;
  }
}

setInterval(look, EVERY_MS);
document.addEventListener("visibilitychange", look);
