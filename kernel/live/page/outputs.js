// What a cell shows. The kernel gives outputs as the HTML of an exported page; text that comes bit by bit, and what
// controls show, is drawn here in the same form.

import { ansiHTML, escapeHTML, isPlain } from "./ansi.js";
import { text } from "./notebookfile.js";
import { show } from "./sandbox.js";

const pictures = ["image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp"];
const longest = 1e6; // characters of one stream that a page shows: an endless loop must not fill it

// form returns which of an output's forms is shown, "" for text and errors.
function form(output) {
  const data = output.data ?? {};
  return ["text/html", ...pictures, "text/markdown", "text/latex", "application/javascript", "text/plain", "application/json"].find((m) => data[m] !== undefined) ?? "";
}

// active tells whether what is shown of an output may have scripts.
const active = (output) => ["text/html", "application/javascript"].includes(form(output));

// drawn returns an output as HTML; kernel's own HTML, where it has come, knows formulas besides.
function drawn(output) {
  const { data, metadata } = output;
  switch (output.output_type) {
    case "stream":
      return `<pre class="${output.name === "stderr" ? "stderr" : "stdout"}" tabindex="0">${ansiHTML(text(output.text).replace(/\n+$/, ""))}</pre>`;
    case "error":
      return `<pre class="error" tabindex="0">${ansiHTML((output.traceback ?? []).join("\n") || `${output.ename}: ${output.evalue}`)}</pre>`;
  }
  const mime = form(output), v = data?.[mime];
  if (mime === "text/html") return `<div class="wide html" tabindex="0" role="group" aria-label="output">${text(v)}</div>`;
  if (pictures.includes(mime)) return picture(mime, text(v), metadata, text(data["text/plain"]));
  if (mime === "application/javascript") return `<script>${text(v).replace(/<(\/script)/gi, "<\\$1")}</` + "script>";
  if (mime === "application/json") return `<pre class="result" tabindex="0">${escapeHTML(JSON.stringify(v, null, 2))}</pre>`;
  return mime ? `<pre class="result" tabindex="0">${ansiHTML(text(v).replace(/\n+$/, ""))}</pre>` : "";
}

function picture(mime, content, metadata, about) {
  const address = mime === "image/svg+xml" ? "data:image/svg+xml," + encodeURIComponent(content) : `data:${mime};base64,${content.replace(/\s+/g, "")}`;
  const size = metadata?.[mime] ?? metadata ?? {};
  const sides = ["width", "height"].filter((s) => Number(size[s]) > 0).map((s) => ` ${s}="${Math.round(Number(size[s]))}"`).join("");
  return `<figure><img src="${escapeHTML(address)}" alt="${escapeHTML(about.replace(/^\[figures?\]\s*/, ""))}"${sides}></figure>`;
}

// drawOutputs puts outputs, as a notebook file has them, into an element.
export function drawOutputs(element, outputs) {
  element.replaceChildren(...outputs.map((o) => {
    const e = document.createElement("div");
    e.className = "output";
    show(e, drawn(o), active(o));
    return e;
  }));
}

// Displays are the outputs with an id, which any cell may change.
export class Displays {
  constructor() { this.all = new Map(); }

  add(id, area, output) {
    if (!this.all.has(id)) this.all.set(id, []);
    this.all.get(id).push({ area, output });
  }

  update({ content, html }) {
    const id = content.transient?.display_id, known = (this.all.get(id) ?? []).filter(({ area, output }) => area.outputs.includes(output));
    if (id) this.all.set(id, known);
    for (const { area, output } of known) area.change(output, content, html);
  }

  clear() { this.all.clear(); }
}

// An Area is the place below a cell for its outputs.
export class Area {
  // old are the elements that the page has of an earlier run.
  constructor(element, old, displays) {
    this.element = element;
    this.old = old;
    this.displays = displays;
    this.outputs = []; // as a notebook file has them
    this.places = new Map(); // output -> element
    this.fresh = false;
  }

  // begin says that what is shown next takes the place of what is there.
  begin() { this.fresh = true; }

  // end says that nothing more comes.
  end() { this.begun(); }

  begun() {
    if (!this.fresh) return;
    this.fresh = false;
    this.clear();
  }

  clear() {
    for (const e of this.old) e.remove();
    this.old = [];
    this.outputs.length = 0;
    this.places.clear();
    for (const e of [...this.element.children]) if (!e.matches("form")) e.remove();
  }

  receive(m) {
    const { content } = m, type = m.header.msg_type;
    if (type === "clear_output") {
      if (content.wait) this.begin();
      else this.clear();
    } else if (type === "stream") this.stream(content);
    else if (type === "error") this.add({ output_type: "error", ename: content.ename, evalue: content.evalue, traceback: content.traceback }, m.html);
    else if (type === "display_data" || type === "execute_result") {
      const output = { output_type: type, data: content.data, metadata: content.metadata ?? {} };
      if (type === "execute_result") output.execution_count = content.execution_count;
      this.add(output, m.html);
      if (content.transient?.display_id) this.displays.add(content.transient.display_id, this, output);
    } else if (type === "update_display_data") this.displays.update(m);
  }

  add(output, html) {
    this.begun();
    const e = document.createElement("div");
    e.className = "output";
    this.outputs.push(output);
    this.places.set(output, e);
    const form = this.element.querySelector(":scope > form");
    this.element.insertBefore(e, form); // in the document before its scripts run
    show(e, html || drawn(output), active(output));
  }

  change(output, content, html) {
    const e = this.places.get(output);
    output.data = content.data;
    output.metadata = content.metadata ?? {};
    if (e) show(e, html || drawn(output), active(output));
  }

  stream({ name, text: more }) {
    this.begun();
    const last = this.outputs.at(-1);
    if (last?.output_type !== "stream" || last.name !== name) {
      if (more) this.add({ output_type: "stream", name, text: more }, drawn({ output_type: "stream", name, text: more }));
      return;
    }
    const pre = this.places.get(last).firstElementChild, before = last.text;
    last.text += more;
    if (last.text.length > longest) last.text = "(what came before is left out)\n" + last.text.slice(-longest / 2);
    else if (pre && isPlain(more) && isPlain(before)) {
      // The end of the text is kept back from the page's HTML, so that no empty line stands below it.
      const held = before.match(/\n*$/)[0];
      pre.append((held + more).replace(/\n+$/, ""));
      return;
    }
    show(this.places.get(last), drawn(last), false);
  }
}
