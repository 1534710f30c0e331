package main

import (
	"os"
	"path/filepath"

	"overcomplete/kernel"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/modules"
)

// openModules returns a function for kernel.Options.Modules, for a notebook in a folder; "" is the
// working directory.
func openModules(folder string) func(state []byte) (kernel.Modules, error) {
	if folder == "" {
		// A cell may change it before it is asked for.
		if wd, err := os.Getwd(); err == nil {
			folder = wd
		}
	}
	return func(state []byte) (kernel.Modules, error) {
		if state != nil {
			return opened(modules.Resume(state))
		}
		return opened(modules.Open(modules.Options{Folder: folder}))
	}
}

// notebookIn names the notebook of a kernel that is started in a folder, as far as that is known: new Jupyter
// servers say which file it is.
func notebookIn(folder string) string {
	return folder + "\x00" + os.Getenv("JPY_SESSION_NAME")
}

// notebookFile returns the path of the notebook's file, or of its folder: JupyterLab gives the session
// its name only when the kernel has been started, in the folder; "" if neither is known. What the server
// calls the notebook begins at the server's own folder.
func notebookFile() string {
	folder, err := os.Getwd()
	if err != nil {
		return ""
	}
	name := filepath.Base(filepath.FromSlash(os.Getenv("JPY_SESSION_NAME")))
	if filepath.Ext(name) != ".ipynb" {
		return folder
	}
	return filepath.Join(folder, name)
}

// opened returns no interface with a nil pointer in it.
func opened(e *modules.Env, err error) (kernel.Modules, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

// notebookModules brings packages of other modules into notebooks that are run without Jupyter: their kernels
// are processes of this binary, or of one that has the packages.
func notebookModules(binary string, env []string) *headless.Modules {
	m := &headless.Modules{
		Start: func(folder, program string, state []byte) (headless.Kernel, error) {
			if program == "" {
				program = binary
			}
			file, err := leaveFile(state)
			if err != nil {
				return nil, err
			}
			defer os.Remove(file)
			return worker(program, env, file)(folder)
		},
	}
	m.Open = func(folder string, lock *modules.Lock) (kernel.Modules, error) {
		return opened(modules.Open(modules.Options{Folder: folder, Lock: lock, Locked: m.Locked && lock != nil}))
	}
	return m
}

// leaveFile writes what another process is to take, into a file that only the user can read.
func leaveFile(text []byte) (name string, err error) {
	f, err := os.CreateTemp("", "overcomplete-state-")
	if err != nil {
		return "", err
	}
	_, err = f.Write(text)
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// takeFile reads a file that was left for this process, and removes it.
func takeFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return text, os.Remove(name)
}
