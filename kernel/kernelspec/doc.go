// Package kernelspec tells Jupyter where the kernel is: it writes, finds,
// checks and removes a folder such as kernels/overcomplete, with kernel.json and
// the logos, in one of the places where Jupyter looks.
//
// Where these places are is computed from the operating system, the
// environment and the home directory that a Host names, by the rules of
// jupyter_core's paths, so that every system's rules are tested on any system.
//
// Each file is written beside its final name and renamed, kernel.json last:
// Jupyter never sees half a file, nor a kernel.json whose logos are missing.
// The spec says in its metadata which version wrote it and what the logos were,
// so that several versions can be installed under names of their own, and
// Uninstall removes only what Install has written, and the folder if nothing
// else is in it. The kernel of another program is never written over.
package kernelspec
