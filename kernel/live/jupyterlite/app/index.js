// JupyterLab with JupyterLite's services in place of a server.
import { PageConfig, JupyterPluginRegistry } from '@jupyterlab/coreutils';
import { JupyterLab } from '@jupyterlab/application';
import { IServiceManager } from '@jupyterlab/services';
import './build/style.js';
import { plugins, mimeExtensions } from './build/plugins.js';
import { disabled } from './plugins.json';

// What of Lab wants a server, for which JupyterLite has something else, and JupyterLite's service
// worker: it gives kernels files and input where they cannot wait, which this one can, and it
// unregisters the service workers of all other pages of its origin.
const off = [...PageConfig.Extension.disabled, ...disabled];
const isOn = plugin => !off.some(name => name === plugin.id || name === plugin.id.split(':')[0]);

export async function start(more) {
  const all = [...plugins, ...more.plugins].filter(isOn);
  const pluginRegistry = new JupyterPluginRegistry();
  pluginRegistry.registerPlugins(all);
  const lab = new JupyterLab({
    pluginRegistry,
    serviceManager: await pluginRegistry.resolveRequiredService(IServiceManager),
    mimeExtensions: [...mimeExtensions, ...more.mimeExtensions].filter(isOn),
    disabled: { matches: off, patterns: off },
    deferred: { matches: [], patterns: [] },
    availablePlugins: []
  });
  lab.name = PageConfig.getOption('appName') || 'JupyterLite';
  window.jupyterapp = lab; // as with JupyterLab's --expose-app-in-browser
  await lab.start({ bubblingKeydown: true });
  await lab.restored;
  document.body.dataset.ready = 'yes';
}
