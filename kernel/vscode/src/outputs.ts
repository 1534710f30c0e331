// What cells show: the kernel's messages as outputs of a notebook, with the metadata that VS Code's own reader and
// writer of .ipynb files keeps.

import * as vscode from "vscode";
import type { Bundle, Content, Message } from "./kernel";
import { overwritten } from "../../live/page/ansi.js";

const { NotebookCellOutput: Output, NotebookCellOutputItem: Item } = vscode;

// The richest form comes first, because VS Code shows the first form that it can.
const order = ["application/vnd.", "text/html", "image/svg+xml", "image/png", "image/jpeg", "image/gif", "image/webp", "text/markdown", "text/latex", "application/json", "text/plain"];

const rank = (mime: string) => { const i = order.findIndex((o) => mime.startsWith(o)); return i < 0 ? order.length : i; };

const text = (value: unknown) => Array.isArray(value) ? value.join("") : String(value);

function items(data: Bundle): vscode.NotebookCellOutputItem[] {
  return Object.entries(data).sort(([a], [b]) => rank(a) - rank(b)).map(([mime, value]) => {
    if (/^image\/(?!svg)/.test(mime)) return new Item(Buffer.from(text(value), "base64"), mime);
    if (/[/+]json$/.test(mime)) return Item.text(JSON.stringify(value), mime);
    return Item.text(text(value), mime);
  });
}

// links makes the places in a traceback links: VS Code's view of errors knows "Cell In[3], line 2".
const links = (line: string) => line.replace(/\bIn\[(\d+)\] ((?:\x1b\[[\d;]*m)?)line (\d+)/g, "Cell In[$1], line $3$2");

function errorOutput({ ename = "Error", evalue = "", traceback = [] }: Content) {
  const item = Item.error({ name: ename, message: evalue, stack: traceback.map(links).join("\n") });
  return new Output([item], { outputType: "error", originalError: { output_type: "error", ename, evalue, traceback } });
}

interface Stream { output: vscode.NotebookCellOutput; name: string; text: string; overwrites: boolean }

// A Target is a cell's list of outputs, during an execution of the cell or after it.
interface Target { cell: vscode.NotebookCell; last: Stream | undefined; fresh: boolean }

// Outputs draws the messages of one notebook, one after the other.
export class Outputs {
  private readonly running = new Map<vscode.NotebookCell, vscode.NotebookCellExecution>();
  private readonly targets = new Map<string, Target>(); // by the id of the request
  private readonly displays = new Map<string, { cell: vscode.NotebookCell; output: vscode.NotebookCellOutput }[]>();
  private work: Promise<unknown> = Promise.resolve();

  constructor(private readonly controller: vscode.NotebookController, private readonly log: (text: string) => void) {}

  begin(cell: vscode.NotebookCell, execution: vscode.NotebookCellExecution) { this.running.set(cell, execution); }

  // target says where what the kernel shows for a request belongs.
  target(id: string, cell: vscode.NotebookCell) {
    for (const [old, t] of this.targets) if (t.cell === cell) this.targets.delete(old);
    this.targets.set(id, { cell, last: undefined, fresh: false });
  }

  // end waits until everything is drawn.
  async end(cell: vscode.NotebookCell) {
    await this.work;
    this.running.delete(cell);
  }

  forget() {
    this.targets.clear();
    this.displays.clear();
  }

  show(m: Message) {
    this.work = this.work.then(() => this.draw(m)).catch((e) => this.log(`output not shown: ${e}\n`));
  }

  showError(cell: vscode.NotebookCell, content: Content) {
    this.work = this.work.then(() => this.in(cell, (e) => e.appendOutput(errorOutput(content)))).catch(() => {});
  }

  // in calls do with an execution of the cell: the present one, or one that leaves no trace.
  private async in(cell: vscode.NotebookCell, draw: (e: vscode.NotebookCellExecution) => Thenable<unknown>) {
    const now = this.running.get(cell);
    if (now) {
      await draw(now);
      return;
    }
    if (cell.index < 0) return; // it was deleted
    const before = cell.executionSummary, e = this.controller.createNotebookCellExecution(cell);
    e.executionOrder = before?.executionOrder;
    e.start(before?.timing?.startTime);
    try {
      await draw(e);
    } finally {
      e.end(before?.success, before?.timing?.endTime);
    }
  }

  private async draw(m: Message) {
    const { content } = m, type = m.header.msg_type, at = this.targets.get(m.parent_header.msg_id ?? "");
    if (type === "update_display_data") return this.update(content);
    if (!at) return;
    switch (type) {
      case "clear_output":
        if (content.wait) at.fresh = true;
        else await this.clear(at);
        return;
      case "stream":
        if (content.text) await this.stream(at, content.name === "stderr" ? "stderr" : "stdout", content.text);
        return;
      case "error":
        return this.add(at, errorOutput(content));
      case "display_data":
      case "execute_result": {
        const output = new Output(items(content.data ?? {}), {
          outputType: type, metadata: content.metadata ?? {}, ...(type === "execute_result" && { executionCount: content.execution_count }),
        });
        const id = content.transient?.display_id;
        if (id) this.displays.set(id, [...(this.displays.get(id) ?? []).filter((d) => d.cell.outputs.includes(d.output)), { cell: at.cell, output }]);
        return this.add(at, output);
      }
    }
  }

  private async clear(at: Target) {
    at.fresh = false;
    at.last = undefined;
    await this.in(at.cell, (e) => e.clearOutput());
  }

  private async add(at: Target, output: vscode.NotebookCellOutput) {
    if (at.fresh) await this.clear(at);
    at.last = undefined;
    await this.in(at.cell, (e) => e.appendOutput(output));
  }

  private async stream(at: Target, name: "stdout" | "stderr", more: string) {
    if (at.fresh) await this.clear(at);
    const item = (text: string) => name === "stdout" ? Item.stdout(text) : Item.stderr(text);
    const last = at.last, overwrites = /[\r\b]/.test(more);
    if (last?.name !== name) {
      const output = new Output([item(overwrites ? overwritten(more) : more)], { outputType: "stream" });
      await this.add(at, output);
      at.last = { output, name, text: more, overwrites };
      return;
    }
    last.text += more;
    last.overwrites ||= overwrites;
    if (!last.overwrites) return this.in(at.cell, (e) => e.appendOutputItems(item(more), last.output));
    await this.in(at.cell, (e) => e.replaceOutputItems(item(overwritten(last.text)), last.output));
  }

  private async update({ transient, data, metadata }: Content) {
    for (const { cell, output } of this.displays.get(transient?.display_id ?? "") ?? []) {
      output.metadata = { ...output.metadata, metadata: metadata ?? {} };
      await this.in(cell, (e) => e.replaceOutputItems(items(data ?? {}), output));
    }
  }
}
