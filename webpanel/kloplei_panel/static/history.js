// An evening that is played follows what is played, put right and forgotten; one button copies what
// one sends to friends. On a plain network there is no clipboard for pages, so the old way does it;
// where neither works the text stands there to be marked.

import { morph } from "./morph.js";

const LOOK_MS = 8000; // hands take minutes
const PATIENCE_MS = 8000;
const told = document.getElementById("told");
const button = document.getElementById("copy");
const text = document.getElementById(button?.dataset.from ?? "");

if (button && text) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = button.textContent;
    const copied = (await byClipboard(text.value)) || byHand(text);
    button.textContent = copied ? button.dataset.copied : said;
    if (!copied) document.getElementById("text").open = true;
    setTimeout(() => { button.textContent = said; }, 3000);
  });
}

async function look() {
  const { follows, tag } = told.dataset;
  if (!follows) return; // it is over, and nothing changes any more
  if (!document.hidden) await renew(follows, tag).catch(() => {}); // it looks again soon
  setTimeout(look, LOOK_MS);
}

async function renew(address, tag) {
  const headers = { "If-None-Match": `"${tag}"` };
  const answer = await fetch(address, { headers, signal: AbortSignal.timeout(PATIENCE_MS) });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const copy = page.getElementById("copy");
  if (copy && button) { // it is here already, and says perhaps that it has copied
    copy.hidden = button.hidden;
    copy.textContent = button.textContent;
  }
  morph(told, page.getElementById("told"));
}

setTimeout(look, LOOK_MS);

async function byClipboard(written) {
  try {
    await navigator.clipboard.writeText(written);
    return true;
  } catch {
    return false;
  }
}

function byHand(area) {
  const sheet = document.getElementById("text");
  const was = sheet.open;
  sheet.open = true;
  area.select();
  const copied = document.execCommand("copy");
  sheet.open = was;
  return copied;
}
