import { Live } from "./live.js";
import "./break.js";
import "./countdown.js";
import "./fit.js";
import "./reactions.js";

const calls = document.getElementById("calls");
let caller;
let seen;

new Live(`/tv/slate${location.search}`, (board) => {
  seen = board;
  caller?.heed(board);
});

// The screen calls out what happens where somebody switched that on, on the screen itself or by
// ?sound=on for one that nobody can reach. Browsers want a tap first; then the button says so.
async function sound(isOn) {
  localStorage.setItem("calls", isOn ? "on" : "off");
  calls.setAttribute("aria-pressed", isOn);
  if (!isOn) {
    caller?.end();
    caller = undefined;
    return;
  }
  caller = await import("./calls.js");
  // It waits for a tap where there has been none.
  caller.begin().then(tell);
  tell();
  if (seen) caller.heed(seen);
}

function tell() {
  calls.classList.toggle("wants-a-tap", Boolean(caller) && !caller.isAllowed());
}

try {
  const asked = new URLSearchParams(location.search).get("sound") ?? localStorage.getItem("calls");
  calls.hidden = false;
  if (asked === "on") sound(true);
  calls.addEventListener("click", () => sound(!caller || !caller.isAllowed()));
} catch {
  // a browser that keeps nothing remembers no choice either
}
