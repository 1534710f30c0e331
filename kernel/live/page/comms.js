// Comms: the named channels between a page and the kernel over which controls are moved.

let numbers = 0;

export class Comms {
  constructor(kernel) {
    this.kernel = kernel;
    this.open = new Map();
    kernel.addEventListener("message", ({ detail }) => this.receive(detail));
    kernel.addEventListener("state", ({ detail }) => { if (detail === "off" || detail === "dead") this.end(); });
  }

  // create opens a comm; output is called with what the kernel shows because of its messages.
  create(target, data, output) {
    const id = "page-" + Date.now().toString(36) + "-" + ++numbers, { kernel } = this;
    const comm = {
      comm_id: id, target_name: target, message: null, closed: null,
      send(data) { kernel.tell("comm_msg", { comm_id: id, data }, output); },
      close: () => {
        this.open.delete(id);
        kernel.tell("comm_close", { comm_id: id, data: {} }, output);
      },
    };
    this.open.set(id, comm);
    kernel.tell("comm_open", { comm_id: id, target_name: target, data }, output);
    return comm;
  }

  // The kernel also opens comms of its own, for front ends with ipywidgets: they are nobody's here.
  receive({ header, content }) {
    const comm = this.open.get(content?.comm_id);
    if (!comm) return;
    if (header.msg_type === "comm_msg") comm.message?.({ content });
    if (header.msg_type === "comm_close") {
      this.open.delete(content.comm_id);
      comm.closed?.({ content });
    }
  }

  // end tells the controls that the kernel has gone.
  end() {
    const all = [...this.open.values()];
    this.open.clear();
    for (const c of all) c.closed?.({ content: { data: {} } });
  }
}
