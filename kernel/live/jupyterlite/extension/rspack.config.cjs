// What is built is the same from whichever folder: numbers in the order of the modules, and a name
// that is not that of the package in the folder where the build is started.
module.exports = {
  output: { uniqueName: 'overcomplete-jupyterlite' },
  optimization: { moduleIds: 'natural', chunkIds: 'natural' }
};
