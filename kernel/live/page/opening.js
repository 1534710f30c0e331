// Notebooks from elsewhere, as the kernel draws them.

import { clean, show } from "./sandbox.js";

// cellsOf returns the elements of a notebook's cells from the HTML that the kernel has made of it: without script,
// but for outputs, which are shown in frames while the notebook is not trusted.
export function cellsOf(html) {
  const parsed = new DOMParser().parseFromString(html, "text/html");
  const main = parsed.querySelector("main") ?? parsed.body;
  const isPlace = (e) => {
    let p = e.parentElement;
    for (const folded of ["details.solution", "details.rest"]) if (p?.matches(folded)) p = p.parentElement;
    return p === main;
  };
  for (const e of main.querySelectorAll('[id^="cell-"]')) if (!isPlace(e)) e.removeAttribute("id"); // text that poses as a cell
  // A place for each output that may have scripts, with a name that nobody can guess.
  const outputs = [], name = "place-" + crypto.getRandomValues(new Uint32Array(2)).join("-");
  for (const e of main.querySelectorAll("section.cell > .output")) {
    if (!e.querySelector(".wide.html, script")) continue;
    e.className = `output ${name} ${name}-${outputs.length}`;
    outputs.push(e.innerHTML);
    e.textContent = "";
  }
  const fragment = clean(main.innerHTML);
  return {
    fragment,
    // fill puts the outputs into their places, when these are in the page.
    fill(page) {
      outputs.forEach((html, i) => {
        const e = page.querySelector(`.${name}-${i}`);
        if (!e) return;
        e.className = "output";
        show(e, html, true);
      });
    },
  };
}
