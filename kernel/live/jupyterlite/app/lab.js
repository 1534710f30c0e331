// What runs first: it reads the site's configuration and loads the prebuilt extensions, and then
// all else, which takes its packages from what those share.
import { configure } from './config.js';
import { load } from './federated.js';

async function main() {
  const config = await configure();
  __webpack_public_path__ = config.fullStaticUrl + '/';
  const extensions = await load(config);
  const { start } = await import('./index.js');
  await start(extensions);
}

main().catch(error => {
  console.error(error);
  document.body.textContent = `JupyterLite did not start: ${error.message}`;
});
