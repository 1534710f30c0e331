// Bundles the test of the extension with what it needs of JupyterLite, whose packages are modules for
// bundlers that node does not read as they are.
const path = require('path');

module.exports = {
  mode: 'development',
  devtool: false,
  target: 'node20',
  entry: { extension: '../extension/test/kernel.test.js' },
  output: { path: path.join(__dirname, 'build', 'test'), filename: '[name].test.cjs' },
  resolve: { modules: [path.join(__dirname, 'node_modules')], mainFields: ['browser', 'module', 'main'], fullySpecified: false },
  externals: { bufferutil: 'var {}', 'utf-8-validate': 'var {}' }
};
