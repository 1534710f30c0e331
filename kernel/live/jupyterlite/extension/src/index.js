// The plugin: it makes the kernel known to JupyterLite.
import { Notification } from '@jupyterlab/apputils';
import { PageConfig } from '@jupyterlab/coreutils';
import { INotebookTracker } from '@jupyterlab/notebook';
import { IKernelClient, IKernelSpecs } from '@jupyterlite/services';
import { passInterrupts } from './interrupts.js';
import { Kernel } from './kernel.js';
import { Loading } from './loading.js';
import { openNotebooks } from './notebooks.js';
import { runtime } from './runtime.js';
import logo from './logo.svg';

const id = 'overcomplete-jupyterlite:kernel';

const spec = {
  name: 'overcomplete',
  display_name: 'Go (overcomplete)',
  language: 'go',
  argv: [],
  env: {},
  metadata: {},
  resources: { 'logo-svg': 'data:image/svg+xml,' + encodeURIComponent(logo) }
};

export default {
  id,
  description: 'A kernel for Go that runs in the browser.',
  autoStart: true,
  requires: [IKernelSpecs, IKernelClient],
  optional: [INotebookTracker],
  activate(_, specs, client, tracker) {
    const kernels = new Map();
    passInterrupts(client, kernels);
    specs.register({
      spec,
      async create(options) {
        const { worker, ...start } = await runtime(PageConfig, id);
        const kernel = await Kernel.start(options, {
          newWorker: () => new Worker(worker),
          newLoading: () => new Loading(Notification),
          newStart: () => ({ ...start, html: false, files: openNotebooks(tracker) })
        });
        kernels.set(kernel.id, kernel);
        kernel.disposed.connect(() => {
          if (kernels.get(kernel.id) === kernel) kernels.delete(kernel.id);
        });
        return kernel;
      }
    });
  }
};
