// In the page that shows a notebook: sliders and other controls. They are HTML with a script of their own
// (ui/widget/page.js), which looks for the kernel of the classic Notebook, as on live pages. This script runs
// before any output is shown.

import { Comms } from "../../live/page/comms.js";
import { serveWidgets } from "../../live/page/widgets.js";

interface Channel { post(message: unknown): void; listen(listener: (message: unknown) => void): void }

interface Context { getRenderer(id: string): Promise<unknown> }

// PageKernel has what Comms and serveWidgets need of a kernel.
class PageKernel extends EventTarget {
  state = "off";
  channel: Channel | undefined;

  tell(type: string, content: object) { this.channel?.post({ type, content }); }

  receive(m: { state?: string; header?: object; content?: object }) {
    if (m.state) {
      this.state = m.state;
      this.dispatchEvent(new CustomEvent("state", { detail: m.state }));
    } else {
      this.dispatchEvent(new CustomEvent("message", { detail: m }));
    }
  }
}

export async function activate(context: Context) {
  const kernel = new PageKernel(), area = { element: document.body, outputs: [], receive() {} };
  serveWidgets(kernel, new Comms(kernel), () => ({ area }));
  const channel = await context.getRenderer("overcomplete.channel") as Channel | undefined;
  if (!channel) return;
  kernel.channel = channel;
  // VS Code leaves no space around an output that was empty at first, as controls are until the kernel answers.
  const style = document.createElement("style");
  style.textContent = "[class*=overcomplete-page-] { margin: 8px 0 }";
  document.head.append(style);
  channel.listen((m) => kernel.receive(m as object));
  channel.post({ ask: "state" });
}
