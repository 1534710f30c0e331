// The view of a session's variables, in the explorer: those of the notebook that the user looks at, after each cell.

import * as vscode from "vscode";
import type { Session } from "./session";

interface Variable { name: string; value: string; type?: string; variablesReference: number }

export class Variables implements vscode.TreeDataProvider<Variable> {
  private readonly changed = new vscode.EventEmitter<void>();
  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly session: () => Session | undefined) {}

  refresh() { this.changed.fire(); }

  getTreeItem({ name, value, type, variablesReference }: Variable) {
    const item = new vscode.TreeItem(name, variablesReference ? vscode.TreeItemCollapsibleState.Collapsed : vscode.TreeItemCollapsibleState.None);
    item.description = value;
    item.tooltip = `${name} ${type ?? ""}\n${value}`;
    return item;
  }

  // getChildren asks the kernel's debugger, which answers these requests also while nobody debugs.
  async getChildren(of?: Variable): Promise<Variable[]> {
    const session = this.session();
    if (!session || session.state === "off") return [];
    const request = of ? { command: "variables", arguments: { variablesReference: of.variablesReference } } : { command: "inspectVariables" };
    const reply = await session.debug({ type: "request", seq: 0, ...request }).catch(() => ({})) as { body?: { variables?: Variable[] } };
    return reply.body?.variables ?? [];
  }
}
