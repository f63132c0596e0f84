// The table top is drawn again as soon as something else is said of it; nothing is kept until then.

import { morph } from "./morph.js";

const wood = document.getElementById("wood");
const drawn = document.querySelector("svg.top");
let asked = 0;

async function draw() {
  const told = new FormData(wood);
  told.set("draw", "1");
  const number = ++asked;
  try {
    const answer = await fetch(wood.action, { method: "POST", body: new URLSearchParams(told) });
    if (!answer.ok || number !== asked) return; // half a number is no size yet
    const page = new DOMParser().parseFromString(await answer.text(), "text/html");
    morph(drawn, page.querySelector("svg.top"));
  } catch {
    // the drawing stays as it was; whoever saves is told what is wrong
  }
}

wood?.addEventListener("input", draw);
