// Package kernelspec registers the kernel with Jupyter: it writes, finds, checks and removes a folder such as
// kernels/overcomplete, with kernel.json and the logos, in one of the folders that Jupyter searches.
//
// Which folders these are depends on the operating system, the environment and the home directory, by the rules of
// jupyter_core.paths. A Host describes all three, so the rules of every system can be tested on any system.
//
// Each file is written under a temporary name and then renamed, kernel.json last. So Jupyter never sees a part of a
// file, or a kernel.json without its logos. The metadata in kernel.json record the version of the program that wrote
// the file, and the names and checksums of the logos. These entries mark the kernel as this program's own. Uninstall
// removes only files that Install has written, and the folder only if it is then empty, and Install never overwrites
// the kernel of another program. Several versions can be installed under different names.
package kernelspec
