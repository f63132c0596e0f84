import { canBuzz, canSound, remember, wants } from "./own.js";

const able = { sound: canSound, buzz: canBuzz, call: canSound };

document.getElementById("own-moments").hidden = false;
for (const [way, is] of Object.entries(able)) {
  const choice = document.getElementById(`own-${way}`);
  choice.checked = is && wants(way);
  choice.disabled = !is;
  document.getElementById(`no-${way}`)?.toggleAttribute("hidden", is);
  choice.addEventListener("change", () => remember(way, choice.checked));
}
