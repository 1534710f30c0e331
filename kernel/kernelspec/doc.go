// Package kernelspec registers the kernel with Jupyter: it writes, finds, checks
// and removes a folder such as kernels/overcomplete, with kernel.json and the
// logos, in one of the places that Jupyter searches.
//
// These places follow from the operating system, the environment and the home
// directory in a Host, by the rules of jupyter_core's paths, so that every
// system's rules can be tested on any system.
//
// Each file is written beside its final name and renamed, kernel.json last:
// Jupyter never sees half a file, nor a kernel.json whose logos are missing.
// The metadata of the spec record which version wrote it and the logos that it
// wrote. So several versions can be installed under different names, and
// Uninstall removes only what Install has written, and the folder only if
// nothing else is in it. The kernel of another program is never overwritten.
package kernelspec
