// Copy the report. Browsers keep their clipboard from pages of a house without https, so that
// what is selected is copied the old way there.

const report = document.querySelector("[data-report]");
const button = document.querySelector("[data-copy]");

async function copy() {
  try {
    await navigator.clipboard.writeText(report.value);
  } catch {
    report.select();
    if (!document.execCommand("copy")) return;
  }
  button.textContent = button.dataset.copied;
}

button.hidden = false;
button.addEventListener("click", copy);
