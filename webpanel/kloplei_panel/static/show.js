// The whole evening at once: the frames follow the table by themselves, the glass is looked at.

import { lookAtSlate } from "./glass.js";

const EVERY_MS = 250;
const oled = document.getElementById("oled");

async function look() {
  try {
    if (!document.hidden) await lookAtSlate(oled);
  } catch {
    // the frames say so when the connection is gone
  }
  setTimeout(look, EVERY_MS);
}

look();
