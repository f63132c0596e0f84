import { Live } from "./live.js";
import { listen } from "./press.js";
import "./countdown.js";
import "./shares.js";
import "./keypad.js";

document.body.classList.toggle("framed", self !== top);
// A form that was refused left its own address, which a reload would send once more.
if (location.pathname !== "/") history.replaceState(null, "", `/${location.search}`);
listen(new Live(`/slate${location.search}`, accompany));

// Who moves takes the phone along, whether they moved themselves, were moved by the keeper, or
// had it taken back; the keeper's stays where it is.
let person = document.querySelector("#table .row.mine .name")?.title;

function accompany({ rows }) {
  const here = Number(document.getElementById("table").dataset.seat);
  if (!here) return;
  const there = rows.find((row) => row.name === person)?.seat ?? here;
  if (there !== here) location.replace(`?seat=${there}`);
  else person = rows.find((row) => row.seat === here)?.name ?? person;
}

// The head of the page stands still: whoever sits here may go by another name meanwhile.
document.addEventListener("drawn", () => {
  document.querySelector(".place-link").textContent = document.getElementById("table").dataset.place;
});

// A link to what lies folded up unfolds it.
document.addEventListener("click", ({ target }) => {
  const link = target.closest?.("a[href^='#']");
  let one = link && document.querySelector(link.hash);
  for (; one; one = one.parentElement.closest("details")) one.open = true;
});
