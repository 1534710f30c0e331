// Keeps what a reader has changed, by itself.

import { applyEdits, checked, editsOf, isEmpty, merge } from "./edits.js";
import { decode, has } from "./links.js";
import { keepNotebook, keptNotebook, slot } from "./storage.js";

const delay = 300; // ms from a change to the storage

function digest(text) {
  let h = 0xcbf29ce484222325n;
  for (const b of new TextEncoder().encode(text)) h = BigInt.asUintN(64, (h ^ BigInt(b)) * 0x100000001b3n);
  return h.toString(16).padStart(16, "0");
}

export class Keeper {
  constructor(storage, notebook) {
    this.storage = storage;
    this.notebook = notebook;
    this.kind = ""; // of the edits: our own, or what ?edits= or ?opened= names
    this.touched = new Set(); // ids of cells that were changed in this window
    const flush = () => { if (this.timer) this.save(); };
    addEventListener("pagehide", flush);
    document.addEventListener("visibilitychange", () => { if (document.visibilityState === "hidden") flush(); });
    addEventListener("beforeunload", (e) => {
      flush();
      if (this.unsaved) e.preventDefault();
    });
    addEventListener("hashchange", () => { if (has(location.hash)) location.reload(); }); // a link into the page that is open
  }

  get slot() { return slot(location.pathname, this.kind); }

  // load finds out what is to be shown: it applies edits to the notebook, and returns {from: "own", "link" or "opened",
  // opened, error}.
  async load() {
    const query = new URLSearchParams(location.search);
    const opened = query.get("opened"), linked = query.get("edits");
    if (opened) {
      const kept = await keptNotebook(opened).catch(() => null);
      if (kept) return { from: "opened", opened: { ...kept, id: opened } };
      this.apply("");
      return { from: "own", error: "The notebook that was opened here is not in this browser any more: open it again." };
    }
    if (has(location.hash)) return this.loadLink(location.hash);
    if (linked) {
      const found = this.storage.read(slot(location.pathname, "?edits=" + linked));
      if (found) {
        this.apply("?edits=" + linked);
        return { from: "link" };
      }
      this.apply("");
      return { from: "own", error: "The edits of this address are in another browser: use the link that was copied." };
    }
    this.apply("");
    return { from: "own" };
  }

  async loadLink(fragment) {
    let edits;
    try {
      edits = await decode(fragment);
    } catch (err) {
      this.apply("");
      return { from: "own", error: err.message };
    }
    const own = checked(this.storage.read(slot(location.pathname)));
    if (isEmpty(edits) || JSON.stringify(own) === JSON.stringify(edits)) { // our own link
      this.apply("");
      return { from: "own" };
    }
    const kind = "?edits=" + digest(fragment);
    const kept = this.storage.read(slot(location.pathname, kind));
    // The address is made short, so that links within the page do not lose the edits.
    if (kept || this.storage.write(slot(location.pathname, kind), edits)) {
      history.replaceState(null, "", location.pathname + kind);
      this.apply(kind);
    } else {
      this.kind = kind;
      applyEdits(this.notebook, edits);
    }
    return { from: "link" };
  }

  apply(kind) {
    this.kind = kind;
    applyEdits(this.notebook, checked(this.storage.read(this.slot)));
  }

  // use keeps the edits of a notebook that was opened.
  async use(notebook, { id, name, text, html }) {
    this.save();
    this.notebook = notebook;
    this.touched.clear();
    if (!id) {
      id = digest(name + "\n" + text);
      await keepNotebook(id, { name, text, html });
      history.replaceState(null, "", location.pathname + "?opened=" + id);
    }
    this.apply("?opened=" + id);
  }

  changed(id) {
    this.touched.add(id);
    this.unsaved = true;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.save(), delay);
  }

  // save tells whether the edits are kept.
  save() {
    clearTimeout(this.timer);
    this.timer = null;
    if (!this.touched.size) return !!this.storage.area;
    const edits = merge(checked(this.storage.read(this.slot)), editsOf(this.notebook), this.touched);
    const kept = this.storage.write(this.slot, isEmpty(edits) && !this.kind ? null : edits);
    this.unsaved = !kept;
    if (!kept) this.lost?.();
    return kept;
  }
}
