// Package jupyterlite puts the kernel for the browser into JupyterLite: JupyterLab as static files,
// which runs notebooks without a server.
//
// The folder extension has a kernel extension, which is built into labextension: the form in which
// any JupyterLite takes it (README.md says how). The folder app is JupyterLab with JupyterLite's
// services, put together of their npm packages, and with ipywidgets: App builds it, and Site writes a
// site with it, the extension, the kernel and notebooks.
//
// # Files, in reading order
//
//	extension/src/   index.js is the plugin, kernel.js and program.js pass messages to the worker
//	labextension/    what is made of it (make jupyterlite-extension)
//	app/             lab.js begins a page; plugins.json lists what of Lab is in it
//	app.go           builds the application, once for each state of app
//	extension.go     writes the extension with the kernel beside it, whose files live.go makes
//	site.go          writes a site; contents.go the list of its notebooks
package jupyterlite
