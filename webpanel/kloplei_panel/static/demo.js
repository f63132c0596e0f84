// The virtual table: hands on the wood, the OLED as it stands, lamp and buzzer, bots.

import { lookAtSlate } from "./glass.js";
import { Live } from "./live.js";
import { say } from "./press.js";
import { chosen, hearOf, moveHand, ripple, spotOf, spotUnder } from "./tabletop.js";
import "./countdown.js";

const HOLD_MS = 450; // a press on a name that lasts longer moves the button, a shorter one knocks
const PRESS_S = 0.12; // ... but where the wood is deaf it moves the button for so long
const MOVING_MS = 250; // how often the box is looked at while something on it moves
const CALM_MS = 1000; // ... and while nothing does: its faces come and go by themselves
const STILL_MS = 3500; // after so long without news nothing moves any more

const oled = document.getElementById("oled");
const lamp = document.getElementById("lamp");
const buzzer = document.getElementById("buzzer");
const hertz = document.getElementById("buzzer-hz");
const tick = document.getElementById("tick");
let movesUntil = performance.now() + STILL_MS;
let isLooking = false;
let nextLook;
let botsAsked = Promise.resolve(); // what they were last asked, until that is answered

const live = new Live(`/demo/table${location.search}`, (board) => {
  const goesOn = board.grace || board.doubt || board.asking || board.heard;
  stir(goesOn ? 2 * STILL_MS : STILL_MS);
  hearOf();
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

async function land(spot) {
  const kind = chosen();
  if (tick.checked) tok(kind);
  ripple(spot);
  await post("/demo/strike", { kind, ...spot });
  hearOf();
}

const hold = (seat, forS) => post(`/demo/seats/${seat}/hold`, { for_s: Math.min(10, forS) });

// A short press at a place: on the wood before it, or where that is deaf on its button.
function touch(seat, spot) {
  if ("deaf" in document.getElementById("table").dataset) hold(seat, PRESS_S);
  else land(spot);
}

// A finger, a mouse or a key on its way down; what it does shows when it comes up again.
class Press {
  constructor(seat, spot) {
    this.seat = seat;
    this.spot = spot;
    this.since = performance.now();
    this.pad?.classList.add("down");
  }

  get pad() {
    return document.getElementById(`pad-${this.seat}`);
  }

  end() {
    this.cancel();
    const lasted = performance.now() - this.since;
    if (!this.seat) land(this.spot);
    else if (lasted < HOLD_MS) touch(this.seat, this.spot);
    else hold(this.seat, Math.max(1, lasted / 1000));
  }

  cancel() {
    this.pad?.classList.remove("down");
  }
}

const presses = new Map(); // by pointer or key

document.addEventListener("pointerdown", (event) => {
  const pressed = event.target.closest("[data-pad], #wood");
  if (!pressed || event.button !== 0) return;
  const seat = pressed.dataset.pad; // a mat stands for the wood at its place, wherever it is hit
  const press = new Press(seat, seat ? spotOf(seat) : spotUnder(event));
  // A thumb on the wood may be about to scroll; a mouse button is meant.
  if (!press.seat && event.pointerType === "mouse") press.end();
  else presses.set(event.pointerId, press);
});
document.addEventListener("pointerup", (event) => {
  presses.get(event.pointerId)?.end();
  presses.delete(event.pointerId);
});
document.addEventListener("pointercancel", (event) => {
  presses.get(event.pointerId)?.cancel();
  presses.delete(event.pointerId);
});
document.addEventListener("contextmenu", (event) => {
  if (event.target.closest("[data-pad], #wood")) event.preventDefault(); // a long press on a phone
});
// Without this page's script a pad sends its form. With it a click has landed already, unless it
// came without a pointer: by Enter or space on a pad that has the focus, or from a reader's software.
document.addEventListener("click", (event) => {
  const pad = event.target.closest("[data-pad]");
  if (!pad) return;
  event.preventDefault();
  if (event.detail === 0) touch(pad.dataset.pad, spotOf(pad.dataset.pad));
});
moveHand(land);

const isTyping = (node) => node.matches("input:not([type=checkbox], [type=radio]), select, textarea");
document.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && event.target.matches("[name=kind]")) event.preventDefault();
  if (event.repeat || event.ctrlKey || event.altKey || event.metaKey || isTyping(event.target)) return;
  if (!document.getElementById(`pad-${event.key}`)) return;
  presses.set(event.key, new Press(event.key, spotOf(event.key)));
});
document.addEventListener("keyup", (event) => {
  presses.get(event.key)?.end();
  presses.delete(event.key);
});

// How each thing sounds: its tone as it lands and as it fades, in hertz, and for how long.
const TONES = {
  knuckle: [190, 70, 0.09], soft: [150, 70, 0.07], bump: [80, 40, 0.16], drum: [160, 90, 0.05],
  glass: [2100, 1900, 0.14], keys: [2300, 1700, 0.08], phone: [170, 170, 0.5],
  card: [700, 200, 0.03], deal: [900, 400, 0.05], dice: [1200, 500, 0.05],
};
let sound;
function tok(kind) {
  const [lands, fades, lasts] = TONES[kind];
  sound ??= new AudioContext();
  const blow = sound.createOscillator();
  const fade = sound.createGain();
  blow.frequency.setValueAtTime(lands, sound.currentTime);
  blow.frequency.exponentialRampToValueAtTime(fades, sound.currentTime + 0.8 * lasts);
  fade.gain.setValueAtTime(0.5, sound.currentTime);
  fade.gain.exponentialRampToValueAtTime(0.001, sound.currentTime + lasts);
  blow.connect(fade).connect(sound.destination);
  blow.start();
  blow.stop(sound.currentTime + lasts + 0.01);
}

// ---- the box ----

function stir(forMs) {
  movesUntil = Math.max(movesUntil, performance.now() + forMs);
  if (!isLooking) look();
}

async function look() {
  clearTimeout(nextLook);
  isLooking = true;
  try {
    await Promise.all([lookAtSlate(oled), lookAtParts()]);
  } catch {
    // live says so when the connection is gone
  }
  isLooking = false;
  if (document.hidden) return;
  nextLook = setTimeout(look, performance.now() < movesUntil ? MOVING_MS : CALM_MS);
}

async function lookAtParts() {
  const asked = botsAsked;
  await asked;
  const box = await (await fetch("/demo/box")).json();
  lamp.style.backgroundColor = box.lamp;
  lamp.style.boxShadow = box.lamp === "#000000" ? "" : `0 0 14px ${box.lamp}`;
  buzzer.classList.toggle("is-on", box.buzzer_hz !== null);
  const tone = box.buzzer_hz === null ? "–" : `${Math.round(box.buzzer_hz)} Hz`;
  if (hertz.textContent !== tone) hertz.textContent = tone;
  if (asked === botsAsked) showBots(box.bots_speed); // or a tick would go back
}

document.addEventListener("visibilitychange", () => document.hidden || stir(STILL_MS));

// ---- bots, and the phone beside the table ----

const isOn = document.getElementById("bots-on");
const speed = document.getElementById("bots-speed");
const times = document.getElementById("bots-times");

function tell(pace) {
  times.textContent = `${Number(pace.toPrecision(2))}×`;
}

// Somebody else may have asked them, or whoever started the table.
function showBots(pace) {
  isOn.checked = pace !== null;
  if (pace === null || document.activeElement === speed) return; // nobody's hand is moved
  speed.value = Math.log2(pace);
  tell(pace);
}

function askBots() {
  const pace = 2 ** Number(speed.value);
  tell(pace);
  const ask = isOn.checked ? { speed: pace } : { on: false };
  botsAsked = botsAsked.then(() => post("/demo/bots", ask)); // the last word is the last heard
}
isOn.addEventListener("change", askBots);
speed.addEventListener("change", askBots);

const phone = document.getElementById("phone");
document.getElementById("phone-seat").addEventListener("change", (event) => {
  phone.src = `/?seat=${event.target.value}`;
});

stir(STILL_MS);
