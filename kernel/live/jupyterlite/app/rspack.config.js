// Bundles JupyterLite's Lab into build/static, with the settings' schemas and the themes of its
// packages in build/schemas and build/themes.
const fs = require('fs');
const path = require('path');
const { rspack } = require('@rspack/core');
const { Build } = require('@jupyter/builder');
const base = require('@jupyter/builder/lib/webpack.config.base');
const core = require('@jupyterlab/core-meta/core.package.json');
const { merge } = require('webpack-merge');
const { packages, mimeExtensions } = require('./plugins.json');

const build = path.join(__dirname, 'build');
const read = name => JSON.parse(fs.readFileSync(path.join(__dirname, 'node_modules', name, 'package.json'), 'utf8'));
const packageOf = module => module.split('/').slice(0, 2).join('/');

// The modules of plugins.json, for index.js.
function writePlugins() {
  const lines = [
    ...packages.map((p, i) => `import * as p${i} from '${p}';`),
    ...mimeExtensions.map((m, i) => `import * as m${i} from '${m}';`),
    'const all = module => [module.default ?? module].flat();',
    `export const plugins = [${packages.map((_, i) => `...all(p${i})`)}];`,
    `export const mimeExtensions = [${mimeExtensions.map((_, i) => `...all(m${i})`)}];`
  ];
  fs.mkdirSync(build, { recursive: true });
  fs.writeFileSync(path.join(build, 'plugins.js'), lines.join('\n') + '\n');
}

// What prebuilt extensions take from the application, in place of copies of their own: the packages of
// Lab that all extensions are built against, and those of JupyterLite and ipywidgets.
function shared() {
  const lite = ['contents', 'kernel', 'localforage', 'services', 'types'].map(name => '@jupyterlite/' + name);
  const names = [...Object.keys(core.resolutions), ...packages, ...lite, '@jupyter-widgets/base'];
  const alone = new Set([...core.jupyterlab.singletonPackages, ...lite, '@jupyter-widgets/base']);
  const there = [...new Set(names)].filter(name => fs.existsSync(path.join(__dirname, 'node_modules', name)));
  return Object.fromEntries(there.map(name => [name, { requiredVersion: read(name).version, singleton: alone.has(name) }]));
}

// JupyterLite reads the schemas of all settings from one file.
class OneSchemaFile {
  apply(compiler) {
    compiler.hooks.done.tap('OneSchemaFile', () => {
      const dir = path.join(build, 'schemas');
      const all = fs.readdirSync(dir, { recursive: true }).filter(file => file.endsWith('.json')).map(file => file.replaceAll('\\', '/'))
        .filter(file => file !== 'all.json').sort().map(file => {
          const of = path.posix.dirname(file);
          const schema = JSON.parse(fs.readFileSync(path.join(dir, file), 'utf8'));
          return { id: `${of}:${path.posix.basename(file, '.json')}`, raw: '{}', schema, settings: {}, version: read(of).version };
        });
      fs.writeFileSync(path.join(dir, 'all.json'), JSON.stringify(all));
    });
  }
}

writePlugins();
fs.writeFileSync(path.join(build, 'versions.json'), JSON.stringify({
  lab: read('@jupyterlab/application-extension').version,
  lite: read('@jupyterlite/application-extension').version
}) + '\n');
const assets = Build.ensureAssets({ packageNames: [...packages, ...mimeExtensions.map(packageOf)], output: build });

module.exports = [
  merge(base, {
    mode: 'production',
    devtool: false,
    entry: { lab: './lab.js' },
    output: { path: path.join(build, 'static'), filename: '[name].js', chunkFilename: '[name].[contenthash].js', assetModuleFilename: '[hash][ext]', clean: true },
    // JupyterLite names its service worker so; as a module it would run in the page.
    module: { rules: [{ resourceQuery: /text/, type: 'asset/resource' }] },
    optimization: { moduleIds: 'deterministic' },
    performance: { hints: false },
    plugins: [
      new rspack.DefinePlugin({ 'process.env': '{}' }),
      // The first version of module federation, as in extensions that @jupyter/builder makes.
      new rspack.container.ModuleFederationPluginV1({ name: 'CORE_FEDERATION', library: { type: 'var', name: ['_JUPYTERLAB', 'CORE_LIBRARY_FEDERATION'] }, shared: shared() }),
      new OneSchemaFile()
    ]
  }),
  ...assets
];
