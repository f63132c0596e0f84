// Put one slate after another in place, and what stands below it where this evening is unfolded; return
// what is wrong with each: what stands on something else, is cut off, leaves its frame or the screen. Asked of
// the boxes that were drawn. What else is on the page stays as it is: it would have to be laid out anew.
htmls => {
  const AIR = 0.17, NEAR_PX = 1.5; // a box of text is higher than what is drawn in it
  const styles = new Map();
  const styleOf = one => styles.get(one) ?? styles.set(one, getComputedStyle(one)).get(one);
  const shrunk = (box, by) => ({ left: box.left, right: box.right,
    top: box.top + by * box.height, bottom: box.bottom - by * box.height });
  const meet = (a, b) => Math.min(a.right, b.right) - Math.max(a.left, b.left) > NEAR_PX
    && Math.min(a.bottom, b.bottom) - Math.max(a.top, b.top) > NEAR_PX;
  const holds = (box, one) => one.left >= box.left - NEAR_PX && one.right <= box.right + NEAR_PX
    && one.top >= box.top - NEAR_PX && one.bottom <= box.bottom + NEAR_PX;

  function* drawn(frame) {
    const walk = document.createTreeWalker(frame, NodeFilter.SHOW_TEXT);
    for (let text; (text = walk.nextNode());) {
      if (!text.data.trim() || text.parentElement.closest("svg")) continue;
      const range = document.createRange();
      range.selectNodeContents(text);
      for (const box of range.getClientRects())
        yield { what: text.data.trim(), box: shrunk(box, AIR), of: text.parentElement };
    }
    for (const one of frame.querySelectorAll("svg, .tricks i, progress"))
      yield { what: one.getAttribute("class"), box: one.getBoundingClientRect(), of: one };
  }

  function* around(one) {
    for (let box = one; box && box !== document.body; box = box.parentElement) yield box;
  }

  function faultsIn(frame) {
    styles.clear();
    const found = [], seen = [];
    for (const leaf of drawn(frame)) {
      const parents = [...around(leaf.of)];
      if (parents.some(one => styleOf(one).clipPath !== "none")) continue; // for screen readers
      const cut = parents.find(one => /hidden|clip/.test(styleOf(one).overflow)
        && !holds(one.getBoundingClientRect(), leaf.box));
      if (cut?.matches(".tally, .name")) {
        const [window, whole] = [cut.getBoundingClientRect(), leaf.box];
        if (!meet(window, whole)) continue; // strokes that find no room: the number says it
        if (cut.matches(".tally")) found.push(`half a stroke of ${leaf.what}`);
        const [left, right] = [Math.max(window.left, whole.left), Math.min(window.right, whole.right)];
        leaf.box = { ...whole, left, right };
      } else if (cut) found.push(`cut off: ${leaf.what}`);
      const frames = [frame, ...parents.filter(one => one.matches(".row, .side"))];
      if (frames.some(one => !holds(one.getBoundingClientRect(), leaf.box)))
        found.push(`out of its frame: ${leaf.what}`);
      if (leaf.box.left < 0 || leaf.box.right > innerWidth)
        found.push(`off the screen: ${leaf.what}`);
      seen.push(leaf);
    }
    for (const [at, one] of seen.entries())
      for (const other of seen.slice(at + 1))
        if (!one.of.contains(other.of) && meet(one.box, other.box))
          found.push(`${one.what} on ${other.what}`);
    return [...new Set(found)];
  }

  const put = (page, what) => {
    const drawing = page.querySelector(what);
    document.querySelector(what).replaceWith(drawing);
    return drawing;
  };

  return htmls.map(html => {
    const page = document.createElement("template");
    page.innerHTML = html;
    const below = page.content.querySelector(".evening[open]") ? [".evening", ".choose"] : [];
    const frames = [".slate", ...below].map(what => put(page.content, what));
    document.dispatchEvent(new CustomEvent("drawn"));
    return frames.flatMap(faultsIn);
  });
}
