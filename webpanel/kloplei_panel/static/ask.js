// A form that is answered while it is filled in: the server answers each press with the whole
// page, and morph puts it in place. `data-ask` names the part of the page that it answers with.

import { morph } from "./morph.js";

const PATIENCE_MS = 8000;

let asked = Promise.resolve();
let waiting = 0;

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-ask]")) return;
  event.preventDefault();
  ask(event.target, event.submitter);
});

document.addEventListener("change", (event) => {
  const form = event.target.closest("[data-ask]");
  if (form) ask(form);
});

// One after the other: each press goes by what came of the one before, however quick the thumb.
function ask(form, button) {
  waiting += 1;
  asked = asked.then(() => send(form, button)).finally(() => (waiting -= 1));
}

async function send(form, button) {
  try {
    const answer = await fetch(...request(form, new FormData(form, button)));
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById(form.dataset.ask);
    if (!fresh) throw new Error(answer.status);
    morph(document.getElementById(form.dataset.ask), fresh);
    if (waiting === 1) form.reset(); // what is picked is what the server says is picked
    if (form.method === "get") history.replaceState(null, "", answer.url); // for a reload
  } catch {
    form.submit(); // the browser itself says what is wrong with the line
  }
}

function request(form, fields) {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  if (form.method === "post") return [form.action, { method: "POST", body: fields, signal }];
  const address = new URL(form.action);
  address.search = new URLSearchParams(fields);
  return [address, { signal }];
}
