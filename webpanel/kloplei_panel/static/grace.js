// Let the grace bar run down between two scoreboards.

let until = 0;
let drawn = null;

function begin() {
  const bar = document.getElementById("grace");
  if (!bar) {
    drawn = null;
    return;
  }
  if (bar === drawn) return; // the same grace, drawn again
  drawn = bar;
  until = performance.now() + 1000 * Number(bar.dataset.left);
  requestAnimationFrame(step);
}

function step() {
  if (!drawn?.isConnected) return;
  drawn.value = Math.max(0, (until - performance.now()) / 1000);
  if (drawn.value > 0) requestAnimationFrame(step);
}

document.addEventListener("drawn", begin);
begin();
