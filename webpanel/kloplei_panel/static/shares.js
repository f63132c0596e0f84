// Where every player is given a number and all of them make a whole: say how many are left.

function told(shares) {
  const numbers = [...shares.querySelectorAll("input:checked")].map((one) => Number(one.value));
  const left = Number(shares.dataset.total) - numbers.reduce((sum, one) => sum + one, 0);
  const output = shares.querySelector("output");
  output.textContent = output.dataset.left.replace("{left}", left);
  shares.classList.toggle("is-off", left !== 0);
}

document.addEventListener("change", (event) => {
  const shares = event.target.closest(".shares[data-total]");
  if (shares) told(shares);
});
