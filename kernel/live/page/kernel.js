// The kernel: a worker that speaks Jupyter's messages, of which this is the front end's side.
//
// Events: "state" (off, loading, idle, busy, dead), "progress" {bytes, total}, "ready" {load, start}, "raw" {text},
// "fault" {text, download}, "message" (what no request of ours asked for: comms, updates of displays).

const session = Math.random().toString(36).slice(2);
let numbers = 0;

export class Kernel extends EventTarget {
  // make makes the worker; settings are those of its start message. before, if given, is awaited before each start,
  // which it can prevent.
  constructor(make, settings, before) {
    super();
    this.make = make;
    this.before = before;
    this.settings = settings;
    this.state = "off";
    this.files = {}; // what a reader has uploaded: there again after a restart
    this.reset();
  }

  reset() {
    this.worker = null;
    this.starting = null;
    this.requests = new Map(); // msg_id -> {resolve, reject, reply, idle, output}
    this.recent = []; // msg_ids of comm messages, whose outputs may come late
    this.asked = new Map(); // file requests
  }

  set(state) {
    if (this.state === state) return;
    this.state = state;
    this.dispatchEvent(new CustomEvent("state", { detail: state }));
  }

  emit(type, detail) { this.dispatchEvent(new CustomEvent(type, { detail })); }

  // start resolves when the kernel is there. Again says that what the browser has kept of it may be wrong.
  start(again = false) {
    if (this.starting) return this.starting;
    const starting = this.before ? this.before().then(() => this.begin(again)) : this.begin(again);
    this.starting = starting;
    starting.catch(() => { // who has not asked hears of it by the event
      if (this.starting === starting) this.starting = null;
    });
    return starting;
  }

  begin(again) {
    this.set("loading");
    return new Promise((resolve, reject) => {
      this.started = { resolve, reject };
      let worker;
      try {
        worker = this.worker = this.make();
      } catch (err) {
        this.fault({ fault: "its worker did not start (" + err.message + ")" });
        return;
      }
      worker.onmessage = ({ data }) => { if (worker === this.worker) this.receive(data); };
      worker.onerror = (e) => {
        e.preventDefault?.();
        if (worker === this.worker) this.fault({ fault: e.message || "its worker could not be fetched", download: !e.message });
      };
      worker.postMessage({ start: { ...this.settings, files: this.files, module: this.module, again } });
    });
  }

  receive(m) {
    if (m.message) this.fromKernel(m.message);
    else if (m.progress !== undefined) this.emit("progress", { bytes: m.progress, total: m.total });
    else if (m.module) this.module = m.module;
    else if (m.ready) {
      this.set("idle");
      this.emit("ready", m.ready);
      this.started.resolve();
    } else if (m.file) {
      const a = this.asked.get(m.file.id);
      this.asked.delete(m.file.id);
      if (m.file.error) a?.reject(new Error(m.file.error));
      else a?.resolve(m.file.result);
    } else if (m.raw !== undefined) this.emit("raw", { text: m.raw });
    else if (m.fault !== undefined) this.fault(m);
  }

  fault({ fault, download }) {
    this.stop("dead", fault);
    this.emit("fault", { text: fault, download: !!download });
  }

  // stop ends the worker, and with it everything that waits for it.
  stop(state = "off", why = "the kernel was stopped") {
    this.worker?.terminate();
    const { requests, asked, started } = this;
    this.reset();
    const err = Object.assign(new Error(why), { ended: true });
    started?.reject(err);
    for (const r of requests.values()) r.reject?.(err);
    for (const a of asked.values()) a.reject(err);
    this.set(state);
  }

  // restart starts another one, with the files of the old one if that can still give them. What is asked for meanwhile
  // waits for the new one.
  restart() {
    const patience = { idle: 1000, busy: 300 }[this.state] ?? 0; // ms: one that is busy may hang
    const kept = patience && Promise.race([this.keepFiles().catch(() => {}), new Promise((r) => setTimeout(r, patience))]);
    this.starting = Promise.resolve(kept).then(() => {
      this.stop();
      return this.start();
    });
    this.starting.catch(() => {});
    return this.starting;
  }

  async keepFiles(folder = "/home/notebooks") {
    for (const f of await this.file("list", folder)) {
      const path = folder + "/" + f.name;
      if (f.folder) await this.keepFiles(path);
      else this.files[path] = await this.file("get", path);
    }
  }

  // Files of the file system in the worker's memory: put, get, list, remove.
  file(what, path, data) {
    if (!this.worker) return Promise.reject(new Error("the kernel does not run"));
    const id = ++numbers;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      this.worker.postMessage({ file: { id, do: what, path, data } });
    });
  }

  message(channel, type, content, { metadata = {}, parent = {} } = {}) {
    const header = { msg_id: session + "-" + ++numbers, msg_type: type, session, username: "reader", date: new Date().toISOString(), version: "5.4" };
    return { channel, header, parent_header: parent, metadata, content };
  }

  // request resolves with the reply, when also the outputs have come. output is called with each message on the way.
  async request(channel, type, content, { metadata, output } = {}) {
    await this.start();
    const m = this.message(channel, type, content, { metadata });
    return new Promise((resolve, reject) => {
      this.requests.set(m.header.msg_id, { resolve, reject, output });
      this.worker.postMessage({ message: m });
    });
  }

  // tell sends what has no reply: the messages of comms. Their outputs may come when they have long been handled.
  tell(type, content, output) {
    if (!this.worker) return;
    const m = this.message("shell", type, content);
    this.requests.set(m.header.msg_id, { output, comm: true });
    this.recent.push(m.header.msg_id);
    if (this.recent.length > 100) this.requests.delete(this.recent.shift());
    this.worker.postMessage({ message: m });
  }

  answer(question, value) {
    this.worker?.postMessage({ message: this.message("stdin", "input_reply", { value }, { parent: question.header }) });
  }

  interrupt() { return this.request("control", "interrupt_request", {}); }

  fromKernel(m) {
    const type = m.header.msg_type, id = m.parent_header?.msg_id, r = this.requests.get(id);
    if (type === "status") {
      const busy = m.content.execution_state === "busy";
      if (this.state === "idle" || this.state === "busy") this.set(busy ? "busy" : "idle");
      if (r && m.content.execution_state === "idle") {
        r.idle = true;
        this.settle(id, r);
      }
      return;
    }
    if (m.channel === "shell" || m.channel === "control") {
      if (!r) return;
      r.reply = m;
      this.settle(id, r);
      return;
    }
    if (type.startsWith("comm_") || type === "update_display_data" || !r?.output) this.emit("message", m);
    else r.output(m);
  }

  settle(id, r) {
    if (r.comm || !r.reply || !r.idle) return;
    this.requests.delete(id);
    r.resolve(r.reply);
  }
}
