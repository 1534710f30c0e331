// runtime finds the files of the kernel: their folder has kernel.json, with the worker's name and with
// what the worker is told to start. The folder is "live" of this extension, or what the site's
// jupyter-lite.json has as litePluginSettings, ID, kernelUrl. Of another origin it may not be: browsers
// start no workers from there.
export async function runtime(pageConfig, id) {
  const folder = new URL(folderOf(pageConfig, id).replace(/\/*$/, '/'), document.baseURI);
  const list = new URL('kernel.json', folder);
  const response = await fetch(list);
  if (!response.ok) {
    throw new Error(`The Go kernel is not at ${list} (${response.status}). The extension's README says how it gets there.`);
  }
  const start = await response.json();
  for (const name of ['worker', 'kernel', 'brotli']) {
    if (start[name]) start[name] = new URL(start[name], folder).href;
  }
  return start;
}

function folderOf(pageConfig, id) {
  const settings = JSON.parse(pageConfig.getOption('litePluginSettings') || '{}')[id];
  return settings?.kernelUrl || `${pageConfig.getOption('fullLabextensionsUrl')}/${id.split(':')[0]}/live`;
}
