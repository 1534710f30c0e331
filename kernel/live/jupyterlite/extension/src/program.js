// A Program is the kernel's program in a worker of its own.
const kept = 4000; // characters of what the runtime prints when it dies, of which the first say why

export class Program {
  onMessage = () => {};
  onDeath = () => {}; // with the reason; not if it has never run, then ready fails
  #worker;
  #loading;
  #raw = '';
  #runs = false;
  #ran;
  #failed;

  // newWorker makes the worker, newLoading what shows the loading, newStart what the worker is told.
  constructor({ newWorker, newLoading, newStart }) {
    this.ready = new Promise((ran, failed) => {
      this.#ran = ran;
      this.#failed = failed;
    });
    this.#loading = newLoading();
    this.#worker = newWorker();
    this.#worker.onmessage = ({ data }) => this.#hear(data);
    this.#worker.onerror = event => this.#dies(event.message || 'its worker could not be loaded');
    this.#worker.postMessage({ start: newStart() });
  }

  // send loses what comes before the program runs: Lab waits for ready, and an interrupt finds nothing
  // to stop.
  send(message) {
    if (this.#runs) this.#worker.postMessage({ message });
  }

  end() {
    this.#loading.end();
    this.#worker.terminate();
  }

  #hear({ message, progress, total, ready, raw, fault }) {
    if (message) this.onMessage(message);
    else if (progress !== undefined) this.#loading.progress(progress, total);
    else if (ready) this.#starts();
    else if (raw) this.#raw = (this.#raw + raw).slice(0, kept);
    else if (fault) this.#dies(fault);
  }

  #starts() {
    this.#runs = true;
    this.#loading.end();
    this.#ran();
  }

  #dies(reason) {
    this.end();
    const [why] = this.#raw.split('\n\n'); // behind it are stacks
    const text = [reason, why].filter(Boolean).join('\n');
    if (this.#runs) this.onDeath(text);
    else this.#failed(new Error(`The Go kernel did not start:\n${text}\nTo try again, choose it anew (Kernel, Change Kernel).`));
  }
}
