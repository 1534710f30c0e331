package main

import (
	"os"
	"path/filepath"

	"overcomplete/kernel"
	"overcomplete/kernel/headless"
	"overcomplete/kernel/modules"
)

// openModules returns a function for the field Modules of kernel.Options. The function opens the provider from which a
// notebook's cells get the packages of other modules. folder is the notebook's folder; "" means the working directory.
func openModules(folder string) func(state []byte) (kernel.Modules, error) {
	if folder == "" {
		// Determine the working directory now, because a cell may change it.
		if wd, err := os.Getwd(); err == nil {
			folder = wd
		}
	}
	return func(state []byte) (kernel.Modules, error) {
		if state != nil {
			return asModules(modules.Resume(state))
		}
		return asModules(modules.Open(modules.Options{Folder: folder}))
	}
}

// notebookIn returns a key that identifies a notebook whose kernel runs in the given folder. The key includes the
// notebook's path if the Jupyter server sets JPY_SESSION_NAME to this path, as recent servers do.
func notebookIn(folder string) string {
	return folder + "\x00" + os.Getenv("JPY_SESSION_NAME")
}

// notebookFile returns the path of the notebook that this kernel serves. If the notebook's name is unknown, it returns
// the path of the notebook's folder. If the folder is unknown, it returns "".
//
// The folder is the working directory. The name is the last element of JPY_SESSION_NAME, a path relative to the
// server's root. The name may be missing, because JupyterLab sets a session's name only after it has started the
// kernel.
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

// asModules converts a pointer and an error to an interface value. After an error it returns a nil interface,
// not an interface with a nil pointer.
func asModules(e *modules.Env, err error) (kernel.Modules, error) {
	if err != nil {
		return nil, err
	}
	return e, nil
}

// notebookModules provides packages of other modules to notebooks that run without Jupyter. The kernels of these
// notebooks are processes of the program whose path is binary or, where needed, of a program that also includes those
// packages. All these processes get additional environment variables (env).
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
		return asModules(modules.Open(modules.Options{Folder: folder, Lock: lock, Locked: m.Locked && lock != nil}))
	}
	return m
}

// leaveFile writes data for another process to a file that only the user can read.
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

// takeFile reads and removes a file that another process left for this one.
func takeFile(name string) ([]byte, error) {
	text, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return text, os.Remove(name)
}
