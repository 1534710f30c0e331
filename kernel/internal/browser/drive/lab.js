// How the test reads and uses JupyterLab 4 and Notebook 7, which are made of the same parts: see
// frontEnd in frontend_test.go.
window.client = (() => {
  const isNotebook = w => w?.context && w.content.widgets;
  const panel = () => [jupyterapp.shell.currentWidget, ...jupyterapp.shell.widgets('main')].find(isNotebook);
  const notebook = () => panel().content;
  const kernel = () => panel().sessionContext.session?.kernel;
  const cell = n => notebook().widgets[n];
  const prompt = n => cell(n).promptNode?.textContent || '';
  const one = selector => document.querySelector(selector);
  // A menu of the menu bar is known by its text alone.
  const menu = text => [...document.querySelectorAll('.lm-MenuBar-item')].find(e => e.innerText.trim() === text);

  let restored = false;
  const isRestored = () => {
    window.jupyterapp?.restored.then(() => { restored = true; });
    return restored;
  };

  return {
    ready: () => isRestored() && panel()?.context.isReady &&
      kernel()?.status === 'idle' && kernel().connectionStatus === 'connected',
    busy: () => kernel()?.status === 'busy',
    kernelName: () => one('.jp-KernelName').innerText.trim(),
    highlighted: () => notebook().node.querySelector('.jp-CodeCell .cm-content span[class]'),
    // Lab shows the kernel's logo in its launcher alone, and there from the same address.
    logo: () => fetch(Object.values(jupyterapp.serviceManager.kernelspecs.specs.kernelspecs.overcomplete.resources)[0]).then(r => r.ok),

    scroller: () => notebook().node.querySelector('.jp-WindowedPanel-outer') || notebook().node,
    length: () => notebook().widgets.length,
    find: text => notebook().widgets.findIndex(c => c.model.sharedModel.source.includes(text)),
    cell: n => cell(n).node,
    source: n => cell(n).model.sharedModel.source,
    setSource: (n, text) => { cell(n).model.sharedModel.setSource(text); return true; },
    // A cell whose source is hidden has no prompt that could be read.
    done: n => typeof cell(n).model.executionCount === 'number' && !prompt(n).includes('*'),
    waiting: n => prompt(n).includes('*'),
    code: n => cell(n).model.type === 'code',
    output: n => cell(n).outputArea.node,
    text(n) { // of what is scrolled away Lab has the browser render nothing
      const output = client.output(n);
      if (!output.checkVisibility({ contentVisibilityAuto: true })) client.reveal(n);
      return output.innerText;
    },
    outputs: n => cell(n).model.outputs?.toJSON() || [],
    stdout: n => [...client.output(n).querySelectorAll('[data-mime-type="application/vnd.jupyter.stdout"]')].map(e => e.innerText).join(''),
    reveal: n => { cell(n).node.scrollIntoView(); return true; },
    async add(source) {
      const nb = notebook(), shared = nb.model.sharedModel, n = shared.cells.length;
      shared.insertCell(n, { cell_type: 'code', source, metadata: {} });
      nb.deselectAll();
      nb.activeCellIndex = n;
      client.reveal(n);
      await nb.widgets[n].ready;
      nb.mode = 'edit';
      const editor = nb.widgets[n].editor;
      editor.focus();
      editor.setCursorPosition(editor.getPositionAt(source.length));
      return n;
    },

    dirty: () => panel().context.model.dirty,
    trusted: () => notebook().widgets.every(c => c.model.type !== 'code' || c.model.trusted),
    trust: () => true, // the server remembers what was saved
    openComms: () => kernel().requestCommInfo({}).then(m => Object.keys(m.content.comms).length),

    choices: () => [...document.querySelectorAll('.jp-Completer:not(.lm-mod-hidden) .jp-Completer-item .jp-Completer-match')].map(e => e.innerText.trim()),
    tooltip: () => one('.jp-Tooltip')?.innerText || '',
    // A box that has its answer is hidden before it goes.
    box: () => [...document.querySelectorAll('.jp-Stdin-input')].filter(e => e.offsetWidth > 0).pop(),
    dialog: () => one('.jp-Dialog')?.innerText || '',

    slider: (n, i) => client.output(n).querySelectorAll('.widget-slider .noUi-handle, input[type=range]')[i],
    stands(slider) {
      const base = slider.closest('.noUi-base').getBoundingClientRect(), h = slider.getBoundingClientRect();
      const min = Number(slider.ariaValueMin), max = Number(slider.ariaValueMax);
      const at = v => ({ x: base.x + base.width * (v - min) / (max - min), y: h.y + h.height / 2 });
      return { value: Number(slider.closest('.widget-slider').querySelector('.widget-readout').textContent), now: { x: h.x + h.width / 2, y: h.y + h.height / 2 }, at };
    },
    alive: slider => !slider.disabled,

    buttons: {
      runAll: ['menu Run', '.lm-Menu-item[data-command="runmenu:run-all"]'],
      interrupt: ['.jp-NotebookPanel-toolbar [data-jp-item-name="interrupt"] jp-button, .jp-NotebookPanel-toolbar [data-jp-item-name="interrupt"] button'],
      restart: ['.jp-NotebookPanel-toolbar [data-jp-item-name="restart"] jp-button, .jp-NotebookPanel-toolbar [data-jp-item-name="restart"] button', '.jp-Dialog .jp-mod-accept'],
      save: ['.jp-NotebookPanel-toolbar [data-jp-item-name="save"] jp-button, .jp-NotebookPanel-toolbar [data-jp-item-name="save"] button'],
      accept: ['.jp-Dialog .jp-mod-accept']
    },
    button: what => what.startsWith('menu ') ? menu(what.slice(5)) : one(what)
  };
})();
