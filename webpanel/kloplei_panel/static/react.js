// What is tapped flies over the large screen; the phone stays where it is.

const TAKEN_MS = 4000;

document.addEventListener("submit", (event) => {
  if (!event.target.matches("[data-react]")) return;
  event.preventDefault();
  react(event.submitter.value, event.target.querySelector("output"));
});

async function react(reaction, said) {
  const seat = Number(document.getElementById("table").dataset.seat);
  try {
    const answer = await fetch("/api/v1/reactions", {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify(seat ? { reaction, by: seat } : { reaction }),
      signal: AbortSignal.timeout(TAKEN_MS),
    });
    said.value = answer.ok ? "" : (await answer.json()).message;
  } catch {
    said.value = document.getElementById("lost").dataset.unsent;
  }
}
