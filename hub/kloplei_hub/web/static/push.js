// Whether this phone tells when somebody's table is called: one of the states of #tell is shown.
// Where it cannot be, that is said with its reason.

const tell = document.getElementById("tell");
const form = tell.querySelector("form");
const failed = document.getElementById("tell-failed");
const show = (state) => {
  for (const one of tell.querySelectorAll("[data-when]")) one.hidden = one.dataset.when !== state;
};
const hex = (bytes) => Array.from(new Uint8Array(bytes), (one) => one.toString(16).padStart(2, "0")).join("");
const idOf = async (endpoint) => hex(await crypto.subtle.digest("SHA-256", new TextEncoder().encode(endpoint)));

function hindrance() {
  if (!window.isSecureContext) return "plain";
  // Safari alone has it, and on an iPhone only what stands on its home screen is ever pushed to.
  if (!("PushManager" in window)) return navigator.standalone === false ? "iphone" : "cannot";
  return Notification.permission === "denied" ? "denied" : "";
}

async function send(address, told) {
  const headers = { "Content-Type": "application/json" };
  const answer = await fetch(address, { method: "POST", headers, body: JSON.stringify(told) });
  if (!answer.ok) throw new Error(answer.status);
  return answer.json();
}

function told(name) {
  document.getElementById("tell-who").textContent = name;
  show("on");
}

async function look(worker) {
  const kept = await worker.pushManager.getSubscription();
  if (!kept) return show("off");
  const answer = await fetch(`/push/${await idOf(kept.endpoint)}`);
  return answer.ok ? told((await answer.json()).name) : show("off");
}

async function begin(worker) {
  if (await Notification.requestPermission() !== "granted") return show(hindrance() || "off");
  const { key } = await (await fetch("/push/key")).json();
  const wanted = { userVisibleOnly: true, applicationServerKey: key };
  let made;
  try {
    made = await worker.pushManager.subscribe(wanted);
  } catch (error) {
    // A house that was set up anew has another key than this phone knows it by.
    if (error.name !== "InvalidStateError") throw error;
    await (await worker.pushManager.getSubscription())?.unsubscribe();
    made = await worker.pushManager.subscribe(wanted);
  }
  const person = Number(form.elements.person.value);
  const tournament = Number(form.dataset.tournament);
  return told((await send("/push", { tournament, person, subscription: made })).name);
}

async function stop(worker) {
  const kept = await worker.pushManager.getSubscription();
  if (kept) {
    await send(`/push/${await idOf(kept.endpoint)}/stop`, {});
    await kept.unsubscribe();
  }
  show("off");
}

async function attempt(what) {
  failed.hidden = true;
  try {
    await what(await navigator.serviceWorker.ready);
  } catch {
    failed.hidden = false;
  }
}

const why = hindrance();
if (why) {
  show(why);
} else {
  form.addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(begin);
  });
  document.getElementById("tell-no-more").addEventListener("click", () => attempt(stop));
  attempt(look).then(() => failed.hidden || show("off"));
}
