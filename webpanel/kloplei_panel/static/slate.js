import { Live } from "./live.js";
import { listen } from "./press.js";
import "./countdown.js";
import "./shares.js";
import "./keypad.js";

document.body.classList.toggle("framed", self !== top);
// A form that was refused left its own address, which a reload would send once more.
if (location.pathname !== "/") history.replaceState(null, "", `/${location.search}`);
// Tones are fetched by a phone that was asked for them, and by no other.
let own;
let first;
let seen;
try {
  if (localStorage.length) {
    import("./own.js").then((found) => {
      own = found;
      if (!seen) return;
      own.call(seen);
      // What came while they were fetched is new, but for the first board.
      for (const board of [first, seen]) own.heed(board, seat());
    });
  }
} catch {
  // a browser that keeps nothing was asked for nothing
}
const live = new Live(`/slate${location.search}`, accompany);
listen(live);

// Who was let in on one tab, or in one frame of the demo, has the right in all of them: a page that
// was loaded has the others follow anew, as who they are by now.
const others = new BroadcastChannel("slate");
others.onmessage = () => live.open();
others.postMessage("loaded");

// Who moves takes the phone along, whether they moved themselves, were moved by the keeper, or
// had it taken back; the keeper's stays where it is. Nothing is loaded anew: where the Wi-Fi is
// weak that would leave a page of the browser's, which never comes back.
let person = document.querySelector("#table .row.mine .name")?.title;

function accompany(board) {
  first ??= board;
  seen = board;
  own?.call(board);
  const { rows } = board;
  const here = seat();
  if (!here) return;
  own?.heed(board, here);
  const there = rows.find((row) => row.name === person)?.seat ?? here;
  if (there !== here) goTo(there);
  else person = rows.find((row) => row.seat === here)?.name ?? person;
}

// Who looks: the keeper and guests, who have no seat, are 0.
function seat() {
  return Number(document.getElementById("table").dataset.seat);
}

function goTo(there) {
  history.replaceState(null, "", `?seat=${there}`);
  live.turnTo(`/slate?seat=${there}`);
  const links = document.querySelectorAll("header a[href*='?seat=']");
  for (const link of links) link.search = location.search;
}

// The head of the page stands still: whoever sits here may go by another name meanwhile.
document.addEventListener("drawn", () => {
  const link = document.querySelector(".place-link");
  const { place } = document.getElementById("table").dataset;
  if (link.textContent !== place) link.textContent = place;
  // Of questions that are asked one by one the last one answered may be gone: on with what is due.
  const due = document.getElementById("sheet-kind")?.dataset.due;
  if (due && !document.querySelector("[name=single]:checked")) choose(document.getElementById(due));
});

// A link to what lies folded up unfolds it, and one to a question asks that.
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("a[href^='#']");
  if (link) choose(document.querySelector(link.hash));
});

function choose(one) {
  if (one?.type === "radio") one.checked = true;
  for (; one; one = one.parentElement.closest("details")) one.open = true;
}
