// How the test reads a live page: it runs before the page's own scripts, which find no other trace of it than
// window.client. Cells are known by their ids.
window.client = (() => {
  const cell = (id) => document.getElementById("cell-" + id);
  const all = () => [...document.querySelectorAll("section.cell[data-state]")];
  // text of what a cell shows, without its source.
  const text = (id) => [...cell(id).querySelectorAll(".output")].filter((e) => !e.parentElement.closest(".output")).map((e) => e.innerText).join("\n");
  const seen = (e) => !!e && e.getClientRects().length > 0 && getComputedStyle(e).visibility !== "hidden";
  // button gives one that is seen: of a cell, or of the page.
  const button = (what, id) => [...(id ? cell(id) : document).querySelectorAll(`[data-do="${what}"]`)]
    .find((e) => seen(e) && (id || !e.closest("section.cell")));

  // What a page copies for the reader.
  const copied = [];
  addEventListener("DOMContentLoaded", () => {
    const clipboard = { writeText: async (s) => { copied.push(s); }, write: async (items) => {
      for (const item of items) copied.push(await (await item.getType("text/plain")).text());
    } };
    Object.defineProperty(navigator, "clipboard", { value: clipboard, configurable: true });
  });

  return {
    cell, all, text, button, seen, copied,
    state: (id) => cell(id).dataset.state,
    states: () => all().map((e) => e.dataset.state),
    source: (id) => {
      const editor = cell(id).querySelector(".cm-content");
      return editor ? [...editor.querySelectorAll(".cm-line")].map((e) => e.textContent).join("\n") : cell(id).querySelector("pre.code code").textContent;
    },
    editor: (id) => cell(id).querySelector(".cm-content"),
    status: () => document.querySelector("#live [role=status]").innerText,
    // live is what the page says of its kernel, wherever it stands.
    live: () => document.querySelector("#live").innerText,
    input: (id) => cell(id).querySelector(".live-input input"),
    picture: (id) => cell(id).querySelector(".output svg, .output img"),
    slider: (id, n = 0) => cell(id).querySelectorAll(".output input[type=range]")[n],
    // at gives where a slider's handle stands at a value, from its middle on the left to that on the right.
    at: (slider, v) => {
      const r = slider.getBoundingClientRect(), f = (v - slider.min) / (slider.max - slider.min), handle = 16;
      return { X: r.x + handle / 2 + f * (r.width - handle), Y: r.y + r.height / 2 };
    },
    // paste puts text where the cursor is, as from the clipboard. Firefox makes no event of that kind with text in it.
    paste: (text) => {
      const event = new Event("paste", { bubbles: true, cancelable: true });
      event.clipboardData = { types: ["text/plain"], files: [], getData: (type) => type.startsWith("text/html") ? "" : text };
      document.activeElement.dispatchEvent(event);
      return true;
    },
    // wide lists what is wider than the window and cannot be scrolled inside of it.
    wide: () => [...document.querySelectorAll("body *")].filter((e) => {
      if (!seen(e) || e.getBoundingClientRect().right <= innerWidth + 1) return false;
      for (let p = e.parentElement; p; p = p.parentElement) if (["auto", "scroll", "hidden", "clip"].includes(getComputedStyle(p).overflowX)) return false;
      return true;
    }).slice(0, 5).map((e) => `${e.tagName}.${e.className}#${e.id}`),
  };
})();
