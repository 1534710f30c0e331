// What the scripts of package widget (ui/widget/page.js) look for in a page: the classic Notebook's kernel, and the
// cell that an element is in, as far as they use them.

import { drawOutputs } from "./outputs.js";

// serveWidgets puts window.Jupyter and, unless the page has one, jQuery's little part there. cellAt returns the cell
// of an element.
export function serveWidgets(kernel, comms, cellAt) {
  const connected = () => kernel.state === "idle" || kernel.state === "busy";
  const commManager = {
    new_comm(target, data, callbacks) {
      const comm = comms.create(target, data, callbacks?.iopub?.output);
      return {
        comm_id: comm.comm_id, send: comm.send, close: comm.close,
        on_msg(f) { comm.message = f; },
        on_close(f) { comm.closed = f; },
      };
    },
  };
  window.Jupyter = { notebook: { kernel: { is_connected: connected, comm_manager: commManager } } };
  window.jQuery ??= (element) => ({ closest: () => ({ data: () => classicCell(cellAt(element)) }) });
}

function classicCell(cell) {
  if (!cell) return undefined;
  const { area } = cell;
  return {
    get_callbacks: () => ({ iopub: { output: (m) => area.receive(m) } }),
    output_area: {
      config: {}, events: {}, keyboard_manager: {}, element: [area.element],
      get outputs() { return area.outputs; },
      constructor: function ({ selector }) { this.fromJSON = (outputs) => drawOutputs(selector, outputs); },
    },
  };
}
