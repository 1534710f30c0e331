// The page: its cells, the kernel, and what the buttons do.

import { Cell, newSection } from "./cell.js";
import { Comms } from "./comms.js";
import { editsOf, isEmpty } from "./edits.js";
import { download } from "./elements.js";
import { Files } from "./files.js";
import { Kernel } from "./kernel.js";
import { encode, longest } from "./links.js";
import { newID, readNotebook, runs, writeNotebook } from "./notebookfile.js";
import { cellsOf } from "./opening.js";
import { Displays } from "./outputs.js";
import { Runner } from "./runner.js";
import { loadPurifier, trust } from "./sandbox.js";
import { Keeper } from "./saving.js";
import { Toolbar } from "./toolbar.js";
import { serveWidgets } from "./widgets.js";

// obstacle says why Go cannot run in this page, "" if it can.
function obstacle() {
  if (typeof WebAssembly !== "object") return noWebAssembly;
  return location.protocol === "file:" ? fromFile : "";
}

const fromFile = "This page was opened from a file: browsers run Go only in pages that a server sends. Any will do: python3 -m http.server in the page's folder, and its address in the browser.";
const noWebAssembly = "This browser has no WebAssembly, in which Go runs here: the page can be read, its cells cannot run. Another browser can, or this one without its lockdown mode.";

export class Page {
  // config has the addresses kernel, worker, brotli and purify, check, the notebook's file name and the size of its
  // experiments; ready is awaited before the kernel is fetched (the service worker, that keeps it).
  constructor(config, notebook, storage, ready) {
    this.config = config;
    this.notebook = notebook;
    this.displays = new Displays();
    this.asking = null; // the cell for which the kernel is asked what it needs
    this.kernel = new Kernel(() => new Worker(config.worker), { kernel: config.kernel, brotli: config.brotli, check: config.check, html: true }, async () => {
      const why = obstacle();
      if (why) {
        this.runner.drop();
        this.say(why, { bad: true });
        throw Object.assign(new Error(why), { ended: true });
      }
      await ready;
    });
    this.comms = new Comms(this.kernel);
    this.runner = new Runner(this.kernel);
    this.toolbar = new Toolbar(this);
    this.files = new Files(this.kernel);
    this.keeper = new Keeper(storage, notebook);
    this.keeper.lost = () => this.say(`This browser does not keep your edits: ${storage.reason || "its storage is full"}. Download the notebook to keep them.`, { bad: true, actions: [["download-now", "Download", () => this.download()]] });
    this.cells = [];
    this.raw = ""; // what the runtime has printed: its reason comes first, then the trace of all goroutines
    serveWidgets(this.kernel, this.comms, (element) => this.cells.find((c) => c.section.contains(element)));
    this.listen();
  }

  say(text, options) { this.toolbar.say(text, options); }

  async begin() {
    const found = await this.keeper.load();
    if (found.from === "opened") {
      this.showOpened(found.opened);
      return;
    }
    trust.given = found.from === "own";
    this.toolbar.trustButton.hidden = trust.given;
    if (!trust.given) await loadPurifier(this.config.purify).catch((err) => { found.error = `The outputs of these edits are not shown: ${err.message}.`; });
    this.build();
    if (found.error) this.say(found.error, { bad: true });
    else if (obstacle()) this.say(obstacle(), { bad: true });
    else if (found.from === "link") this.say("This page shows the edits of a link. Scripts of what they show run apart from the page, until you trust them.");
    else this.say(this.fetchNote());
  }

  fetchNote() {
    const bytes = this.config.check?.br?.size;
    const { size } = this.config;
    return `Go runs in this page: press ▶ at a cell${bytes ? ` (${(bytes / 1e6).toFixed(0)} MB are fetched, once)` : ""}${size ? `; experiments at size ${size}` : ""}`;
  }

  // build makes cells of the notebook's code cells and the page's sections.
  build() {
    this.cells = [];
    let last = null;
    for (const c of this.notebook.removed ?? []) document.getElementById("cell-" + c.id)?.remove();
    for (const data of this.notebook.cells) {
      let section = document.getElementById("cell-" + data.id);
      if (data.type === "code") {
        if (!section && data.added) {
          section = newSection(data.id);
          if (last) last.after(section);
          else document.querySelector("main").prepend(section);
        }
        // A cell without element runs with the others, and shows nothing.
        this.cells.push(this.makeCell(section?.matches("section") ? section : null, data));
      }
      last = section ?? last;
    }
  }

  makeCell(section, data) {
    const pre = section?.querySelector("pre.code"), shown = data.published.replace(/^\n+|\n+$/g, "");
    if (pre && pre.textContent !== shown) pre.replaceChildren(Object.assign(document.createElement("code"), { textContent: shown }));
    return new Cell(section ?? newSection(data.id), data, this);
  }

  listen() {
    const { kernel, runner } = this;
    kernel.addEventListener("progress", ({ detail: { bytes, total } }) => this.toolbar.progress(bytes, total));
    kernel.addEventListener("state", ({ detail: state }) => {
      document.getElementById("live").dataset.kernel = state;
      if (state === "loading") this.say("Go is fetched", { busy: true });
      if (state !== "off" && state !== "dead") return;
      this.displays.clear();
      this.asking = null;
      for (const c of this.cells) if (!runner.waiting.includes(c)) c.reset();
    });
    kernel.addEventListener("ready", ({ detail: { load, start } }) => {
      this.raw = "";
      this.say(`Go is ready (${((load + start) / 1000).toFixed(1)} s)`);
    });
    kernel.addEventListener("raw", ({ detail }) => { this.raw = (this.raw + detail.text).slice(0, 4000); });
    kernel.addEventListener("fault", ({ detail }) => this.fault(detail));
    kernel.addEventListener("message", ({ detail }) => { if (detail.header.msg_type === "update_display_data") this.displays.update(detail); });
    runner.addEventListener("runs", () => {
      const n = runner.waiting.length;
      this.say("A cell runs" + (n ? `, ${n} wait${n === 1 ? "s" : ""}` : ""), { busy: true });
    });
    runner.addEventListener("ran", ({ detail }) => this.ran(detail));
    runner.addEventListener("hangs", () => this.say("The cell does not stop: it is in compiled code, which cannot be interrupted here. Restart stops it; variables are lost, the text stays.", { bad: true, actions: [["restart", "Restart", () => this.restart()]] }));
  }

  ran({ cell, reply, stale }) {
    if (reply.status === "ended" || reply.status === "stopped") return; // the kernel; of which fault tells
    for (const c of this.cells) c.markStale(stale.find((s) => s.id === c.data.id)?.because ?? null);
    if (reply.status === "ok") {
      if (!this.runner.waiting.length) this.say("Go is ready");
    } else if (reply.status === "aborted" || /Interrupt/i.test(reply.ename ?? "")) this.say("Stopped; what was declared is still there");
    else if (this.lacks(cell, reply)) {
      this.say("What the cell uses is declared above it: those cells run first", { busy: true });
      this.runNeeded(cell);
    } else this.say("A cell failed", { bad: true, actions: [["show", "Show it", () => cell.section.scrollIntoView({ block: "center" })]] });
  }

  // lacks tells whether a cell, of which nothing has run, uses a name that cells above have which were not tried.
  lacks(cell, reply) {
    if (cell.retries > 1 || reply.ename !== "TypeError") return false;
    const names = Array.from((reply.evalue ?? "").matchAll(/undefined: (\w+)/g), (m) => new RegExp(`\\b${m[1]}\\b`));
    return this.untried(cell).some((c) => names.some((name) => name.test(c.source)));
  }

  // runNeeded runs the untried cells above that a cell needs, and then the cell; at its second failure, all untried
  // cells above, because names do not show everything on which a cell depends.
  async runNeeded(cell) {
    let first = this.untried(cell);
    if (cell.retries++ === 0) {
      this.asking = cell;
      cell.wait(); // it has not failed: it waits for the answer
      const needed = await this.needed(cell);
      if (this.asking !== cell) return; // stopped, or the kernel has ended
      this.asking = null;
      cell.unwait();
      if (needed.length) first = needed;
      else cell.retries++;
    }
    for (const c of first) this.runner.mayFail.add(c); // it may not be the one that is needed
    this.runner.add([...first, cell]);
  }

  // needed asks the kernel which untried cells above a cell it needs: none if the kernel does not know.
  async needed(cell) {
    const above = this.above(cell), untried = this.untried(cell);
    try {
      const { content } = await this.kernel.request("shell", "overcomplete_needs_request", { cells: [...above, cell].map((c) => c.source), cell: above.length });
      return (content.needs ?? []).map((i) => above[i]).filter((c) => untried.includes(c));
    } catch {
      return []; // the kernel has ended
    }
  }

  fault({ text, download: fetching }) {
    const waited = this.runner.drop();
    if (fetching) {
      this.say(`Go could not be fetched: ${text}.`, { bad: true, actions: [["retry", "Try again", () => this.retry(waited)]] });
      return;
    }
    const fatal = this.raw.match(/^(?:fatal error|panic): (.*)$/m)?.[1];
    const why = /out of memory|cannot allocate/i.test(this.raw + text) ? "it ran out of memory, of which a page has 4 GB" : fatal ?? text.replace(/^the kernel has ended( with )?/, "");
    this.say(`The kernel has ended${why && ": " + why}. Your text is kept; variables are lost.`, { bad: true, actions: [["restart", "Restart", () => this.restart()]] });
  }

  async retry(cells) {
    try {
      await this.kernel.start(true);
    } catch {
      return; // fault has said why
    }
    this.runner.add(cells);
  }

  // Running.

  above(cell) { return this.cells.slice(0, this.cells.indexOf(cell)).filter((c) => runs(c.data, this.notebook)); }

  untried(cell) { return this.above(cell).filter((c) => !c.attempted); }

  // run runs a cell; if it does not compile because it uses what is declared above, then also the cells there that it
  // needs and that have not run.
  run(cell) {
    cell.retries = 0;
    return this.runner.add([cell]);
  }

  runAbove(cell) { return this.runner.add([...this.above(cell), cell]); }

  runAll() { return this.runner.add(this.cells.filter((c) => runs(c.data, this.notebook))); }

  interrupt() {
    const { runner, asking } = this;
    this.asking = null;
    asking?.unwait();
    if (runner.running || runner.waiting.length) runner.interrupt();
    else this.say(asking ? "Stopped; what was declared is still there" : "Nothing runs");
  }

  async restart() {
    this.runner.drop();
    try {
      await this.kernel.restart();
    } catch {
      return; // fault has said why
    }
    this.say("Go has started anew; what was declared is gone");
  }

  // Editing.

  edited(cell) { this.keeper.changed(cell.data.id); }

  revert(cell) {
    cell.put(cell.data.published);
  }

  add(cell) {
    const data = { id: newID(this.notebook.cells), type: "code", source: "", published: "", metadata: {}, outputs: [], count: null, added: true };
    this.notebook.cells.splice(this.notebook.cells.indexOf(cell.data) + 1, 0, data);
    const section = newSection(data.id);
    cell.section.after(section);
    const made = new Cell(section, data, this);
    this.cells.splice(this.cells.indexOf(cell) + 1, 0, made);
    this.keeper.changed(data.id);
    made.edit();
  }

  remove(cell) {
    const { notebook } = this, at = notebook.cells.indexOf(cell.data), place = this.cells.indexOf(cell);
    if (at < 0 || this.runner.running === cell) return;
    const next = document.createComment("");
    cell.section.replaceWith(next);
    notebook.cells.splice(at, 1);
    this.cells.splice(place, 1);
    notebook.removed = [...(notebook.removed ?? []), cell.data];
    this.runner.deleted.push(cell.data.id);
    this.keeper.changed(cell.data.id);
    this.say("The cell is removed", { actions: [["undo", "Put it back", () => {
      next.replaceWith(cell.section);
      notebook.cells.splice(at, 0, cell.data);
      this.cells.splice(place, 0, cell);
      notebook.removed = notebook.removed.filter((c) => c !== cell.data);
      this.keeper.changed(cell.data.id);
      this.say("The cell is back");
    }]] });
  }

  // Keeping.

  save() {
    if (this.keeper.save()) this.say("Your edits are kept in this browser");
    else this.keeper.lost();
  }

  download() {
    const ran = this.notebook.cells.filter((c) => c.type === "code" && c.outputs.length).length;
    download(this.config.notebook, writeNotebook(this.notebook), "application/x-ipynb+json");
    this.say(`${this.config.notebook}, with the outputs of ${ran === 1 ? "the cell that has" : `the ${ran} cells that have`} run here`);
  }

  async copyLink() {
    if (this.opened) {
      this.say("A link cannot carry a notebook that you have opened: download it and pass on the file.", { bad: true });
      return;
    }
    const edits = editsOf(this.notebook);
    const link = location.origin + location.pathname + (isEmpty(edits) ? "" : "#" + await encode(edits));
    const long = link.length > longest ? ` It has ${link.length} characters, which some programs cut: the .ipynb file is safer.` : "";
    try {
      await navigator.clipboard.writeText(link);
      this.say((isEmpty(edits) ? "The link to this page is copied; there are no edits." : "A link with your edits is copied.") + long);
    } catch {
      this.say("Copy this link:" + long);
      const field = Object.assign(document.createElement("input"), { value: link, readOnly: true, className: "live-link" });
      field.setAttribute("aria-label", "link with your edits");
      this.toolbar.actions.append(field);
      field.select();
    }
    document.getElementById("live").dataset.link = link;
  }

  showFiles() { this.files.show(); }

  // Notebooks from elsewhere.

  chooseNotebook() {
    const chooser = Object.assign(document.createElement("input"), { type: "file", accept: ".ipynb,application/x-ipynb+json,application/json" });
    chooser.addEventListener("change", () => { if (chooser.files[0]) this.open(chooser.files[0]); });
    chooser.click();
  }

  async open(file) {
    try {
      const notebook = readNotebook(await file.text()), text = writeNotebook(notebook);
      this.say(`${file.name} is drawn, for which Go is started`, { busy: true });
      const { content } = await this.kernel.request("shell", "overcomplete_page_request", { notebook: text });
      if (typeof content.html !== "string") throw new Error(content.evalue ?? "the kernel cannot show it");
      const opened = { name: file.name, text, html: content.html };
      await this.showOpened(opened);
    } catch (err) {
      if (!err.ended) this.say(`${file.name} cannot be opened: ${err.message}.`, { bad: true });
    }
  }

  async showOpened(opened) {
    try {
      await loadPurifier(this.config.purify);
    } catch (err) {
      this.say(`${opened.name} is not shown: ${err.message}.`, { bad: true });
      return;
    }
    if (this.cells.some((c) => c.attempted)) await this.restart(); // its variables are another notebook's
    const notebook = readNotebook(opened.text);
    let kept = true;
    await this.keeper.use(notebook, opened).catch(() => { kept = false; });
    this.notebook = notebook;
    this.opened = opened;
    this.config.notebook = opened.name;
    trust.given = false;
    const { fragment, fill } = cellsOf(opened.html), main = document.querySelector("main");
    main.replaceChildren(fragment);
    document.querySelector("nav")?.remove();
    document.title = opened.name;
    fill(main);
    this.build();
    this.toolbar.trustButton.hidden = false;
    this.say(`${opened.name} is open. Scripts of its outputs run apart from this page, until you trust it.${kept ? "" : " This browser does not keep it: download it before you close the page."}`,
      { actions: [["back", "Back to the page", () => { location.href = location.pathname; }]] });
    scrollTo(0, 0);
  }

  trust() {
    trust.give();
    this.toolbar.trustButton.hidden = true;
    this.say("The notebook is trusted until the page is loaded again");
  }
}
