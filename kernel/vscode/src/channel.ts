// In the page that shows a notebook: the channel to the extension. The mime type of this renderer is never shown.

interface Context {
  postMessage?(message: unknown): void;
  onDidReceiveMessage?(listener: (message: unknown) => void): void;
}

export function activate(context: Context) {
  return {
    renderOutputItem() {},
    post: (message: unknown) => context.postMessage?.(message),
    listen: (listener: (message: unknown) => void) => context.onDidReceiveMessage?.(listener),
  };
}
