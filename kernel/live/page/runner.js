// Runs cells one after the other.

import { ask, withdraw } from "./input.js";
import { tagged } from "./notebookfile.js";

const patience = 2000; // ms after which a cell that was asked to stop and does not is said to hang

export class Runner extends EventTarget {
  constructor(kernel) {
    super();
    this.kernel = kernel;
    this.waiting = [];
    this.running = null;
    this.mayFail = new Set(); // cells whose failure does not keep the others from running
    this.deleted = []; // ids of cells that were removed since the last run
  }

  emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  add(cells) {
    for (const cell of cells) {
      if (this.waiting.includes(cell)) continue;
      this.waiting.push(cell);
      if (cell !== this.running) cell.wait();
    }
    if (!this.working) this.working = this.work().finally(() => { this.working = null; });
    return this.working;
  }

  // drop forgets what waits.
  drop() {
    const all = this.waiting.splice(0);
    this.mayFail.clear();
    for (const cell of all) if (cell !== this.running) cell.unwait();
    return all;
  }

  async work() {
    while (this.waiting.length) {
      try {
        await this.kernel.start();
      } catch {
        return; // the page tells why, and asks whether to try again
      }
      const cell = this.waiting.shift();
      if (!cell) continue;
      const done = await this.execute(cell);
      if (done.reply.status !== "ok" && !this.mayFail.delete(cell) && !tagged(cell.data, "raises-exception")) this.drop();
      this.emit("ran", done);
    }
  }

  // execute returns {cell, reply, stale}.
  async execute(cell) {
    const { kernel } = this, place = cell.area.element;
    this.running = cell;
    cell.begin();
    this.emit("runs", cell);
    const output = (m) => {
      if (m.header.msg_type !== "input_request") cell.area.receive(m);
      else ask(place, m.content).then((line) => {
        if (line === null) return;
        if (!m.content.password) cell.area.stream({ name: "stdout", text: (m.content.prompt ?? "") + line + "\n" });
        kernel.answer(m, line);
      });
    };
    const content = { code: cell.source, silent: false, store_history: true, user_expressions: {}, allow_stdin: true, stop_on_error: true };
    const metadata = { cellId: cell.data.id, deletedCells: this.deleted.splice(0) };
    let reply;
    try {
      reply = await kernel.request("shell", "execute_request", content, { metadata, output });
    } catch (err) {
      reply = { content: { status: !err.ended ? "error" : kernel.state === "dead" ? "ended" : "stopped" } };
    }
    withdraw(place);
    this.running = null;
    cell.end(reply.content);
    return { cell, reply: reply.content, stale: reply.metadata?.overcomplete?.stale ?? [] };
  }

  // interrupt stops the cell that runs, and those that wait. It reports "hangs" if that is in vain.
  interrupt() {
    this.drop();
    const cell = this.running;
    if (!cell) return;
    this.kernel.interrupt().catch(() => {}); // it has ended
    setTimeout(() => { if (this.running === cell) this.emit("hangs", cell); }, patience);
  }
}
