// load loads the site's prebuilt extensions, in the form that 'jupyter labextension build' gives
// them, and returns their plugins. One that cannot be loaded is left out, and the console says so.
export async function load(config) {
  const list = config.federated_extensions ?? [];
  await __webpack_init_sharing__('default');
  const modules = await Promise.all(list.map(extension => modulesOf(extension, config.fullLabextensionsUrl).catch(error => {
    console.error(`The extension ${extension.name} was not loaded:`, error);
    return {};
  })));
  const all = kind => modules.flatMap(m => m[kind] ? [m[kind].default ?? m[kind]].flat() : []);
  return { plugins: all('extension'), mimeExtensions: all('mimeExtension') };
}

async function modulesOf({ name, load: entry, ...kinds }, url) {
  await script(`${url}/${name}/${entry}`);
  const container = window._JUPYTERLAB[name];
  await container.init(__webpack_share_scopes__.default);
  const modules = {};
  for (const kind of ['extension', 'mimeExtension', 'style']) {
    if (kinds[kind]) modules[kind] = (await container.get(kinds[kind]))();
  }
  return modules;
}

const script = src => new Promise((resolve, reject) => {
  const element = document.createElement('script');
  Object.assign(element, { src, onload: resolve, onerror: () => reject(new Error(`${src} was not found`)) });
  document.head.append(element);
});
