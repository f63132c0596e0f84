// Numbers for wet fingers: digits to tap where a number has two at most, and a sign to turn
// where the phone's own keys have none. Without it the fields are plain ones to type in.

const DIGITS = 2;

function lay() {
  for (const one of document.querySelectorAll(".digits[hidden], [data-sign][hidden]")) {
    one.hidden = false;
  }
  document.querySelectorAll("[data-balance='yes']").forEach(balance);
}

function tap(button) {
  const form = button.form;
  const field = form.querySelector("input[type=number]");
  const written = (form.dataset.taps ?? "") + button.dataset.digit;
  field.value = Number(written);
  form.dataset.taps = written;
  if (written.length < DIGITS) return;
  delete form.dataset.taps;
  if (form.reportValidity()) form.requestSubmit();
  else field.value = "";
}

// How much is left over, where all of it has to come to nothing.
function balance(form) {
  const fields = [...form.querySelectorAll("input[type=number]")];
  const over = fields.reduce((sum, one) => sum + Number(one.value), 0);
  const told = form.querySelector(".over");
  told.hidden = over === 0;
  told.textContent = told.dataset.over.replace("{over}", over > 0 ? `+${over}` : `−${-over}`);
}

document.addEventListener("click", (event) => {
  // What is typed into a field takes the place of what stood there: 45 after a 0 is no 450.
  if (event.target.matches(".amount input")) event.target.select();
  const digit = event.target.closest("[data-digit]");
  if (digit) tap(digit);
  const sign = event.target.closest("[data-sign]");
  if (!sign) return;
  const field = sign.parentElement.querySelector("input");
  field.value = -Number(field.value);
  field.dispatchEvent(new Event("input", { bubbles: true }));
});

document.addEventListener("input", (event) => {
  const form = event.target.closest("[data-balance='yes']");
  if (form) balance(form);
});
document.addEventListener("drawn", lay);
lay();
