// How the test reads and uses the classic Notebook (6): see frontEnd in frontend_test.go.
window.client = {
  ready() {
    const nb = window.Jupyter && Jupyter.notebook;
    return nb && nb._fully_loaded && nb.kernel && nb.kernel.is_connected() && document.querySelector('#kernel_indicator_icon.kernel_idle_icon');
  },
  busy: () => document.querySelector('#kernel_indicator_icon.kernel_busy_icon'),
  kernelName: () => document.querySelector('#kernel_indicator .kernel_indicator_name').innerText.trim(),
  highlighted: () => document.querySelector('.cm-keyword'),
  logo: () => document.querySelector('.current_kernel_logo').naturalWidth > 0,

  scroller: () => document.querySelector('#site'),
  length: () => Jupyter.notebook.ncells(),
  find: text => Jupyter.notebook.get_cells().findIndex(c => c.get_text().includes(text)),
  cell: n => Jupyter.notebook.get_cell(n).element[0],
  source: n => Jupyter.notebook.get_cell(n).get_text(),
  setSource: (n, text) => { Jupyter.notebook.get_cell(n).set_text(text); return true; },
  done: n => typeof Jupyter.notebook.get_cell(n).input_prompt_number === 'number',
  waiting: n => Jupyter.notebook.get_cell(n).input_prompt_number === '*',
  code: n => Jupyter.notebook.get_cell(n).cell_type === 'code',
  output: n => Jupyter.notebook.get_cell(n).output_area.element[0],
  text: n => client.output(n).innerText,
  outputs: n => Jupyter.notebook.get_cell(n).output_area.toJSON(),
  stdout: n => [...client.output(n).querySelectorAll('.output_stdout pre')].map(e => e.innerText).join(''),
  reveal: n => { client.cell(n).scrollIntoView(); return true; },
  add(source) {
    const nb = Jupyter.notebook, cell = nb.insert_cell_at_bottom('code'), n = nb.ncells() - 1;
    cell.set_text(source);
    nb.select(n);
    nb.focus_cell();
    nb.edit_mode();
    cell.code_mirror.execCommand('goDocEnd');
    client.reveal(n);
    return n;
  },

  dirty: () => Jupyter.notebook.dirty,
  trusted: () => Jupyter.notebook.trusted,
  trust: () => { Jupyter.notebook.trusted = true; return true; }, // what shows the outputs of a page's second load
  openComms: () => new Promise(done => Jupyter.notebook.kernel.comm_info('overcomplete.widget', m => done(Object.keys(m.content.comms).length))),

  choices: () => [...(document.querySelector('#complete select')?.options || [])].map(o => o.text),
  tooltip() {
    const e = document.querySelector('#tooltip');
    return e && e.offsetHeight > 0 && e.style.display !== 'none' ? e.innerText : '';
  },
  box: () => document.querySelector('input.raw_input'),
  dialog: () => document.querySelector('.modal.in, .modal.show')?.innerText || '',

  // What of a cell's output is a control, how a slider stands, and where the mouse takes its
  // handle for a value.
  slider: (n, i) => client.output(n).querySelectorAll('input[type=range]')[i],
  stands(slider) {
    const r = slider.getBoundingClientRect(), half = r.height / 2;
    const at = v => ({ x: r.x + half + (r.width - 2 * half) * (v - slider.min) / (slider.max - slider.min), y: r.y + r.height / 2 });
    return { value: Number(slider.value), now: at(slider.value), at };
  },
  alive: slider => !slider.disabled,

  buttons: {
    runAll: ['#celllink', '#run_all_cells a'],
    interrupt: ['button[data-jupyter-action="jupyter-notebook:interrupt-kernel"]'],
    restart: ['#kernellink', '#restart_kernel a', '.modal .btn-danger'],
    save: ['button[data-jupyter-action="jupyter-notebook:save-notebook"]'],
    accept: ['.modal.in .btn-primary, .modal.in .btn-default, .modal.in button']
  },
  button: selector => document.querySelector(selector)
};
