// A Kernel is JupyterLite's IKernel: it passes messages on to the program in a worker and back, as
// they are. All of the protocol is the program's.
import { KernelMessage } from '@jupyterlab/services';
import { Signal } from '@lumino/signaling';
import { decode, encode } from './buffers.js';
import { Program } from './program.js';

export class Kernel {
  #send;
  #host;
  #program;
  #client = ''; // the session that spoke last
  #running = null; // the header of the execute_request that came last
  #disposed = new Signal(this);

  // start gives a kernel that runs, or fails with what Lab shows in its dialog: what it lacks is not
  // to be found out cell by cell. host is what a Program wants.
  static async start(options, host) {
    const kernel = new Kernel(options, host);
    try {
      await kernel.ready;
    } catch (error) {
      kernel.dispose();
      throw error;
    }
    return kernel;
  }

  constructor({ id, name, location, sendMessage }, host) {
    Object.assign(this, { id, name, location, isDisposed: false });
    this.#send = sendMessage;
    this.#host = host;
    this.#begin();
  }

  get ready() {
    return this.#program.ready;
  }

  get disposed() {
    return this.#disposed;
  }

  // handleMessage returns at once. The client has one message handled at a time, and would hold back
  // completion, controls and the debugger until a cell has ended.
  async handleMessage(message) {
    this.#client = message.header.session;
    if (message.header.msg_type === 'execute_request') this.#running = message.header;
    this.#program.send({ ...message, buffers: encode(message.buffers) });
  }

  // interrupt has nobody who waits for its reply.
  interrupt() {
    const session = this.#client;
    this.#program.send(KernelMessage.createMessage({ channel: 'control', msgType: 'interrupt_request', session, content: {} }));
  }

  dispose() {
    if (this.isDisposed) return;
    this.isDisposed = true;
    this.#program.end();
    this.#disposed.emit();
    Signal.clearData(this);
  }

  #begin() {
    const program = new Program(this.#host);
    this.#program = program;
    program.onMessage = message => this.#deliver(message);
    program.onDeath = text => this.#again(text);
  }

  // #deliver gives a message to the clients. JupyterLite finds the socket of a reply by its own
  // session, and sends what is for all only if that is one of a client.
  #deliver(message) {
    const session = (message.channel !== 'iopub' && message.parent_header?.session) || this.#client;
    const header = { ...message.header, session };
    this.#send({ ...message, header, buffers: decode(message.buffers) });
  }

  // #again starts another program in the place of one that has died, under the same id and sockets:
  // Lab takes the status as a server's word that it did so.
  #again(text) {
    this.#publish('stream', { name: 'stderr', text: `The kernel has ended, and starts again without what it knew.\n${text}` }, this.#running);
    this.#publish('status', { execution_state: 'restarting' });
    this.#running = null;
    this.#begin();
    this.ready.catch(() => this.#publish('status', { execution_state: 'dead' }));
  }

  #publish(msgType, content, parentHeader = null) {
    this.#deliver(KernelMessage.createMessage({ channel: 'iopub', msgType, session: '', content, parentHeader: parentHeader ?? {} }));
  }
}
