// VS Code's debugger panel. The kernel answers the Debug Adapter Protocol (docs/debugger.md); this file passes the
// messages on, and translates between cells and the paths that the kernel gives to their texts.

import * as vscode from "vscode";
import { runCells, type Session } from "./session";

interface Source { path?: string; name?: string }

interface ProtocolMessage {
  type: string;
  seq: number;
  command?: string;
  arguments?: { source?: Source };
  body?: { sourcePath?: string };
}

class Adapter implements vscode.DebugAdapter {
  private readonly sent = new vscode.EventEmitter<vscode.DebugProtocolMessage>();
  private readonly cells = new Map<string, vscode.NotebookCell>(); // by path
  private readonly listener: vscode.Disposable;
  readonly onDidSendMessage = this.sent.event;
  configured!: () => void;
  readonly isConfigured = new Promise<void>((resolve) => this.configured = resolve);

  constructor(readonly session: Session) {
    session.beforeRun = (cell) => this.beforeRun(cell);
    this.listener = session.onDebugEvent((event) => this.tell(event));
  }

  handleMessage(message: vscode.DebugProtocolMessage) { void this.handle(message as ProtocolMessage); }

  private async handle(request: ProtocolMessage) {
    try {
      if (request.command === "attach") for (const cell of this.session.goCells()) await this.note(cell);
      const source = request.arguments?.source, cell = source && this.session.goCells().find((c) => c.document.uri.toString() === source.path);
      if (cell) request = { ...request, arguments: { ...request.arguments, source: { ...source, path: await this.note(cell) } } };
      this.tell(await this.session.debug(request));
      if (request.command === "configurationDone") this.configured();
    } catch (e) {
      this.tell({ type: "response", request_seq: request.seq, success: false, command: request.command, message: String((e as Error).message) });
    }
  }

  // note tells the kernel a cell's text and returns the text's path.
  private async note(cell: vscode.NotebookCell): Promise<string> {
    const reply = await this.session.debug({ type: "request", command: "dumpCell", arguments: { code: cell.document.getText() } }) as ProtocolMessage;
    const path = reply.body?.sourcePath ?? "";
    this.cells.set(path, cell);
    return path;
  }

  // beforeRun sets the breakpoints of a cell whose text has changed.
  private async beforeRun(cell: vscode.NotebookCell) {
    const known = this.cells.size, path = await this.note(cell);
    if (this.cells.size === known) return;
    const here = vscode.debug.breakpoints.filter((b) => b instanceof vscode.SourceBreakpoint && b.enabled && b.location.uri.toString() === cell.document.uri.toString()) as vscode.SourceBreakpoint[];
    const breakpoints = here.map((b) => ({ line: b.location.range.start.line + 1, condition: b.condition, hitCondition: b.hitCondition, logMessage: b.logMessage }));
    await this.session.debug({ type: "request", command: "setBreakpoints", arguments: { source: { path }, breakpoints } });
  }

  private tell(message: object) { this.sent.fire(this.translated(message) as vscode.DebugProtocolMessage); }

  // translated returns a message with cells in place of the kernel's paths.
  private translated(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((v) => this.translated(v));
    if (typeof value !== "object" || value === null) return value;
    const cell = this.cells.get((value as Source).path ?? "");
    if (cell) return { name: `Cell ${cell.index + 1}`, path: cell.document.uri.toString() };
    return Object.fromEntries(Object.entries(value).map(([key, v]) => [key, this.translated(v)]));
  }

  dispose() {
    this.listener.dispose();
    this.session.beforeRun = undefined;
    void this.session.debug({ type: "request", command: "disconnect" }).catch(() => {}); // so that a held cell runs on
  }
}

export function debugging(session: (notebook: vscode.NotebookDocument) => Session): vscode.Disposable[] {
  const adapters = new Map<string, Adapter>(); // by the id of the debug session
  return [
    vscode.debug.registerDebugAdapterDescriptorFactory("overcomplete", {
      createDebugAdapterDescriptor({ id, configuration }) {
        const notebook = vscode.workspace.notebookDocuments.find((n) => n.uri.toString() === configuration["notebook"]);
        if (!notebook) throw new Error("The debugger is for cells: use Debug Cell in a notebook.");
        const adapter = new Adapter(session(notebook));
        adapters.set(id, adapter);
        return new vscode.DebugAdapterInlineImplementation(adapter);
      },
    }),
    vscode.debug.onDidTerminateDebugSession(({ id }) => adapters.delete(id)),
    vscode.commands.registerCommand("overcomplete.debugCell", async (chosen?: vscode.NotebookCell) => {
      const editor = vscode.window.activeNotebookEditor, cell = chosen ?? editor?.notebook.cellAt(editor.selection.start);
      if (!cell) return;
      const own = session(cell.notebook), debugs = () => [...adapters].find(([, a]) => a.session === own);
      if (!debugs() && !await vscode.debug.startDebugging(undefined, { type: "overcomplete", request: "attach", name: "Go Notebook", notebook: cell.notebook.uri.toString() })) return;
      const [id, adapter] = debugs() ?? [];
      await adapter?.isConfigured;
      await runCells(cell.notebook, [cell]);
      const now = vscode.debug.activeDebugSession;
      if (now && now.id === id) await vscode.debug.stopDebugging(now);
    }),
  ];
}
