// The bar at the foot of the page: what the kernel does, and what is done with the whole notebook.

import { button, element } from "./elements.js";

export class Toolbar {
  constructor(page) {
    this.text = element("span", "live-text");
    this.actions = element("span", "live-actions");
    this.status = element("div", "live-status", this.text);
    this.status.setAttribute("role", "status");
    this.bar = document.createElement("progress");
    this.bar.hidden = true;
    this.bar.setAttribute("aria-label", "progress");
    this.trustButton = button("trust", "Trust this notebook", "let its outputs run scripts in this page", () => page.trust());
    this.trustButton.hidden = true;
    const more = button("more", "File", "save, open, download, share", () => this.element.classList.toggle("live-open"));
    const files = element("span", "live-filebuttons",
      button("save", "Save", "keep the edits in this browser (happens by itself, too)", () => page.save()),
      button("download", "Download", "download the notebook as .ipynb, with outputs", () => page.download()),
      button("open", "Open", "open an .ipynb file", () => page.chooseNotebook()),
      button("link", "Copy link", "copy a link that carries the edits", () => page.copyLink()),
      button("files", "Files", "files that cells read and write", () => page.showFiles()));
    this.interruptButton = button("interrupt", "Stop", "stop the cell that runs", () => page.interrupt());
    this.element = element("div", "", element("div", "live-said", this.status, this.actions, this.bar),
      element("div", "live-buttons", button("run-all", "Run all", "run all cells", () => page.runAll()), this.interruptButton,
        button("restart", "Restart", "start Go anew: variables are lost, the text stays", () => page.restart()), more, files, this.trustButton));
    this.element.id = "live";
    this.element.setAttribute("aria-label", "Go in this page");
    this.element.setAttribute("role", "region");
    document.body.append(this.element);
    const fit = () => document.documentElement.style.setProperty("--live-height", this.element.offsetHeight + "px");
    new ResizeObserver(fit).observe(this.element);
  }

  // say shows a text, and buttons for what can be done about it: [what, label, function]. While the page is busy, a
  // bar moves.
  say(text, { busy = false, bad = false, actions = [] } = {}) {
    if (this.text.textContent !== text) this.text.textContent = text;
    this.element.classList.toggle("live-busy", busy);
    this.element.classList.toggle("live-bad", bad);
    this.actions.replaceChildren(...actions.map(([what, label, f]) => button(what, label, label, f)));
    this.bar.hidden = !busy;
    this.bar.removeAttribute("value"); // it moves by itself
  }

  // progress shows bytes of a download.
  progress(bytes, total) {
    const mb = (n) => (n / 1e6).toFixed(1);
    const whole = bytes && bytes === total;
    this.say(whole ? "Go is unpacked" : `Go is fetched: ${mb(bytes)}${total ? " of " + mb(total) : ""} MB`, { busy: true });
    if (total && !whole) [this.bar.max, this.bar.value] = [total, bytes];
  }
}
