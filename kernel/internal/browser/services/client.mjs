// Speaks to a kernel by @jupyterlab/services, as JupyterLab, Notebook 7 and VS Code's Jupyter extension do,
// and prints what came of each step as a line of JSON: {"step": ..., "got": ...} or {"step": ..., "error": ...}.
//
//	node client.mjs URL TOKEN KERNEL
//
// What is sent where a comment names a file is what microsoft/vscode-jupyter sends there.
import { EventManager, KernelManager, KernelMessage, ServerConnection } from '@jupyterlab/services';
import WebSocket from 'ws';

const [url, token, name] = process.argv.slice(2);
const protocols = []; // of the kernel's sockets, as the server chose them
let heard = 0; // sockets of the server's events that are open
class NotedSocket extends WebSocket {
  constructor(address, ...args) {
    super(address, ...args);
    this.on('open', () => address.includes('/api/events/') ? heard++ : protocols.push(this.protocol));
  }
}
const serverSettings = ServerConnection.makeSettings({
  baseUrl: url, wsUrl: url.replace('http', 'ws'), token, appendToken: true, WebSocket: NotedSocket,
});

const soon = 60_000;
// waiting fails if p takes too long: a reply that never comes would hang the test.
const waiting = (p, what) => Promise.race([p, new Promise((_, no) => setTimeout(() => no(new Error(`no ${what} in ${soon} ms`)), soon).unref())]);
const until = async (what, f) => {
  for (const begin = Date.now(); Date.now() - begin < soon; await new Promise(r => setTimeout(r, 20))) if (f()) return;
  throw new Error(`waited in vain for ${what}`);
};

// What jupyter_server says of kernels to who listens, as JupyterLab does.
const events = [];
new EventManager({ serverSettings }).stream.connect((_, e) => { if (e.schema_id.endsWith('/kernel_actions/v1')) events.push(e); });
await until('the socket of events', () => heard > 0);

const manager = new KernelManager({ serverSettings });
await manager.ready;
const kernel = await waiting(manager.startNew({ name }), 'kernel');

// The fields are those of src/kernels/execution/cellExecution.ts, where metadata are the cell's and its address.
function run(code, more = {}, metadata = { cellId: 'vscode-notebook-cell:/home/ada/a.ipynb#W0sZmlsZQ%3D%3D', tags: [] }) {
  const types = [], texts = [], messages = [];
  const future = kernel.requestExecute({ code, silent: false, stop_on_error: false, allow_stdin: true, store_history: true, ...more }, false, metadata);
  future.onIOPub = m => {
    messages.push(m);
    types.push(m.header.msg_type === 'status' ? m.content.execution_state : m.header.msg_type);
    if (m.header.msg_type === 'stream') texts.push(m.content.text);
  };
  return { future, types, texts, messages, done: waiting(future.done, 'execute_reply') };
}
const value = r => r.messages.filter(m => m.header.msg_type === 'execute_result').map(m => m.content.data['text/plain']).join();

const steps = {
  info: async () => {
    const info = await waiting(kernel.info, 'kernel_info_reply');
    return { language: info.language_info, protocol: info.protocol_version, socket: protocols.at(-1) };
  },

  // rawKernelConnection.node.ts asks on both channels and wants a message on iopub as well.
  ready: async () => {
    const control = KernelMessage.createMessage({ msgType: 'kernel_info_request', channel: 'control', username: kernel.username, session: kernel.clientId, content: {} });
    const [a, b] = await waiting(Promise.all([kernel.sendControlMessage(control, true, true).done, kernel.requestKernelInfo()]), 'two kernel_info_replies');
    return [a.content.status, b.content.status];
  },

  execute: async () => {
    const r = run('import "fmt"\nfmt.Println("hello, wörld 😀")\n6 * 7');
    const reply = await r.done;
    return { status: reply.content.status, count: reply.content.execution_count, types: r.types, text: r.texts.join(''), value: value(r) };
  },

  // stop_on_error is false: the cells behind one that fails run, unless the client gives them up itself.
  errors: async () => {
    const cells = [run('panic("boom")'), run('1 + 1')];
    const replies = await Promise.all(cells.map(c => c.done));
    const error = cells[0].messages.find(m => m.header.msg_type === 'error').content;
    return { status: replies.map(r => r.content.status), evalue: error.evalue, traceback: error.traceback.length > 0, value: value(cells[1]) };
  },

  // kernelCompletionProvider.ts: it shows kinds only if each has a text.
  complete: async () => {
    const code = 'x := 1\nfmt.Printl';
    const { content } = await waiting(kernel.requestComplete({ code, cursor_pos: code.length }), 'complete_reply');
    const types = content.metadata._jupyter_types_experimental;
    return { status: content.status, matches: content.matches, range: [content.cursor_start, content.cursor_end], texts: types.every(t => typeof t.text === 'string'), type: types[0].type };
  },

  // It counts UTF-16, not characters, so that behind emoji the cursor is too far on, and may be behind the end.
  beyond: async () => {
    const code = 's := "😀😀😀"; fmt.Printl';
    const { content } = await waiting(kernel.requestComplete({ code, cursor_pos: code.length }), 'complete_reply');
    return { status: content.status, matches: content.matches };
  },

  // resolveCompletionItem.ts: the code up to the item, detail 0; what it shows is text/plain.
  inspect: async () => {
    const code = 'fmt.Println';
    const { content } = await waiting(kernel.requestInspect({ code, cursor_pos: code.length, detail_level: 0 }), 'inspect_reply');
    return { status: content.status, found: content.found, about: content.data['text/plain'].includes('Println formats using the default formats') };
  },

  others: async () => {
    const complete = await waiting(kernel.requestIsComplete({ code: 'func f() {' }), 'is_complete_reply');
    const history = await waiting(kernel.requestHistory({ hist_access_type: 'tail', n: 1, output: false, raw: true }), 'history_reply');
    return { complete: complete.content.status, history: history.content.history.at(-1)?.[2] };
  },

  // Requests are answered while a cell runs, and the interrupt stops it.
  interrupt: async () => {
    const r = run('fmt.Println("on its way")\nfor {\n}');
    await until('output', () => r.texts.length > 0);
    const begin = Date.now();
    await waiting(kernel.requestComplete({ code: 'fmt.Pri', cursor_pos: 7 }), 'complete_reply');
    const answered = Date.now() - begin;
    await waiting(kernel.interrupt(), 'interrupt');
    const reply = await r.done;
    return { ename: reply.content.ename, status: reply.content.status, answered, idle: r.types.at(-1) };
  },

  // cellExecutionMessageHandler.ts answers with the request's header as the parent.
  input: async () => {
    const asked = [];
    const r = run('import "overcomplete/ui/display"\nvar name string\nfmt.Print("name? ")\nfmt.Scan(&name)\nword, _ := display.Password("word? ")\nname + " " + word');
    r.future.onStdin = m => {
      asked.push([m.content.prompt, m.content.password]);
      kernel.sendInputReply({ value: m.content.password ? 'secret' : 'Ada', status: 'ok' }, m.header);
    };
    const reply = await r.done;
    return { status: reply.content.status, asked, value: value(r) };
  },

  // The box is closed, or nobody may be asked.
  noinput: async () => {
    const r = run('var other string\n_, err := fmt.Scan(&other)\nerr != nil', { allow_stdin: false });
    const reply = await r.done;
    return { status: reply.content.status, value: value(r) };
  },

  // A control's models are opened, changed from the page (with a buffer too), and known to who asks.
  comm: async () => {
    const opened = [];
    kernel.registerCommTarget('jupyter.widget', (comm, m) => { opened.push([comm, m.content.data.state]); });
    const r = run('import "overcomplete/ui/widget"\nslider := widget.IntSlider("k", 0, 10, 3)\nslider');
    const reply = await r.done;
    await until('the slider', () => opened.some(([, state]) => state._model_name === 'IntSliderModel'));
    const [comm] = opened.find(([, state]) => state._model_name === 'IntSliderModel');
    await waiting(comm.send({ method: 'update', state: { value: 8 }, buffer_paths: [] }, {}, [new Uint8Array([1, 2, 3]).buffer]).done, 'idle of a comm_msg');
    const after = run('slider.Value()');
    await after.done;
    const info = await waiting(kernel.requestCommInfo({ target_name: 'jupyter.widget' }), 'comm_info_reply');
    const view = r.messages.some(m => m.content.data?.['application/vnd.jupyter.widget-view+json']);
    return { status: reply.content.status, view, value: value(after), known: comm.commId in info.content.comms };
  },

  // Whether there is a debugger or not: each request has an answer, which names it.
  debug: async () => {
    const { content } = await waiting(kernel.requestDebug({ seq: 7, type: 'request', command: 'debugInfo', arguments: {} }, true).done, 'debug_reply');
    return { type: content.type, seq: content.request_seq, command: content.command, success: content.success };
  },

  long: async () => {
    const n = 100_000, begin = Date.now();
    const r = run(`for i := range ${n} { fmt.Println("line", i) }`);
    await r.done;
    const lines = r.texts.join('').split('\n');
    return { lines: lines.length - 1, last: lines.at(-2), messages: r.texts.length, ms: Date.now() - begin };
  },

  restart: async () => {
    await waiting(kernel.restart(), 'restart');
    const r = run('slider');
    const reply = await r.done;
    const again = run('1 + 1');
    await again.done;
    return { status: reply.content.status, count: reply.content.execution_count, value: value(again) };
  },

  // The last step, which ends the kernel.
  events: async () => {
    const id = kernel.id;
    await waiting(kernel.shutdown(), 'shutdown');
    const mine = () => events.filter(e => e.kernel_id === id);
    await until('the event of the shutdown', () => mine().some(e => e.action === 'shutdown'));
    return mine().map(e => `${e.action} of ${e.kernel_name}: ${e.status}`);
  },
};

for (const [step, take] of Object.entries(steps)) {
  try {
    console.log(JSON.stringify({ step, got: await take() }));
  } catch (e) {
    console.log(JSON.stringify({ step, error: String(e?.stack ?? e) }));
  }
}
process.exit(0); // the manager goes on asking the server for its kernels
