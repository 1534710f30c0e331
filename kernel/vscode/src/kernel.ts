// The session: the program "overcomplete kernel --stdio" and its messages (docs/editors.md). This file knows
// nothing of VS Code.

import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";

export interface Header { msg_id: string; msg_type: string }

export interface Bundle { [mime: string]: unknown }

// Content has the fields of all messages that this extension reads.
export interface Content {
  status?: "ok" | "error" | "aborted";
  execution_state?: string;
  execution_count?: number;
  ename?: string;
  evalue?: string;
  traceback?: string[];
  name?: string;
  text?: string;
  data?: Bundle;
  metadata?: Bundle;
  transient?: { display_id?: string };
  wait?: boolean;
  prompt?: string;
  password?: boolean;
  payload?: { source: string; text: string; replace: boolean }[];
  matches?: string[];
  cursor_start?: number;
  cursor_end?: number;
  found?: boolean;
  code?: string;
  busy?: boolean;
  faults?: Fault[];
  declared?: Place[];
  uses?: Place[];
  fixed?: string;
  comm_id?: string;
}

export interface Fault { line: number; column: number; end: number; message: string; hint?: string }

export interface Place { cell: number; file?: string; line: number; column: number; end: number }

export interface Message {
  channel: string;
  header: Header;
  parent_header: Partial<Header>;
  metadata: Bundle;
  content: Content;
}

// What a Kernel tells: messages on iopub that belong to no request in progress, questions, and the end.
export interface Listener {
  message(m: Message): void;
  ask(m: Message): Promise<string>;
  log(text: string): void;
  ended(why: string): void;
}

interface Pending {
  reply?: Message;
  untilIdle: boolean;
  idle: boolean;
  show: ((m: Message) => void) | undefined;
  resolve(m: Message): void;
  reject(e: Error): void;
}

export class Ended extends Error {}

export class Kernel {
  private readonly process: ChildProcessWithoutNullStreams;
  private readonly pending = new Map<string, Pending>();
  private rest = "";
  private stopping = false;
  readonly exited: Promise<void>;
  alive = true;

  constructor(program: string, folder: string, environment: NodeJS.ProcessEnv, private readonly listener: Listener) {
    this.process = spawn(program, ["kernel", "--stdio"], {
      cwd: folder, env: { ...process.env, ...environment, JPY_PARENT_PID: String(process.pid) }, windowsHide: true,
    });
    const { stdout, stderr, stdin } = this.process;
    stdout.setEncoding("utf8");
    stdout.on("data", (text: string) => this.read(text));
    stderr.setEncoding("utf8");
    stderr.on("data", (text: string) => listener.log(text));
    stdin.on("error", () => {}); // the end is told once, by the process
    this.exited = new Promise((resolve) => {
      this.process.on("error", (e) => { this.end(`cannot be started: ${e.message}`); resolve(); });
      this.process.on("close", (code, signal) => { this.end(signal ? `was ended by ${signal}` : `ended with exit code ${code}`); resolve(); });
    });
  }

  get pid() { return this.process.pid; }

  private end(why: string) {
    if (!this.alive) return;
    this.alive = false;
    for (const p of this.pending.values()) p.reject(new Ended(why));
    this.pending.clear();
    if (!this.stopping) this.listener.ended(why);
  }

  private read(text: string) {
    const lines = (this.rest + text).split("\n");
    this.rest = lines.pop() ?? "";
    for (const line of lines) {
      if (line) this.receive(JSON.parse(line) as Message);
    }
  }

  private receive(m: Message) {
    if (m.channel === "stdin") {
      void this.answer(m);
      return;
    }
    const id = m.parent_header.msg_id ?? "", p = this.pending.get(id);
    if (m.channel === "iopub") {
      if (p && m.header.msg_type === "status") p.idle ||= m.content.execution_state === "idle";
      else if (p?.show) p.show(m);
      else this.listener.message(m);
    } else if (p) {
      p.reply = m;
    }
    if (p?.reply && (p.idle || !p.untilIdle)) {
      this.pending.delete(id);
      p.resolve(p.reply);
    }
  }

  private async answer(question: Message) {
    const value = await this.listener.ask(question);
    this.write("stdin", "input_reply", { value }, {}, question.header);
  }

  private write(channel: string, type: string, content: object, metadata: object = {}, parent: object = {}): string {
    const header = { msg_id: randomUUID(), msg_type: type, session: "vscode", username: "", version: "5.4", date: new Date().toISOString() };
    this.process.stdin.write(JSON.stringify({ channel, header, parent_header: parent, metadata, content }) + "\n");
    return header.msg_id;
  }

  // request sends a request and waits for the reply; with show also until everything has been shown.
  request(type: string, content: object, options: { control?: boolean; metadata?: object; show?: (m: Message) => void } = {}): Promise<Message> {
    if (!this.alive) return Promise.reject(new Ended("the session has ended"));
    return new Promise((resolve, reject) => {
      const id = this.write(options.control ? "control" : "shell", type, content, options.metadata);
      this.pending.set(id, { untilIdle: !!options.show, idle: false, show: options.show, resolve, reject });
    });
  }

  // tell sends a message that gets no reply.
  tell(type: string, content: object) {
    if (this.alive) this.write("shell", type, content);
  }

  interrupt() { return this.request("interrupt_request", {}, { control: true }); }

  // stop ends the process.
  async stop() {
    this.stopping = true;
    if (this.alive) this.write("control", "shutdown_request", { restart: false });
    const timer = setTimeout(() => this.process.kill("SIGKILL"), 5000);
    await this.exited;
    clearTimeout(timer);
  }
}
