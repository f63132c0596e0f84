import { Live } from "./live.js";
import "./break.js";
import "./countdown.js";
import "./fit.js";
import "./reactions.js";

const calls = document.getElementById("calls");
let caller;
let isWanted = false;
let seen;

new Live(`/tv/slate${location.search}`, (board) => {
  seen = board;
  caller?.heed(board);
});

// The screen calls out what happens where somebody switched that on, on the screen itself or by
// ?sound=on for one that nobody can reach. Browsers want a tap first; then the button says so.
async function sound(isOn) {
  isWanted = isOn;
  remember(isOn);
  calls.setAttribute("aria-pressed", isOn);
  if (!isOn) {
    caller?.end();
    caller = undefined;
    return;
  }
  const loaded = await import("./calls.js");
  if (!isWanted) return;
  caller = loaded;
  // It waits for a tap where there has been none.
  caller.begin().then(tell);
  tell();
  if (seen) caller.heed(seen);
}

function tell() {
  calls.classList.toggle("wants-a-tap", Boolean(caller) && !caller.isAllowed());
}

// A browser that keeps nothing remembers no choice, and calls all the same.
function remember(isOn) {
  try {
    localStorage.setItem("calls", isOn ? "on" : "off");
  } catch {
    // as above
  }
}

function remembered() {
  try {
    return localStorage.getItem("calls");
  } catch {
    return null;
  }
}

calls.hidden = false;
calls.addEventListener("click", () => sound(!caller || !caller.isAllowed()));
const asked = new URLSearchParams(location.search).get("sound") ?? remembered();
if (asked === "on") sound(true);
