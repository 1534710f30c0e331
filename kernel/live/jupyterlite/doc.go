// Package jupyterlite puts the kernel for the browser into JupyterLite: JupyterLab as static files, running
// notebooks without a server.
//
// The folder extension is a kernel extension. Its build in labextension works in any JupyterLite (see
// README.md). The folder app is JupyterLab with JupyterLite's services and ipywidgets, assembled from npm
// packages: App builds it, and Site writes a site with it, the extension, the kernel and notebooks.
//
// # Files, in reading order
//
//	extension/src/   index.js is the plugin, kernel.js and program.js pass messages to the worker
//	labextension/    the build of extension (make jupyterlite-extension)
//	app/             lab.js starts a page; plugins.json lists the included plugins of JupyterLab
//	app.go           builds the application, once for each version of app
//	extension.go     writes the extension and the kernel; live.go writes the kernel's files
//	site.go          writes a site; contents.go the list of its notebooks
package jupyterlite
