// Numbers for wet fingers: digits to tap where a number has two at most, and a sign to turn
// where the phone's own keys have none. Without it the fields are plain ones to type in.

const DIGITS = 2;

// Half a number, by its form, and whose it is. It outlives a drawing: what another phone tells
// between two taps, or the answer to the number before, costs no digit.
const halves = new WeakMap();

function lay() {
  for (const one of document.querySelectorAll(".digits[hidden], [data-sign][hidden]")) {
    one.hidden = false;
  }
  for (const form of document.querySelectorAll("[data-keypad]")) {
    if (half(form)) field(form).value = half(form);
  }
  document.querySelectorAll("[data-balance='yes']").forEach(balance);
}

function field(form) {
  return form.querySelector("input[type=number]");
}

// Digits tapped for one player are not the next one's.
function half(form) {
  const begun = halves.get(form);
  return begun?.seat === new FormData(form).get("seat") ? begun.written : "";
}

function tap(button) {
  const form = button.form;
  const written = half(form) + button.dataset.digit;
  field(form).value = Number(written);
  halves.set(form, { written, seat: new FormData(form).get("seat") });
  if (written.length < DIGITS) return;
  halves.delete(form);
  if (form.reportValidity()) form.requestSubmit();
  else field(form).value = "";
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
  const amount = sign.parentElement.querySelector("input");
  amount.value = -Number(amount.value);
  amount.dispatchEvent(new Event("input", { bubbles: true }));
});

// A number that was sent, or typed over, is nobody's half any more.
document.addEventListener("submit", ({ target }) => halves.delete(target));

document.addEventListener("input", (event) => {
  halves.delete(event.target.form);
  const form = event.target.closest("[data-balance='yes']");
  if (form) balance(form);
});
document.addEventListener("drawn", lay);
lay();
