// Notebook 7's page of one notebook: what app/index.template.js of Notebook does for /notebooks,
// without extensions that are fetched from the server.
import './publicpath.js';
import { PluginRegistry } from '@lumino/coreutils';
import { NotebookApp } from '@jupyter-notebook/application';
import { IServiceManager } from '@jupyterlab/services';
import './build/style-notebook.js';
import { plugins, mimeExtensions } from './build/plugins-notebook.js';

async function main() {
  const off = window.labDisabled || [];
  const pluginRegistry = new PluginRegistry();
  pluginRegistry.registerPlugins(plugins.filter(p => !off.includes(p.id.split(':')[0])));
  const app = new NotebookApp({
    pluginRegistry,
    serviceManager: await pluginRegistry.resolveRequiredService(IServiceManager),
    mimeExtensions,
    availablePlugins: []
  });
  window.jupyterapp = app;
  await app.start();
  await app.restored;
  document.body.dataset.ready = 'yes';
}
window.addEventListener('load', main);
