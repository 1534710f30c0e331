// The kernel behind JupyterLite's own client: what a front end sends goes through its mock of a socket
// to a worker that is played here, and back. 'npm test' in ../../app bundles and runs it.
import test from 'node:test';
import assert from 'node:assert/strict';
import './page.js';
import { KernelManager, ServerConnection } from '@jupyterlab/services';
import { KernelSpecs, LiteKernelClient, LiteKernelSpecClient } from '@jupyterlite/services';
import { WebSocket } from 'mock-socket';
import { passInterrupts } from '../src/interrupts.js';
import { Kernel } from '../src/kernel.js';

// A Worker is the kernel's side as far as a test tells it: it answers kernel_info, and gives all else
// to heard, which may answer.
class Worker {
  constructor(heard) {
    this.heard = heard;
    this.got = [];
  }

  postMessage(data) {
    this.got.push(data);
    queueMicrotask(() => this.hear(data));
  }

  hear({ start, message }) {
    if (start) this.start();
    else if (message.header.msg_type !== 'kernel_info_request') this.heard(message, this);
    else this.answers(message, 'kernel_info_reply', { status: 'ok', protocol_version: '5.4', implementation: 'test', implementation_version: '1', language_info: { name: 'go' }, banner: '', help_links: [] });
  }

  // start takes some time, as it does: the mock of a socket that a restart closes is closed later, and
  // with it one that is opened at once under the same address.
  start() {
    setTimeout(() => this.say({ ready: { load: 1, start: 1 } }), 20);
  }

  say(data) {
    if (!this.over) this.onmessage({ data });
  }

  // answers a message and, on iopub, says that nothing is left to do, under a session of its own.
  answers(to, msg_type, content, channel = to.channel) {
    this.tells(to, msg_type, content, channel);
    this.tells(to, 'status', { execution_state: 'idle' }, 'iopub');
  }

  tells(to, msg_type, content, channel = 'iopub', more = {}) {
    const header = { msg_id: crypto.randomUUID(), msg_type, session: 'of the kernel', username: '', date: '', version: '5.4' };
    this.say({ message: { channel, header, parent_header: to?.header ?? {}, metadata: {}, content, ...more } });
  }

  terminate() {
    this.over = true;
  }
}

// begin gives what a page of JupyterLite has: a manager, and a kernel whose workers are in a list.
async function begin(t, heard, workers = []) {
  const specs = new KernelSpecs();
  const client = new LiteKernelClient({ kernelSpecs: specs });
  const kernels = new Map();
  const loading = [];
  passInterrupts(client, kernels);
  specs.register({
    spec: { name: 'overcomplete', display_name: 'Go', language: 'go', argv: [], resources: {} },
    async create(options) {
      const kernel = await Kernel.start(options, {
        newWorker: () => (workers.push(new Worker(heard)), workers.at(-1)),
        newLoading: () => ({ progress: (...of) => loading.push(of), end: () => loading.push('end') }),
        newStart: () => ({ kernel: 'k.wasm' })
      });
      kernels.set(kernel.id, kernel);
      return kernel;
    }
  });
  const serverSettings = { ...ServerConnection.makeSettings(), WebSocket };
  const manager = new KernelManager({ serverSettings, kernelAPIClient: client, kernelSpecAPIClient: new LiteKernelSpecClient({ kernelSpecs: specs }) });
  t.after(() => manager.dispose());
  await manager.ready;
  const start = () => manager.startNew({ name: 'overcomplete' });
  return { client, loading, manager, start, workers };
}

const echo = (message, worker) => {
  if (message.header.msg_type !== 'execute_request') return;
  worker.tells(message, 'stream', { name: 'stdout', text: message.content.code });
  worker.answers(message, 'execute_reply', { status: 'ok', execution_count: 1 });
};

test('a cell runs, and its output comes to all who are connected', async t => {
  const { manager, start } = await begin(t, echo);
  const kernel = await start();
  const other = manager.connectTo({ model: kernel.model });
  await other.info;
  const seen = new Promise(done => other.iopubMessage.connect((_, m) => m.header.msg_type === 'stream' && done(m.content.text)));
  const future = kernel.requestExecute({ code: 'hello' });
  let shown = '';
  future.onIOPub = m => { if (m.header.msg_type === 'stream') shown += m.content.text; };
  assert.equal((await future.done).content.status, 'ok');
  assert.equal(shown, 'hello');
  assert.equal(await seen, 'hello');
});

test('while a cell runs the kernel completes, and its controls move', async t => {
  let running;
  const { start } = await begin(t, (message, worker) => {
    switch (message.header.msg_type) {
      case 'execute_request': running = message; break;
      case 'complete_request': worker.answers(message, 'complete_reply', { status: 'ok', matches: ['ToUpper'], cursor_start: 0, cursor_end: 0, metadata: {} }); break;
      case 'comm_msg': worker.answers(running, 'execute_reply', { status: 'ok', execution_count: message.content.data.value }, 'shell');
    }
  });
  const kernel = await start();
  const future = kernel.requestExecute({ code: 'for {}' });
  const reply = await kernel.requestComplete({ code: 'ToU', cursor_pos: 3 });
  assert.deepEqual(reply.content.matches, ['ToUpper']);
  kernel.createComm('jupyter.widget', 'slider').send({ value: 7 });
  assert.equal((await future.done).content.execution_count, 7);
});

test('an interrupt is a message on the control channel', async t => {
  let running, runs;
  const begun = new Promise(done => { runs = done; });
  const { start } = await begin(t, (message, worker) => {
    if (message.header.msg_type === 'execute_request') runs(running = message);
    else if (message.header.msg_type === 'interrupt_request') {
      assert.equal(message.channel, 'control');
      worker.answers(running, 'execute_reply', { status: 'error', ename: 'Interrupted', evalue: '', traceback: [], execution_count: 1 }, 'shell');
      worker.answers(message, 'interrupt_reply', { status: 'ok' });
    }
  });
  const kernel = await start();
  const future = kernel.requestExecute({ code: 'for {}' });
  await begun;
  await kernel.interrupt();
  assert.equal((await future.done).content.ename, 'Interrupted');
});

test('a cell asks, and is answered', async t => {
  let running;
  const { start } = await begin(t, (message, worker) => {
    if (message.header.msg_type === 'execute_request') {
      running = message;
      worker.tells(message, 'input_request', { prompt: 'name? ', password: false }, 'stdin');
    } else if (message.header.msg_type === 'input_reply') {
      worker.tells(running, 'stream', { name: 'stdout', text: message.content.value });
      worker.answers(running, 'execute_reply', { status: 'ok', execution_count: 1 }, 'shell');
    }
  });
  const kernel = await start();
  const future = kernel.requestExecute({ code: 'fmt.Scan' });
  let shown = '';
  future.onStdin = m => kernel.sendInputReply({ status: 'ok', value: 'Ada' }, m.header);
  future.onIOPub = m => { if (m.header.msg_type === 'stream') shown += m.content.text; };
  await future.done;
  assert.equal(shown, 'Ada');
});

test('buffers go both ways', async t => {
  const { start } = await begin(t, (message, worker) => {
    if (message.header.msg_type !== 'comm_msg') return;
    assert.deepEqual(message.buffers, ['AP8=']);
    worker.tells(message, 'comm_msg', { comm_id: message.content.comm_id, data: {} }, 'iopub', { buffers: ['AQI='] });
  });
  const kernel = await start();
  const comm = kernel.createComm('jupyter.widget');
  const answer = new Promise(done => { comm.onMsg = done; });
  comm.send({}, {}, [new Uint8Array([0, 255])]);
  assert.deepEqual([...new Uint8Array((await answer).buffers[0].buffer)], [1, 2]);
});

test('a kernel that dies says why, and another is there', async t => {
  const { start, workers } = await begin(t, (message, worker) => {
    if (message.header.msg_type !== 'execute_request') return;
    if (message.content.code !== 'die') return echo(message, worker);
    worker.say({ raw: 'fatal error: all is lost\n\ngoroutine 1:\n' });
    worker.say({ fault: 'it has ended with status 2' });
  });
  const kernel = await start();
  const states = [];
  kernel.statusChanged.connect((_, state) => states.push(state));
  const future = kernel.requestExecute({ code: 'die' });
  future.done.catch(() => {}); // Lab takes back what the kernel had not answered
  let shown = '';
  future.onIOPub = m => { if (m.header.msg_type === 'stream') shown += m.content.text; };
  await new Promise(done => kernel.statusChanged.connect((_, state) => states.includes('autorestarting') && state === 'idle' && done()));
  assert.match(shown, /status 2\nfatal error: all is lost$/);
  assert.equal(workers.length, 2);
  assert.ok(workers[0].over && !workers[1].over);
  assert.equal((await kernel.requestExecute({ code: 'again' }).done).content.status, 'ok');
});

test('a kernel that cannot be fetched does not start, and says so', async t => {
  const workers = [];
  const { start, loading } = await begin(t, echo, workers);
  const before = Worker.prototype.start;
  t.after(() => { Worker.prototype.start = before; });
  Worker.prototype.start = function () {
    this.say({ progress: 1, total: 2 });
    this.say({ fault: 'the server answered 404', download: true });
  };
  await assert.rejects(start(), /did not start:\nthe server answered 404\nTo try again/);
  assert.deepEqual(loading, [[1, 2], 'end', 'end']);
  assert.ok(workers[0].over);
});

test('a restart is a new worker, and the old one ends', async t => {
  const { start, workers } = await begin(t, echo);
  const kernel = await start();
  await kernel.info;
  await kernel.restart();
  assert.equal(workers.length, 2);
  assert.ok(workers[0].over);
  assert.equal((await kernel.requestExecute({ code: 'x' }).done).content.status, 'ok');
  await kernel.shutdown();
  assert.ok(workers[1].over);
});
