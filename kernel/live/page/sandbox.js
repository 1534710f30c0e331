// What a notebook from elsewhere shows: without script in the page, or with script in a frame that cannot reach the
// page, until the reader trusts it; and without pictures from anywhere.

import { fetches } from "./addresses.js";

const ours = /^(live|cm-|overcomplete)/; // names by which the page finds its own elements

let purifier = null;
let taken = []; // elements, each with an attribute that was taken from it

// loadPurifier fetches the sanitiser, before anything from elsewhere is shown. It rejects if it cannot be had.
export async function loadPurifier(address) {
  if (purifier) return;
  await new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = address;
    script.onload = resolve;
    script.onerror = () => reject(new Error("what makes it safe to show could not be fetched"));
    document.head.append(script);
  });
  purifier = globalThis.overcompletePurifier();
  purifier.addHook("afterSanitizeAttributes", (e) => {
    for (const a of [...e.attributes]) {
      if (fetches(e.tagName, a.name, a.value)) taken.push([e, e.removeAttributeNode(a)]);
    }
    if (ours.test(e.id)) e.removeAttribute("id");
    for (const c of [...e.classList]) if (ours.test(c)) e.classList.remove(c);
    if (e.tagName === "A" && e.hasAttribute("href") && !e.getAttribute("href").startsWith("#")) {
      e.setAttribute("rel", "noopener noreferrer");
      e.setAttribute("target", "_blank");
    }
  });
}

// clean returns HTML as nodes, without scripts, forms, addresses that a page fetches from by itself, and styles that could
// cover what the page says.
export function clean(html) {
  return purifier.sanitize(html, {
    RETURN_DOM_FRAGMENT: true, ALLOW_DATA_ATTR: false,
    FORBID_TAGS: ["style", "form", "input", "button", "select", "textarea", "dialog", "audio", "video"], FORBID_ATTR: ["style", "name", "popover"],
  });
}

// live puts HTML into an element and runs its scripts.
export function live(element, html) {
  element.innerHTML = html;
  for (const old of element.querySelectorAll("script")) {
    const script = document.createElement("script");
    for (const a of old.attributes) script.setAttribute(a.name, a.value);
    script.async = false;
    script.textContent = old.textContent;
    old.replaceWith(script);
  }
}

// A frame tells its height; it has no other word in the page.
const measure = `(() => {
  let told = -1;
  const tell = () => {
    const h = Math.ceil(document.documentElement.getBoundingClientRect().height);
    if (h !== told) parent.postMessage({ overcompleteHeight: told = h }, "*");
  };
  new ResizeObserver(tell).observe(document.documentElement);
  addEventListener("load", tell);
})()`;

// The page's own style, for frames; what the editor adds comes later.
const pageStyle = (document.querySelector("head > style")?.textContent ?? "").replace(/@font-face\s*\{[^}]*\}/g, "").replace(/<\/style/gi, "");

function frame(html) {
  const e = document.createElement("iframe");
  e.className = "live-frame";
  e.title = "output of a notebook that is not trusted";
  e.setAttribute("sandbox", "allow-scripts");
  e.referrerPolicy = "no-referrer";
  const theme = document.documentElement.dataset.theme;
  e.srcdoc = `<!DOCTYPE html><html${theme ? ` data-theme="${theme}"` : ""}><meta charset="utf-8"><style>${pageStyle} body { background: none; padding: 1px } .wide { margin: 0 }</style><script>${measure}</` + `script><body>${html}`;
  return e;
}

addEventListener("message", ({ source, data }) => {
  const h = data?.overcompleteHeight;
  if (typeof h !== "number") return;
  for (const f of document.querySelectorAll("iframe.live-frame")) {
    if (f.contentWindow === source) f.style.height = Math.min(Math.max(h, 20), 4000) + "px";
  }
});

const waiting = new Map(); // elements whose HTML is in a frame

// trust says whose scripts may run in the page.
export const trust = {
  given: true,
  // give lets everything that is in frames into the page, and has it fetch what the notebook names.
  give() {
    this.given = true;
    for (const [element, attribute] of taken) if (element.isConnected) element.setAttributeNode(attribute);
    taken = [];
    for (const [element, html] of waiting) if (element.isConnected) live(element, html);
    waiting.clear();
  },
};

// show puts an output's HTML into an element. active says that it may have scripts.
export function show(element, html, active) {
  waiting.delete(element);
  if (trust.given) {
    live(element, html);
  } else if (active || !purifier) {
    waiting.set(element, html);
    element.replaceChildren(frame(html));
  } else {
    element.replaceChildren(clean(html));
  }
}
