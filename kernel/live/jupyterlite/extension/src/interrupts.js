// passInterrupts tells the kernels of a map (by id) when they are to be interrupted. JupyterLite's
// client only takes back what it has not yet passed to a kernel, and an IKernel has no method that
// it would call.
export function passInterrupts(client, kernels) {
  const before = client.interrupt.bind(client);
  client.interrupt = async id => {
    kernels.get(id)?.interrupt();
    await before(id);
  };
}
