// A notebook's session: its kernel, the cells that run in it, and what is known of them.

import * as vscode from "vscode";
import { basename, dirname } from "node:path";
import { Ended, Kernel, type Message } from "./kernel";
import { Outputs } from "./outputs";
import type { Tools } from "./extension";

// A Stale cell would show something else if the notebook now ran from top to bottom.
interface Stale { id: string; because: Reason[] }

interface Reason { kind: string; name: string; by: string }

// why says a reason in words, as %stale does.
function why({ kind, name, by }: Reason) {
  switch (kind) {
    case "changed": return `${by} has changed ${name}`;
    case "removed": return `${name} is no longer in ${by}`;
    case "deleted": return `${name} comes from a cell that was deleted`;
    case "input": return `${name} comes from ${by}, which is stale`;
  }
  return `${name} was not the one of ${by} above`;
}

export const isGo = (cell: vscode.NotebookCell) => cell.kind === vscode.NotebookCellKind.Code && cell.document.languageId === "go";

// runCells has VS Code run cells, as it does for the user. Only then is our controller the one of the notebook, and may
// run cells.
export async function runCells(notebook: vscode.NotebookDocument, cells: vscode.NotebookCell[]) {
  await vscode.window.showNotebookDocument(notebook, { preserveFocus: true });
  await vscode.commands.executeCommand("notebook.cell.execute", { ranges: cells.map(({ index }) => ({ start: index, end: index + 1 })), document: notebook.uri });
}

export class Session {
  private kernel: Kernel | undefined;
  private readonly outputs: Outputs;
  private queue: vscode.NotebookCell[] = [];
  private working: Promise<void> | undefined;
  private interrupted = false;
  private lastEnd: string | undefined;
  private order = 0;
  private readonly ran = new Map<string, { text: string; order: number; error: string | undefined }>(); // cells that have run in this kernel, by address
  private stale = new Map<string, string>();
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChange = this.changed.event; // the state of the session, or what is stale
  private readonly debugEvent = new vscode.EventEmitter<object>();
  readonly onDebugEvent = this.debugEvent.event;
  beforeRun: ((cell: vscode.NotebookCell) => Promise<void>) | undefined; // what the debugger does before a cell runs

  constructor(readonly notebook: vscode.NotebookDocument, private readonly controller: vscode.NotebookController, private readonly tools: Tools) {
    this.outputs = new Outputs(controller, (text) => tools.log.append(text));
  }

  get state(): "off" | "idle" | "busy" { return !this.kernel?.alive ? "off" : this.working ? "busy" : "idle"; }

  // hasRun tells whether a cell has run in this kernel with the text that it has now.
  hasRun(cell: vscode.NotebookCell) { return this.ran.get(cell.document.uri.toString())?.text === cell.document.getText(); }

  // errorOf returns the error of a cell's last run, or undefined if it succeeded.
  errorOf(cell: vscode.NotebookCell) { const ran = this.ran.get(cell.document.uri.toString()); return ran ? ran.error : "the cell has not run"; }

  whyStale(cell: vscode.NotebookCell) { return this.stale.get(cell.document.uri.toString()); }

  goCells() { return this.notebook.getCells().filter(isGo); }

  // start starts the kernel if there is none.
  start(): Kernel {
    if (this.kernel?.alive) return this.kernel;
    const folder = this.notebook.uri.scheme === "file" ? dirname(this.notebook.uri.fsPath) : vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    const { program, environment } = this.tools.settings(this.notebook.uri);
    this.forget();
    this.kernel = new Kernel(program, folder, { ...environment, JPY_SESSION_NAME: this.notebook.uri.fsPath }, {
      message: (m) => this.message(m),
      ask: (m) => this.ask(m),
      log: (text) => this.tools.log.append(text),
      ended: (why) => this.ended(why),
    });
    this.changed.fire();
    return this.kernel;
  }

  private forget() {
    this.order = 0;
    this.ran.clear();
    this.stale.clear();
    this.outputs.forget();
  }

  private message(m: Message) {
    if (m.header.msg_type === "debug_event") this.debugEvent.fire(m.content);
    else if (m.header.msg_type.startsWith("comm_")) this.tools.toPages(this.notebook, { header: m.header, content: m.content });
    else this.outputs.show(m);
  }

  private async ask({ content }: Message): Promise<string> {
    return await vscode.window.showInputBox({ prompt: content.prompt || "The cell waits for a line of input", password: !!content.password, ignoreFocusOut: true }) ?? "\x04";
  }

  private ended(why: string) {
    this.tools.log.append(`session of ${this.notebook.uri.path} ${why}\n`);
    const lost = this.ran.size > 0, used = lost || !!this.working;
    this.forget();
    this.changed.fire();
    this.tools.toPages(this.notebook, { state: "dead" });
    this.debugEvent.fire({ type: "event", event: "terminated" });
    // VS Code keeps some notebooks whose tabs are closed: nobody waits for those. What nobody has used is started again
    // by the next key: once is enough.
    const seen = vscode.window.tabGroups.all.some(({ tabs }) => tabs.some(({ input }) => input instanceof vscode.TabInputNotebook && input.uri.toString() === this.notebook.uri.toString()));
    if (!seen || !used && why === this.lastEnd) return;
    this.lastEnd = why;
    void vscode.window.showErrorMessage(`The Go session of ${basename(this.notebook.uri.path)} ${why}.${lost ? " All its variables are lost; run the cells again." : ""}`, "Show Log").then((choice) => choice && this.tools.log.show());
  }

  // execute runs cells one after the other, after those that wait already.
  execute(cells: vscode.NotebookCell[]): Promise<void> {
    this.queue.push(...cells.filter((c) => !this.queue.includes(c)));
    return this.working ??= this.runAll().finally(() => {
      this.working = undefined;
      this.changed.fire();
    });
  }

  private async runAll() {
    this.interrupted = false;
    for (let cell = this.queue.shift(); cell; cell = this.queue.shift()) {
      if (!await this.run(cell) || this.interrupted) this.queue = [];
    }
  }

  // run runs a cell and tells whether it succeeded.
  private async run(cell: vscode.NotebookCell): Promise<boolean> {
    const execution = this.controller.createNotebookCellExecution(cell), code = cell.document.getText(), address = cell.document.uri.toString();
    this.outputs.begin(cell, execution);
    let ok: boolean | undefined = false;
    try {
      execution.start(Date.now());
      await execution.clearOutput();
      if (!code.trim()) {
        ok = undefined;
        return true;
      }
      const kernel = this.start();
      this.changed.fire();
      await this.beforeRun?.(cell);
      const deleted = [...this.ran.keys()].filter((a) => !this.notebook.getCells().some((c) => c.document.uri.toString() === a));
      const { content, metadata } = await kernel.request("execute_request", { code, allow_stdin: true, store_history: true, stop_on_error: true }, {
        metadata: { cellId: address, deletedCells: deleted },
        show: (m) => {
          if (m.header.msg_type === "execute_input") {
            this.outputs.target(m.parent_header.msg_id ?? "", cell);
            execution.executionOrder = m.content.execution_count;
          } else this.message(m);
        },
      });
      execution.executionOrder = content.execution_count;
      this.ran.set(address, { text: code, order: content.execution_count ?? ++this.order, error: content.status === "ok" ? undefined : content.evalue ?? "" });
      this.noteStale(metadata);
      for (const p of content.payload ?? []) if (p.source === "set_next_input" && p.replace) await replace(cell, p.text);
      ok = content.status === "ok";
    } catch (e) {
      if (!(e instanceof Ended)) throw e;
      this.outputs.showError(cell, { ename: "SessionEnded", evalue: e.message, traceback: [`SessionEnded: the session ${e.message}; its variables are lost`] });
    } finally {
      await this.outputs.end(cell);
      execution.end(ok, Date.now());
      this.changed.fire();
    }
    return ok ?? true;
  }

  private noteStale(metadata: { [key: string]: unknown }) {
    const list = (metadata["overcomplete"] as { stale?: Stale[] } | undefined)?.stale ?? [];
    this.stale = new Map(list.map((s) => [s.id, s.because.map(why).join("; ")]));
  }

  staleCells() { return this.goCells().filter((c) => this.stale.has(c.document.uri.toString())); }

  async interrupt() {
    this.interrupted = true;
    this.queue = [];
    if (this.kernel?.alive) await this.kernel.interrupt();
  }

  async restart() {
    this.queue = [];
    this.interrupted = true;
    await this.kernel?.stop();
    this.tools.toPages(this.notebook, { state: "dead" });
    this.debugEvent.fire({ type: "event", event: "terminated" });
    this.start();
  }

  // fromPage handles a message of a control.
  fromPage(message: { ask?: string; type?: string; content?: object }) {
    if (message.ask === "state") this.tools.toPages(this.notebook, { state: this.state });
    else if (message.type?.startsWith("comm_") && message.content) this.kernel?.tell(message.type, message.content);
  }

  request(type: string, content: object): Promise<Message> { return this.start().request(type, content); }

  // debug asks the kernel's debugger; request and reply have the form of the Debug Adapter Protocol.
  async debug(request: object): Promise<object> { return (await this.start().request("debug_request", request, { control: true })).content; }

  async close() { await this.kernel?.stop(); }
}

async function replace(cell: vscode.NotebookCell, text: string) {
  const edit = new vscode.WorkspaceEdit(), { document } = cell;
  edit.replace(document.uri, new vscode.Range(0, 0, document.lineCount, 0), text);
  await vscode.workspace.applyEdit(edit);
}
