// A code cell of the page: its text, its outputs, and the bar above them.

import { makeEditor } from "./editor.js";
import { button, element } from "./elements.js";
import { Area } from "./outputs.js";

// newSection returns the element of a cell that the page does not have.
export function newSection(id) {
  const section = element("section", "cell", element("pre", "code", element("code")));
  section.id = "cell-" + id;
  return section;
}

export class Cell {
  // data is the notebook's; page has kernel, displays, and what the buttons do.
  constructor(section, data, page) {
    this.section = section;
    this.data = data;
    this.page = page;
    this.pre = section.querySelector("pre.code");
    const place = element("div", "live-outputs");
    this.area = new Area(place, [...section.querySelectorAll(":scope > .output, :scope > p.made")], page.displays);
    data.outputs = this.area.outputs; // what is written to a file
    this.makeBar();
    section.append(place);
    if (this.pre) {
      this.pre.tabIndex = 0;
      this.pre.setAttribute("role", "group"); // an element without a role has no name
      this.pre.setAttribute("aria-label", "code; Enter edits it");
      this.pre.addEventListener("click", () => { if (getSelection().isCollapsed) this.edit(); });
      this.pre.addEventListener("keydown", (e) => {
        if (e.key !== "Enter") return;
        e.preventDefault();
        if (e.shiftKey) page.run(this);
        else this.edit();
      });
      if (data.source !== data.published) this.makeEditor();
    }
    this.ranSource = data.published; // what the outputs below are of
    this.reset();
    this.marks();
  }

  makeBar() {
    const { page } = this, act = (f) => () => f.call(page, this);
    this.runButton = button("run", "▶", "", () => this.active ? page.interrupt() : page.run(this));
    this.count = element("span", "live-count");
    this.stale = element("span", "live-stale");
    this.stale.hidden = true;
    this.revertButton = button("revert", "Undo edits", "show this cell as it was published", act(page.revert));
    this.bar = element("div", "live-bar", this.runButton, this.count, this.stale,
      element("span", "live-more", this.revertButton,
        button("run-above", "Run to here", "run all cells down to this one", act(page.runAbove)),
        button("add", "+", "add a cell below", act(page.add)),
        button("remove", "×", "remove this cell", act(page.remove))));
    this.section.prepend(this.bar);
  }

  get source() { return this.data.source; }

  makeEditor() {
    if (this.view) return;
    this.view = makeEditor(this.pre, this.source, "Go code", this.page.kernel, {
      changed: (source) => {
        this.data.source = source;
        this.marks();
        this.page.edited(this);
      },
      run: () => this.page.run(this),
    });
    this.pre.hidden = true;
    const folded = this.pre.closest("details.plumbing");
    if (folded) folded.open = true; // what was edited is seen
  }

  edit() {
    if (!this.pre) return;
    this.makeEditor();
    this.view.focus();
  }

  // put changes the text.
  put(source) {
    if (this.view) this.view.dispatch({ changes: { from: 0, to: this.view.state.doc.length, insert: source } });
    else {
      this.data.source = source;
      if (this.pre && source !== this.data.published) this.makeEditor();
      this.marks();
      this.page.edited(this);
    }
  }

  marks() {
    const edited = this.data.added || this.source !== this.data.published;
    this.section.classList.toggle("live-edited", !!edited);
    this.section.classList.toggle("live-before", !this.data.added && this.source !== this.ranSource);
    this.revertButton.hidden = !edited || !!this.data.added;
  }

  // States: idle, waits, runs, done, failed.
  set(state) {
    this.section.dataset.state = state;
    this.active = state === "waits" || state === "runs";
    this.runButton.textContent = this.active ? "■" : "▶";
    this.runButton.title = this.active ? "stop" : "run this cell (Shift-Enter)";
    this.runButton.setAttribute("aria-label", this.active ? "stop" : "run this cell");
    if (this.active) this.count.textContent = state;
  }

  // wait and unwait: what waited in vain is what it was.
  wait() {
    this.was = [this.section.dataset.state, this.count.textContent];
    this.set("waits");
  }

  unwait() {
    const [state, count] = this.was;
    this.set(state);
    this.count.textContent = count;
  }

  // reset forgets the run: the kernel is another one.
  reset() {
    this.attempted = false;
    this.retries = 0; // how often cells above it were run for its sake, since the reader ran it
    this.set("idle");
    this.count.textContent = "";
    this.markStale(null);
  }

  begin() {
    this.attempted = true;
    this.ranSource = this.source;
    this.marks();
    this.area.begin();
    this.began = performance.now();
    this.set("runs");
    // A cell without a bar of its own must not look as if it hung.
    this.clock = setInterval(() => { this.count.textContent = `runs, ${Math.round((performance.now() - this.began) / 1000)} s`; }, 1000);
  }

  end(reply) {
    clearInterval(this.clock);
    this.area.end();
    if (reply.status === "stopped") { // with its kernel
      this.reset();
      return;
    }
    const took = performance.now() - this.began, ok = reply.status === "ok";
    this.set(ok ? "done" : reply.status === "aborted" ? "idle" : "failed");
    if (ok) this.judged();
    this.data.count = reply.execution_count ?? null;
    this.count.textContent = reply.status === "aborted" ? "" : `[${reply.execution_count ?? " "}] ${took < 1000 ? Math.round(took) + " ms" : (took / 1000).toFixed(1) + " s"}`;
  }

  // judged tells the solution below a check that there was a try: that the check has judged one, and not found the
  // empty function.
  judged() {
    if (!/^\s*check\.Exercise\(/m.test(this.source) || !/^\s*[✓✗]/.test(this.section.querySelector(".live-outputs").textContent)) return;
    let e = this.section.nextElementSibling;
    while (e && !e.matches("details.solution, section.exercise")) e = e.nextElementSibling;
    if (e?.matches("details.solution")) e.classList.add("tried");
  }

  // markStale says that the outputs are older than what they use; null that they are not.
  markStale(because) {
    this.stale.hidden = !because;
    if (!because) return;
    const names = [...new Set(because.map((b) => b.name).filter(Boolean))].join(", ");
    this.stale.textContent = "out of date";
    this.stale.title = names ? `${names} changed since this cell ran: run it again` : "what it uses changed since it ran: run it again";
  }
}
