// Bundles the two pages, lab.js and notebook.js, into build/static, with the schemas of settings
// and the themes of their packages beside it. rspack bundles as webpack does, in a fifth of the time.
const fs = require('fs');
const path = require('path');
const { rspack } = require('@rspack/core');
const { Build } = require('@jupyter/builder');
const base = require('@jupyter/builder/lib/webpack.config.base');
const { merge } = require('webpack-merge');

const build = path.join(__dirname, 'build');
const packageOf = module => module.split('/').slice(0, 2).join('/');

// page writes build/plugins-NAME.js and build/style-NAME.js, and the schemas and themes, of the
// packages that plugins-NAME.json lists: each with true, or with the names of the plugins that are
// taken of it.
function page(name) {
  const { plugins, mimeExtensions } = require(`./plugins-${name}.json`);
  const packages = Object.keys(plugins);
  const lines = [
    ...packages.map((p, i) => `import * as p${i} from '${p}';`),
    ...mimeExtensions.map((m, i) => `import * as m${i} from '${m}';`),
    'const all = module => [module.default ?? module].flat();',
    'const some = (module, id, names) => all(module).filter(p => names.includes(p.id.slice(id.length + 1)));',
    'export const plugins = [',
    ...packages.map((p, i) => plugins[p] === true ? `  ...all(p${i}),` : `  ...some(p${i}, '${p}', ${JSON.stringify(plugins[p])}),`),
    '];',
    `export const mimeExtensions = [${mimeExtensions.map((_, i) => `...all(m${i})`)}];`
  ];
  fs.mkdirSync(build, { recursive: true });
  fs.writeFileSync(path.join(build, `plugins-${name}.js`), lines.join('\n') + '\n');
  const assets = Build.ensureAssets({ packageNames: [...new Set([...packages, ...mimeExtensions.map(packageOf)])], output: build });
  fs.renameSync(path.join(build, 'style.js'), path.join(build, `style-${name}.js`));
  return assets;
}

// Some themes are of both pages.
const assets = new Map([...page('notebook'), ...page('lab')].map(a => [a.output.path, a]));

// What the server tells of itself, without node_modules, which are not kept.
const version = name => require(`${name}/package.json`).version;
fs.writeFileSync(path.join(build, 'versions.json'), JSON.stringify({
  lab: version('@jupyterlab/application-extension'),
  notebook: version('@jupyter-notebook/application-extension'),
  widgets: version('@jupyter-widgets/jupyterlab-manager')
}) + '\n');

module.exports = [
  merge(base, {
    mode: 'development',
    devtool: false,
    entry: { lab: './lab.js', notebook: './notebook.js' },
    output: { path: path.join(build, 'static'), filename: '[name].js', chunkFilename: '[name].[contenthash].js' },
    externals: ['ws'],
    plugins: [new rspack.DefinePlugin({ 'process.env': '{}' })]
  }),
  ...assets.values()
];
