// Package kernelspec registers the kernel with Jupyter: it writes, finds, checks and removes a folder such as
// kernels/overcomplete, with kernel.json and the logos, in one of the folders that Jupyter searches.
//
// The folders depend on the operating system, the environment and the home directory in a Host, by the rules of
// jupyter_core.paths. So every system's rules can be tested on any system.
//
// Each file is written to a temporary name and renamed, kernel.json last: Jupyter never sees half a file, nor a
// kernel.json without its logos. The spec's metadata record the version that wrote it and its logos. So several
// versions can be installed under different names, and Uninstall removes only files that Install has written,
// and the folder only if it is then empty. The kernel of another program is never overwritten.
package kernelspec
