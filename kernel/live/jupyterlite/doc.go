// Package jupyterlite adds the kernel for the browser to JupyterLite, a JupyterLab that consists of
// static files and runs notebooks without a server.
//
// The folder extension has the source of a kernel extension. The built extension, in labextension, works in any
// JupyterLite (see README.md). The folder app is JupyterLab with JupyterLite's services and ipywidgets,
// assembled from npm packages. App builds the application, and Site writes a site with the application, the
// extension, the kernel and notebooks.
//
// # Files, in reading order
//
//	extension/src/   index.js is the plugin, kernel.js and program.js pass messages to the worker
//	labextension/    the built extension (make jupyterlite-extension)
//	app/             lab.js starts a page; plugins.json lists the included plugins of JupyterLab
//	app.go           builds the application, once for each version of app
//	extension.go     writes the extension, and the kernel's files
//	site.go          writes a site, and the list of its notebooks
package jupyterlite
