// The panel of files: what cells read and write is in the browser's memory.

import { button, download, element } from "./elements.js";

const home = "/home/notebooks";
const size = (n) => n < 1000 ? n + " B" : n < 1e6 ? (n / 1e3).toFixed(1) + " kB" : (n / 1e6).toFixed(1) + " MB";

export class Files {
  constructor(kernel) {
    this.kernel = kernel;
    this.list = element("ul");
    this.note = element("p", "live-note");
    this.note.setAttribute("role", "status");
    const upload = document.createElement("input");
    upload.type = "file";
    upload.multiple = true;
    upload.dataset.do = "upload";
    upload.addEventListener("change", () => this.upload([...upload.files]).then(() => { upload.value = ""; }));
    this.dialog = element("dialog", "live-files", element("h2", "", "Files"),
      element("p", "", "Cells find them by their names, as in ", element("code", "", 'os.ReadFile("data.csv")'), ". They are in this page's memory, and gone when it is closed."),
      element("label", "", "Add files ", upload), this.note, this.list, button("close-files", "Close", "close", () => this.dialog.close()));
    this.dialog.setAttribute("aria-label", "Files");
    document.body.append(this.dialog);
  }

  get running() { return this.kernel.state === "idle" || this.kernel.state === "busy"; }

  async show() {
    this.note.textContent = "";
    if (!this.dialog.open) this.dialog.showModal();
    await this.refresh();
  }

  async upload(chosen) {
    for (const f of chosen) {
      const path = home + "/" + f.name, data = new Uint8Array(await f.arrayBuffer());
      this.kernel.files[path] = data;
      if (this.running) await this.kernel.file("put", path, data).catch((err) => { this.note.textContent = `${f.name}: ${err.message}`; });
    }
    await this.refresh();
  }

  // entries lists the files: those of the kernel, or those that it will have when it starts.
  async entries(folder = home) {
    if (!this.running) return Object.entries(this.kernel.files).map(([path, data]) => ({ path, size: data.length }));
    const out = [];
    for (const e of await this.kernel.file("list", folder)) {
      const path = folder + "/" + e.name;
      if (e.folder) out.push(...await this.entries(path));
      else out.push({ path, size: e.size });
    }
    return out;
  }

  async refresh() {
    let entries = [];
    try {
      entries = await this.entries();
    } catch (err) {
      this.note.textContent = "The files cannot be listed: " + err.message;
    }
    this.list.replaceChildren(...entries.map(({ path, size: n }) => {
      const name = path.slice(home.length + 1);
      return element("li", "", element("span", "live-name", name), element("span", "live-size", size(n)),
        button("get-file", "Download", "download " + name, () => this.get(path, name)), button("remove-file", "Remove", "remove " + name, () => this.remove(path)));
    }));
    if (!entries.length) this.list.append(element("li", "", "No files yet."));
  }

  async get(path, name) {
    try {
      download(name.split("/").pop(), this.running ? await this.kernel.file("get", path) : this.kernel.files[path], "application/octet-stream");
    } catch (err) {
      this.note.textContent = `${name}: ${err.message}`;
    }
  }

  async remove(path) {
    delete this.kernel.files[path];
    if (this.running) await this.kernel.file("remove", path).catch((err) => { this.note.textContent = err.message; });
    await this.refresh();
  }
}
