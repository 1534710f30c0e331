// configure reads jupyter-lite.json of the site, whose root is above this page, and puts what the
// parts of Lab want to know into the page, where they look for it. Addresses that begin with ./, in
// settings whose names end in Url, are below the root, wherever that is.
export async function configure() {
  const root = new URL('..', location.href.replace(/[?#].*/, ''));
  const response = await fetch(new URL('jupyter-lite.json', root));
  if (!response.ok) throw new Error(`${response.url}: ${response.status}`);
  const config = absolute((await response.json())['jupyter-config-data'], root);
  config.baseUrl = root.pathname;
  const element = document.createElement('script');
  Object.assign(element, { id: 'jupyter-config-data', type: 'application/json', textContent: JSON.stringify(config) });
  document.head.append(element);
  return config;
}

function absolute(config, root) {
  const one = (key, value) => {
    if (value && typeof value === 'object' && !Array.isArray(value)) return absolute(value, root);
    return key.endsWith('Url') && value.startsWith('./') ? new URL(value, root).pathname : value;
  };
  return Object.fromEntries(Object.entries(config).map(([key, value]) => [key, one(key, value)]));
}
