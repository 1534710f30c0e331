package kernelspec

import (
	"errors"
	"runtime"
	"strings"

	"os"
)

// Name is the name of the kernel, and of its folder.
const Name = "overcomplete"

// A Host is what decides where Jupyter looks.
type Host struct {
	GOOS   string
	Getenv func(string) string
	Home   string // the user's home directory, "" if it is not known
}

// ThisHost describes the computer and user that run this program.
func ThisHost() Host {
	home, _ := os.UserHomeDir() // reported by UserDir, if it is needed at all
	return Host{GOOS: runtime.GOOS, Getenv: os.Getenv, Home: home}
}

// join joins path elements as h's system writes them.
func (h Host) join(elem ...string) string {
	sep := "/"
	if h.GOOS == "windows" {
		sep = `\`
	}
	first := elem[0]
	if trimmed := strings.TrimRight(first, sep); trimmed != "" {
		first = trimmed
	} else {
		first = "" // the root itself: the separator below restores it
	}
	return strings.Join(append([]string{first}, elem[1:]...), sep)
}

// DataDir is the user's Jupyter data directory: $JUPYTER_DATA_DIR if it is set,
// else ~/Library/Jupyter on macOS, %APPDATA%\jupyter on Windows (.jupyter\data
// in the home directory without APPDATA), and $XDG_DATA_HOME/jupyter or
// ~/.local/share/jupyter elsewhere.
func (h Host) DataDir() (string, error) {
	if dir := h.Getenv("JUPYTER_DATA_DIR"); dir != "" {
		return dir, nil
	}
	switch h.GOOS {
	case "windows":
		if appdata := h.Getenv("APPDATA"); appdata != "" {
			return h.join(appdata, "jupyter"), nil
		}
	case "darwin", "ios":
	default:
		if xdg := h.Getenv("XDG_DATA_HOME"); xdg != "" {
			return h.join(xdg, "jupyter"), nil
		}
	}
	if h.Home == "" {
		return "", errors.New("kernelspec: the home directory is not known: set JUPYTER_DATA_DIR, or use --prefix")
	}
	switch h.GOOS {
	case "windows":
		return h.join(h.Home, ".jupyter", "data"), nil
	case "darwin", "ios":
		return h.join(h.Home, "Library", "Jupyter"), nil
	}
	return h.join(h.Home, ".local", "share", "jupyter"), nil
}

// UserDir is the kernel's folder for this user.
func (h Host) UserDir() (string, error) {
	dir, err := h.DataDir()
	if err != nil {
		return "", err
	}
	return h.join(dir, "kernels", Name), nil
}

// PrefixDir is the kernel's folder under an installation prefix such as /usr/local.
func (h Host) PrefixDir(prefix string) string {
	return h.join(prefix, "share", "jupyter", "kernels", Name)
}

// SysPrefixDir is the kernel's folder in the active Python environment: that
// of VIRTUAL_ENV, else of CONDA_PREFIX.
func (h Host) SysPrefixDir() (string, error) {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := h.Getenv(name); prefix != "" {
			return h.PrefixDir(prefix), nil
		}
	}
	return "", errors.New("kernelspec: no Python environment is active (VIRTUAL_ENV and CONDA_PREFIX are not set): " +
		"activate one first, or name its folder with --prefix DIR, or install for yourself with --user")
}
