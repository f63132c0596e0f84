// Make one tree of elements equal to a fresh one without tearing it down: what did not change
// stays the same element, so focus, scroll, open sheets and half-typed names survive.

// Whether a sheet stands open is the reader's own business, and at which question it is.
const isKept = (one, name) => name === "open" || (name === "checked" && "own" in one.dataset);

export function morph(old, fresh) {
  if (old.isEqualNode(fresh)) return; // the browser sees that sooner than we, who look at each attribute
  if (old.nodeType !== Node.ELEMENT_NODE) {
    if (old.nodeValue !== fresh.nodeValue) old.nodeValue = fresh.nodeValue;
    return;
  }
  syncAttributes(old, fresh);
  syncChildren(old, fresh);
}

function syncAttributes(old, fresh) {
  for (const { name } of [...old.attributes]) {
    if (!fresh.hasAttribute(name) && !isKept(old, name)) old.removeAttribute(name);
  }
  for (const { name, value } of fresh.attributes) {
    if (!isKept(old, name) && old.getAttribute(name) !== value) old.setAttribute(name, value);
  }
}

function syncChildren(old, fresh) {
  let here = old.firstChild;
  for (const child of [...fresh.childNodes]) {
    const same = counterpart(here, child);
    if (!same) {
      old.insertBefore(child, here);
      continue;
    }
    while (here !== same) {
      const gone = here;
      here = here.nextSibling;
      gone.remove();
    }
    here = same.nextSibling;
    morph(same, child);
  }
  while (here) {
    const gone = here;
    here = here.nextSibling;
    gone.remove();
  }
}

function counterpart(from, wanted) {
  const name = nameOf(wanted);
  if (!name) return from && !nameOf(from) && from.nodeName === wanted.nodeName ? from : null;
  for (let node = from; node; node = node.nextSibling) {
    if (nameOf(node) === name && node.nodeName === wanted.nodeName) return node;
  }
  return null;
}

// A form around one button is that button's: where the one before it goes, the focus stays.
function nameOf(node) {
  return node.id || (node.nodeName === "FORM" && node.children.length === 1 && node.firstElementChild.id);
}
