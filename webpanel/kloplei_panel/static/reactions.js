// What players throw flies over the large screen, each for some seconds, and nothing remains of it.

const LOOK_AGAIN_MS = 1000;
const FLIES_MS = 4000;
const MOST_FLYING = 8;
const ASIDE = 0.382; // of the width beyond the one before: no two side by side lie over each other

const flights = document.getElementById("flights");
let newest; // what had been thrown before this screen looked is not shown

async function lookForReactions() {
  if (document.hidden) return;
  try {
    const answer = await fetch(`/api/v1/reactions?after=${newest ?? 0}`);
    if (!answer.ok) return;
    const { last, reactions } = await answer.json();
    if (newest !== undefined) reactions.forEach(fly);
    newest = last;
  } catch {
    // the slate says aloud that the connection is lost
  }
}

function fly({ number, reaction, seat }) {
  const picture = document.createElement("img");
  picture.src = `${flights.dataset.pictures}/${reaction}.svg`;
  const name = document.createElement("figcaption");
  name.textContent = document.querySelector(`#row-${seat} .name`)?.textContent ?? "";
  const flight = document.createElement("figure");
  flight.style.setProperty("--across", (number * ASIDE) % 1);
  flight.append(picture, name);
  flights.append(flight);
  if (flights.children.length > MOST_FLYING) flights.firstChild.remove();
  setTimeout(() => flight.remove(), FLIES_MS);
}

if (flights) {
  lookForReactions();
  setInterval(lookForReactions, LOOK_AGAIN_MS);
}
