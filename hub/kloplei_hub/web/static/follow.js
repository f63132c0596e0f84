// What moves on a page of the house: ask for the next one, put it in place, ask again. The answer
// comes when there is something new, or after a while without; who gets one at once did not find
// room to wait, and leaves the house in peace for a moment.

import { morph } from "/static/morph.js";

const BREATH_MS = 400;
const PEACE_MS = 2000;
const LOST_MS = 4000;
const lost = document.getElementById("lost");
const sleep = (ms) => new Promise((done) => setTimeout(done, ms * (1 + Math.random() / 2)));
const isSeen = () => new Promise((done) => {
  if (!document.hidden) return done();
  document.addEventListener("visibilitychange", done, { once: true });
});

async function next() {
  const live = document.getElementById("live");
  const begun = performance.now();
  const answer = await fetch(`${live.dataset.after}${live.dataset.version}?lang=${document.documentElement.lang}`, { credentials: "omit" });
  if (answer.status === 404) return location.reload();
  if (!answer.ok) throw new Error(answer.status);
  lost.hidden = true;
  if (answer.status === 204) return performance.now() - begun < PEACE_MS ? sleep(PEACE_MS) : undefined;
  const fresh = new DOMParser().parseFromString(await answer.text(), "text/html").getElementById("live");
  if (fresh) morph(live, fresh);
  return sleep(BREATH_MS);
}

for (;;) {
  await isSeen();
  try {
    await next();
  } catch {
    lost.hidden = false;
    await sleep(LOST_MS);
  }
}
