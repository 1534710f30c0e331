import * as vscode from "vscode";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Checks, languageFeatures } from "./language";
import { isGo, Session } from "./session";
import { commands } from "./commands";
import { debugging } from "./debugger";
import { pairing } from "./pair";
import { tests } from "./tests";
import { Variables } from "./variables";

// Tools are what sessions need of the extension.
export interface Tools {
  log: vscode.OutputChannel;
  // settings returns the program of sessions and the environment that the settings add.
  settings(of: vscode.Uri): { program: string; environment: NodeJS.ProcessEnv };
  // toPages sends a message to the pages that show a notebook.
  toPages(notebook: vscode.NotebookDocument, message: object): void;
}

const notebookType = "jupyter-notebook";

// isGoNotebook tells whether a notebook is ours: it says so, or has a cell of Go and names no other language.
export function isGoNotebook({ notebookType: type, metadata, getCells }: vscode.NotebookDocument, cells = getCells) {
  const { kernelspec, language_info } = (metadata["metadata"] ?? metadata) as { kernelspec?: { language?: string; name?: string }; language_info?: { name?: string } };
  const language = kernelspec?.language ?? language_info?.name;
  return type === notebookType && (language ? language === "go" : cells().some(isGo));
}

export function activate(context: vscode.ExtensionContext) {
  const begin = () => {
    context.subscriptions.push(...start(context));
  };
  if (vscode.workspace.isTrusted) begin();
  else context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(begin));
}

function start(context: vscode.ExtensionContext): vscode.Disposable[] {
  const log = vscode.window.createOutputChannel("Go Notebook");
  const messaging = vscode.notebooks.createRendererMessaging("overcomplete.channel");
  const sessions = new Map<vscode.NotebookDocument, Session>();
  const inside = join(context.extensionPath, "bin", process.platform === "win32" ? "overcomplete.exe" : "overcomplete");
  const tools: Tools = {
    log,
    settings(of) {
      const settings = vscode.workspace.getConfiguration("overcomplete", of);
      return { program: settings.get("path", "") || (existsSync(inside) ? inside : "overcomplete"), environment: settings.get("environment", {}) };
    },
    toPages(notebook, message) {
      for (const editor of vscode.window.visibleNotebookEditors) if (editor.notebook === notebook) void messaging.postMessage(message, editor);
    },
  };

  const controller = vscode.notebooks.createNotebookController("overcomplete", notebookType, "Go (overcomplete)");
  controller.supportedLanguages = ["go"];
  controller.supportsExecutionOrder = true;
  controller.description = "Go, without Python and Jupyter";
  controller.executeHandler = async (cells, notebook) => {
    await claim(notebook);
    await session(notebook).execute(cells);
  };
  controller.interruptHandler = (notebook) => session(notebook).interrupt();

  const checks = new Checks(find);
  const stale = new vscode.EventEmitter<void>();
  const variables = new Variables(() => vscode.window.activeNotebookEditor && sessions.get(vscode.window.activeNotebookEditor.notebook));

  function session(notebook: vscode.NotebookDocument): Session {
    let s = sessions.get(notebook);
    if (!s) {
      s = new Session(notebook, controller, tools);
      sessions.set(notebook, s);
      const own = s;
      s.onDidChange(() => {
        stale.fire();
        checks.again(own);
        if (own.state !== "busy") variables.refresh();
        tools.toPages(notebook, { state: own.state });
      });
    }
    return s;
  }

  function find(document: vscode.TextDocument) {
    if (document.uri.scheme !== "vscode-notebook-cell" || document.languageId !== "go") return undefined;
    for (const notebook of vscode.workspace.notebookDocuments) {
      if (!isGoNotebook(notebook)) continue;
      const cell = notebook.getCells().find((c) => c.document === document);
      if (cell) return { session: session(notebook), cell };
    }
    return undefined;
  }

  const opened = (notebook: vscode.NotebookDocument) => {
    if (isGoNotebook(notebook)) controller.updateNotebookAffinity(notebook, vscode.NotebookControllerAffinity.Preferred);
  };
  const active = () => {
    void vscode.commands.executeCommand("setContext", "overcomplete.active", !!vscode.window.activeNotebookEditor && isGoNotebook(vscode.window.activeNotebookEditor.notebook));
    variables.refresh();
  };
  vscode.workspace.notebookDocuments.forEach(opened);
  active();

  return [
    log, controller, stale, ...checks.disposables, ...languageFeatures(find),
    ...commands(session, tools, join(context.extensionPath, "papers")), ...debugging(session), ...tests(session), ...pairing(),
    vscode.window.registerTreeDataProvider("overcomplete.variables", variables),
    vscode.workspace.onDidOpenNotebookDocument(opened),
    vscode.workspace.onDidCloseNotebookDocument((notebook) => {
      void sessions.get(notebook)?.close();
      sessions.delete(notebook);
    }),
    vscode.window.onDidChangeActiveNotebookEditor(active),
    messaging.onDidReceiveMessage(({ editor, message }) => sessions.get(editor.notebook)?.fromPage(message)),
    vscode.notebooks.registerNotebookCellStatusBarItemProvider(notebookType, {
      onDidChangeCellStatusBarItems: stale.event,
      provideCellStatusBarItems(cell) {
        const why = sessions.get(cell.notebook)?.whyStale(cell);
        if (why === undefined) return undefined;
        const item = new vscode.NotebookCellStatusBarItem(`$(history) stale: ${why}`, vscode.NotebookCellStatusBarAlignment.Left);
        item.tooltip = "This cell would show something else if the notebook ran from top to bottom now. Click to run the stale cells.";
        item.command = "overcomplete.runStale";
        return item;
      },
    }),
    { dispose: () => sessions.forEach((s) => void s.close()) },
  ];
}

// claim writes into a notebook that it is Go's, as Jupyter does, so that other programs know.
async function claim(notebook: vscode.NotebookDocument) {
  const inner = notebook.metadata["metadata"] as { kernelspec?: object } | undefined;
  if (inner?.kernelspec) return;
  const edit = new vscode.WorkspaceEdit();
  edit.set(notebook.uri, [vscode.NotebookEdit.updateNotebookMetadata({
    ...notebook.metadata,
    metadata: { ...inner, kernelspec: { name: "overcomplete", display_name: "Go (overcomplete)", language: "go" }, language_info: { name: "go" } },
  })]);
  await vscode.workspace.applyEdit(edit);
}
