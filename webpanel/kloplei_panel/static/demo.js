// The virtual table: hands on the pads, the OLED as it stands, lamp and buzzer, bots.

import { Live } from "./live.js";
import { say } from "./press.js";
import "./grace.js";

const HOLD_MS = 450; // a press that lasts longer moves the button, a shorter one knocks
const MOVING_MS = 250; // how often the box is looked at while something on it moves
const STILL_MS = 3500; // after so long without news nothing moves any more

const oled = document.getElementById("oled");
const lamp = document.getElementById("lamp");
const buzzer = document.getElementById("buzzer");
const hertz = document.getElementById("buzzer-hz");
const tick = document.getElementById("tick");
let movesUntil = performance.now() + STILL_MS;
let isLooking = false;

const live = new Live(`/demo/table${location.search}`, (board) => {
  const goesOn = board.grace || board.asking || board.heard;
  stir(goesOn ? 2 * STILL_MS : STILL_MS);
});

// ---- hands ----

async function post(path, ask) {
  stir(STILL_MS);
  try {
    const answer = await fetch(path, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(ask),
    });
    if (!answer.ok) say((await answer.json()).message);
  } catch {
    say(live.bar.dataset.unsent);
  }
}

class Press {
  constructor(seat) {
    this.seat = seat;
    this.since = performance.now();
    document.getElementById(`pad-${seat}`)?.classList.add("down");
  }

  end() {
    document.getElementById(`pad-${this.seat}`)?.classList.remove("down");
    const lasted = performance.now() - this.since;
    if (lasted < HOLD_MS) knock(this.seat);
    else post(`/demo/seats/${this.seat}/hold`, { for_s: Math.min(10, Math.max(1, lasted / 1000)) });
  }
}

function knock(seat) {
  if (tick.checked) tok();
  post(`/demo/seats/${seat}/knock`, { times: 1 });
}

const presses = new Map(); // by pointer or key

document.addEventListener("pointerdown", (event) => {
  const pad = event.target.closest("[data-pad]");
  if (pad && event.button === 0) presses.set(event.pointerId, new Press(pad.dataset.pad));
});
for (const kind of ["pointerup", "pointercancel"]) {
  document.addEventListener(kind, (event) => {
    presses.get(event.pointerId)?.end();
    presses.delete(event.pointerId);
  });
}
document.addEventListener("contextmenu", (event) => {
  if (event.target.closest("[data-pad]")) event.preventDefault(); // a long press on a phone
});
// Enter or space on a pad that has the focus, or a reader's software: a click without pointer.
document.addEventListener("click", (event) => {
  const pad = event.target.closest("[data-pad]");
  if (pad && event.detail === 0) knock(pad.dataset.pad);
});

const isTyping = (node) => node.matches("input:not([type=checkbox]), select, textarea");
document.addEventListener("keydown", (event) => {
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  if (document.getElementById(`pad-${event.key}`)) presses.set(event.key, new Press(event.key));
});
document.addEventListener("keyup", (event) => {
  presses.get(event.key)?.end();
  presses.delete(event.key);
});

let ear;
function tok() {
  ear ??= new AudioContext();
  const blow = ear.createOscillator();
  const fade = ear.createGain();
  blow.frequency.setValueAtTime(190, ear.currentTime);
  blow.frequency.exponentialRampToValueAtTime(70, ear.currentTime + 0.07);
  fade.gain.setValueAtTime(0.5, ear.currentTime);
  fade.gain.exponentialRampToValueAtTime(0.001, ear.currentTime + 0.09);
  blow.connect(fade).connect(ear.destination);
  blow.start();
  blow.stop(ear.currentTime + 0.1);
}

// ---- the box ----

function stir(forMs) {
  movesUntil = Math.max(movesUntil, performance.now() + forMs);
  if (!isLooking) look();
}

async function look() {
  isLooking = true;
  try {
    await Promise.all([lookAtSlate(), lookAtParts()]);
  } catch {
    // live says so when the connection is gone
  }
  if (performance.now() < movesUntil && !document.hidden) setTimeout(look, MOVING_MS);
  else isLooking = false;
}

async function lookAtSlate() {
  const answer = await fetch("/slate.png?scale=4");
  if (!answer.ok) return;
  const before = oled.src;
  oled.src = URL.createObjectURL(await answer.blob());
  await oled.decode();
  if (before.startsWith("blob:")) URL.revokeObjectURL(before);
}

async function lookAtParts() {
  const box = await (await fetch("/demo/box")).json();
  lamp.style.backgroundColor = box.lamp;
  lamp.style.boxShadow = box.lamp === "#000000" ? "" : `0 0 14px ${box.lamp}`;
  buzzer.classList.toggle("is-on", box.buzzer_hz !== null);
  hertz.textContent = box.buzzer_hz === null ? "–" : `${Math.round(box.buzzer_hz)} Hz`;
  isOn.checked = box.bots_speed !== null;
}

document.addEventListener("visibilitychange", () => document.hidden || stir(STILL_MS));

// ---- bots, and the phone beside the table ----

const isOn = document.getElementById("bots-on");
const speed = document.getElementById("bots-speed");
const times = document.getElementById("bots-times");

function askBots() {
  const pace = 2 ** Number(speed.value);
  times.textContent = `${Number(pace.toPrecision(2))}×`;
  post("/demo/bots", isOn.checked ? { speed: pace } : { on: false });
}
isOn.addEventListener("change", askBots);
speed.addEventListener("change", askBots);

const phone = document.getElementById("phone");
document.getElementById("phone-seat").addEventListener("change", (event) => {
  phone.src = `/?seat=${event.target.value}`;
});

stir(STILL_MS);
