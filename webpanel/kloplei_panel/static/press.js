// Send what is pressed. A press goes out now or not at all: nothing is kept for later, for
// the question it answered may be closed by then.

const ANSWER_MS = 8000;
const TOAST_MS = 5000;
const LETTER_MS = 75; // a long sentence takes longer to read
const RESTS_MS = 500; // a tap so soon was meant for what lay under the thumb before

const toast = document.getElementById("toast");
let hideLater;

export function say(sentence) {
  toast.textContent = sentence;
  toast.classList.add("is-up");
  clearTimeout(hideLater);
  const reading = Math.max(TOAST_MS, sentence.length * LETTER_MS);
  hideLater = setTimeout(hush, reading);
}

function hush() {
  clearTimeout(hideLater);
  toast.classList.remove("is-up");
}

if (toast.textContent) say(toast.textContent); // a form was answered with a whole page

export function listen(live) {
  document.addEventListener("submit", (event) => {
    const form = event.target;
    if (!form.matches("[data-act]")) return;
    event.preventDefault();
    press(form, event.submitter, live);
  });
}

// What fills the phone comes and goes beneath thumbs that were about to press something else.
let filled = thumbs()?.id;
let resting;

function thumbs() {
  return document.querySelector(".thumbs");
}

document.addEventListener("drawn", () => {
  const now = thumbs()?.id;
  if (now !== filled) {
    clearTimeout(resting);
    resting = setTimeout(rested, RESTS_MS);
  }
  filled = now;
  if (resting) thumbs()?.setAttribute("inert", "");
});

function rested() {
  resting = null;
  thumbs()?.removeAttribute("inert");
}

async function press(form, button, live) {
  if (button?.ariaBusy === "true") return; // a double tap is one press
  if (live.isLost) return say(live.bar.dataset.unsent);
  const fields = new FormData(form, button);
  // What nobody fills in is one field of the form; as many fields took half of a page.
  for (const [name, told] of new URLSearchParams(fields.get("ask") ?? "")) fields.append(name, told);
  button?.setAttribute("aria-busy", "true");
  try {
    const answer = await fetch(addressOf(fields), {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(askOf(fields)),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    // What was told in confidence does not stay chosen, whatever came of it.
    if (answer.ok || "secret" in form.dataset) done(form);
    if (answer.ok) hush(); // what was refused before has been put right
    if (!answer.ok) say((await answer.json()).message);
  } catch {
    say(live.bar.dataset.unsent);
  } finally {
    button?.removeAttribute("aria-busy");
    live.redraw();
  }
}

function done(form) {
  form.reset();
  if (!("stays" in form.dataset)) shut(form.closest("details.sheet"));
  navigator.vibrate?.(20);
}

// A sheet may lie within another one, whose question is answered as well.
function shut(sheet) {
  for (; sheet; sheet = sheet.parentElement.closest("details.sheet")) sheet.removeAttribute("open");
}

// What opens under the bar at the thumb comes into view.
document.addEventListener("toggle", bringUp, true);

function bringUp({ target }) {
  if (target.open && target.matches("details.sheet")) target.scrollIntoView({ block: "nearest" });
}

function addressOf(fields) {
  const seat = fields.get("seat");
  return seat ? `/api/v1/seats/${seat}/actions` : "/api/v1/actions";
}

// `seen` is what the reader looks at now, not what stood there when a sheet was opened.
function askOf(fields) {
  const { seq, seat } = document.getElementById("table").dataset;
  const ask = { action: fields.get("action"), seen: Number(seq) };
  if (seat) ask.by = Number(seat) || seat; // who presses: the log tells it from whom it is about
  if (fields.get("waits")) ask.waits = true;
  for (const [name, value] of fields) {
    if (name.startsWith("option.")) ask.options ??= {}; // all of them empty is an answer too
    if (value === "") continue;
    if (name.startsWith("option.")) ask.options[name.slice(7)] = value;
    if (name.startsWith("fact.")) ask[name.slice(5)] = JSON.parse(value);
    if (name.startsWith("text.")) ask[name.slice(5)] = value;
    if (name.startsWith("share.")) shareIn(ask, name.split("."), Number(value));
  }
  return ask;
}

// share.<need>.<place>: the number of one player, counted from 1.
function shareIn(ask, [, need, place], number) {
  ask[need] ??= [];
  ask[need][place - 1] = number;
}
