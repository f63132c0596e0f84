// The wood: whatever is pressed lets the chosen thing land there. The wave is drawn running out,
// slowed down so that eyes can follow it, and the discs light up as it passes under them.

import { morph } from "./morph.js";

const SHOWN_M_S = 0.95; // in wood it is some 500 times as fast
const FADED_MS = 1500;
const LOOK_MS = 120; // how often we ask what the box has made of it
const AT_MOST_MS = 6000; // as long as that: the longest thing buzzes for a second
const STEP = 0.04; // of the table: how far an arrow key moves the hand

const wood = document.getElementById("wood");
const waves = document.getElementById("waves");
const rings = document.getElementById("rings");
const marks = document.getElementById("marks");
const hand = document.getElementById("hand");
const ear = document.getElementById("ear");
const [, , long, wide] = waves.getAttribute("viewBox").split(" ").map(Number);
const isStill = matchMedia("(prefers-reduced-motion: reduce)");

export const chosen = () => document.querySelector("[name=kind]:checked").value;

// ---- places ----

export function spotUnder(event) {
  const box = wood.getBoundingClientRect();
  const part = (at, from, size) => Math.min(1, Math.max(0, (at - from) / size));
  return { x: part(event.clientX, box.left, box.width), y: part(event.clientY, box.top, box.height) };
}

export function spotOf(seat) {
  const { x, y } = document.getElementById(`place-${seat}`).dataset;
  return { x: Number(x), y: Number(y) };
}

// ---- what is seen of a wave ----

function draw(name, attributes, parent) {
  const drawn = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) drawn.setAttribute(key, value);
  return parent.appendChild(drawn);
}

export function ripple({ x, y }) {
  for (const disc of document.querySelectorAll(".disc")) passUnder(disc, x, y);
  if (isStill.matches) return;
  const reach = Math.hypot(long, wide) / 1.4;
  for (const [delay, opacity] of [[0, 0.85], [130, 0.5], [260, 0.3]]) {
    const ring = draw("circle", { class: "ring", cx: x * long, cy: y * wide, r: reach }, rings);
    ring.style.transformOrigin = `${x * long}px ${y * wide}px`;
    const run = ring.animate(
      [{ transform: "scale(.01)", opacity }, { transform: "scale(1)", opacity: 0 }],
      { duration: reach / SHOWN_M_S, delay, easing: "linear" },
    );
    run.onfinish = () => ring.remove();
  }
}

function passUnder(disc, x, y) {
  const circle = disc.querySelector("circle");
  const way = Math.hypot(circle.cx.baseVal.value - x * long, circle.cy.baseVal.value - y * wide);
  const delay = isStill.matches ? 0 : way / SHOWN_M_S;
  setTimeout(() => disc.classList.add("felt"), delay);
  setTimeout(() => disc.classList.remove("felt"), delay + 260);
}

const SIGNS = {
  knock: "m-14 1 9 10 19-21",
  doubtful: "M-8-7c1-13 19-11 16 0-2 6-8 6-8 12m0 9v.1",
  noise: "m-11-11 22 22m0-22-22 22",
  unfelt: "m-12 0h24",
  unheeded: "m-12 0h24",
  waiting: "m-12 0h.1m12 0h.1m12 0h.1",
};

function drawMarks() {
  marks.replaceChildren();
  for (const disc of document.querySelectorAll(".disc.named")) disc.classList.remove("named");
  const told = [...ear.querySelectorAll(".told")];
  told.toReversed().forEach((one) => drawMark(one, one !== told[0]));
}

function endOf(seat, circle) {
  const place = spotOf(seat);
  if (!circle) return { x2: place.x * long, y2: place.y * wide };
  return { x2: circle.cx.baseVal.value, y2: circle.cy.baseVal.value };
}

function drawMark(one, isOlder) {
  const { x, y, outcome, seat } = one.dataset;
  const at = { x: x * long, y: y * wide };
  const mark = draw("g", { class: `mark ${outcome}${isOlder ? " older" : ""}` }, marks);
  if (seat && !isOlder) {
    const disc = document.getElementById(`disc-${seat}`); // in the corners none is a seat's own
    disc?.classList.add("named");
    draw("line", { x1: at.x, y1: at.y, ...endOf(seat, disc?.querySelector("circle")) }, mark);
  }
  draw("circle", { cx: at.x, cy: at.y, r: 30 }, mark);
  draw("path", { d: SIGNS[outcome], transform: `translate(${at.x} ${at.y})` }, mark);
}

// ---- what the box made of it ----

let askUntil = 0;
let isAsking = false;

// Ask until all that landed has been judged; several strikes share one asking.
export function hearOf() {
  askUntil = performance.now() + AT_MOST_MS;
  if (!isAsking) ask();
}

async function ask() {
  isAsking = true;
  try {
    const answer = await fetch(`/demo/ear${location.search}`);
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    const fresh = page.getElementById("ear");
    if (answer.ok && fresh && fresh.outerHTML !== ear.outerHTML) {
      morph(ear, fresh);
      drawMarks();
    }
  } catch {
    // live says so when the connection is gone
  }
  const waits = "listening" in ear.dataset;
  if (waits && performance.now() < askUntil && !document.hidden) setTimeout(ask, LOOK_MS);
  else isAsking = false;
}

// ---- the hand that keys move ----

export function moveHand(land) {
  const at = { x: 0.5, y: 0.5 };
  const ways = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };
  hand.hidden = false;
  hand.addEventListener("keydown", (event) => {
    const way = ways[event.key];
    if (!way) return;
    event.preventDefault();
    at.x = Math.min(1, Math.max(0, at.x + STEP * way[0]));
    at.y = Math.min(1, Math.max(0, at.y + STEP * way[1]));
    hand.style.left = `${100 * at.x}%`;
    hand.style.top = `${100 * at.y}%`;
  });
  hand.addEventListener("click", () => land({ ...at }));
}

drawMarks();
hearOf();
