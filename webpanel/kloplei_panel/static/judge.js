// Lay a card without losing one's place on the page: the server judges, morph puts it in place.

import { morph } from "./morph.js";

const PATIENCE_MS = 8000;
const form = () => document.querySelector("[data-judge]");

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-judge]")) return;
  event.preventDefault();
  send(event.submitter);
});

document.addEventListener("change", (event) => {
  if (event.target.closest("[data-judge]")) send();
});

async function send(button) {
  const asked = form();
  try {
    const answer = await fetch(asked.action, {
      method: "POST",
      body: new FormData(asked, button),
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("judge");
    if (!fresh) throw new Error(answer.status);
    morph(document.getElementById("judge"), fresh);
  } catch {
    asked.submit(); // the browser itself says what is wrong with the line
  }
}
