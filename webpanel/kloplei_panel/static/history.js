// One button that copies what one sends to friends. On a plain network there is no clipboard for
// pages, so the old way does it; where neither works the text stands there to be marked.

const button = document.getElementById("copy");
const text = document.getElementById(button?.dataset.from ?? "");

if (button && text) {
  button.hidden = false;
  button.addEventListener("click", async () => {
    const said = button.textContent;
    const copied = (await byClipboard(text.value)) || byHand(text);
    button.textContent = copied ? button.dataset.copied : said;
    if (!copied) document.getElementById("text").open = true;
    setTimeout(() => { button.textContent = said; }, 3000);
  });
}

async function byClipboard(written) {
  try {
    await navigator.clipboard.writeText(written);
    return true;
  } catch {
    return false;
  }
}

function byHand(area) {
  const sheet = document.getElementById("text");
  const was = sheet.open;
  sheet.open = true;
  area.select();
  const copied = document.execCommand("copy");
  sheet.open = was;
  return copied;
}
