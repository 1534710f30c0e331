// JupyterLab's page: what dev_mode/index.js of JupyterLab does, without extensions that are
// fetched from the server.
import './publicpath.js';
import { PageConfig, JupyterPluginRegistry } from '@jupyterlab/coreutils';
import { JupyterLab } from '@jupyterlab/application';
import { IConnectionStatus, IServiceManager } from '@jupyterlab/services';
import './build/style-lab.js';
import { plugins, mimeExtensions } from './build/plugins-lab.js';

// Announcements come from an address that only the Python package jupyterlab serves. A test may
// name more in window.labDisabled before the page is loaded, as ipywidgets' plugins.
const off = [
  ...PageConfig.Extension.disabled,
  ...(window.labDisabled || []),
  '@jupyterlab/apputils-extension:announcements'
];
const isOn = plugin => !off.some(name => name === plugin.id || name === plugin.id.split(':')[0]);

async function main() {
  const pluginRegistry = new JupyterPluginRegistry();
  pluginRegistry.registerPlugins(plugins.filter(isOn));
  const lab = new JupyterLab({
    pluginRegistry,
    serviceManager: await pluginRegistry.resolveRequiredService(IServiceManager),
    connectionStatus: await pluginRegistry.resolveOptionalService(IConnectionStatus),
    mimeExtensions: mimeExtensions.filter(isOn),
    disabled: { matches: off, patterns: off },
    deferred: { matches: [], patterns: [] },
    availablePlugins: []
  });
  window.jupyterapp = lab; // as with JupyterLab's --expose-app-in-browser
  await lab.start({ bubblingKeydown: true });
  await lab.restored;
  document.body.dataset.ready = 'yes';
}
window.addEventListener('load', main);
