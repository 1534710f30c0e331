package kernelspec

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strings"
)

// Name is the default name of the kernel and of its folder.
const Name = "overcomplete"

var validName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// CheckName returns an error if Jupyter would not accept name as the name of a
// kernel.
func CheckName(name string) error {
	if !validName.MatchString(name) || strings.Trim(name, ".") == "" {
		return fmt.Errorf("kernelspec: %q is not a valid name for a kernel: use only ASCII letters, digits, hyphens, periods and underscores", name)
	}
	return nil
}

// A Host describes the computer and user. Jupyter's search path depends on both.
type Host struct {
	GOOS   string
	Getenv func(string) string
	Home   string // the user's home directory, or "" if unknown
}

// ThisHost returns the Host on which this program runs.
func ThisHost() Host {
	home, _ := os.UserHomeDir() // UserDir reports a missing home directory if one is needed
	return Host{GOOS: runtime.GOOS, Getenv: os.Getenv, Home: home}
}

// join joins path elements in the syntax of h's system.
func (h Host) join(elem ...string) string {
	sep := "/"
	if h.GOOS == "windows" {
		sep = `\`
	}
	first := elem[0]
	if trimmed := strings.TrimRight(first, sep); trimmed != "" {
		first = trimmed
	} else {
		first = "" // the root itself: the separator below restores its slash
	}
	return strings.Join(append([]string{first}, elem[1:]...), sep)
}

// DataDir returns the user's Jupyter data directory. It is $JUPYTER_DATA_DIR if that is set. Otherwise it depends on
// the system:
//
//	macOS    ~/Library/Jupyter
//	Windows  %APPDATA%\jupyter, or ~\.jupyter\data if APPDATA is not set
//	others   $XDG_DATA_HOME/jupyter, or ~/.local/share/jupyter if XDG_DATA_HOME is not set
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
		return "", errors.New("kernelspec: cannot find the home directory: set JUPYTER_DATA_DIR, or use --prefix")
	}
	switch h.GOOS {
	case "windows":
		return h.join(h.Home, ".jupyter", "data"), nil
	case "darwin", "ios":
		return h.join(h.Home, "Library", "Jupyter"), nil
	}
	return h.join(h.Home, ".local", "share", "jupyter"), nil
}

// RuntimeDir returns the folder in which Jupyter keeps connection files.
func (h Host) RuntimeDir() (string, error) {
	if dir := h.Getenv("JUPYTER_RUNTIME_DIR"); dir != "" {
		return dir, nil
	}
	dir, err := h.DataDir()
	if err != nil {
		return "", err
	}
	return h.join(dir, "runtime"), nil
}

// UserDir returns the folder of the kernel with the given name for this user.
func (h Host) UserDir(name string) (string, error) {
	dir, err := h.DataDir()
	if err != nil {
		return "", err
	}
	return h.join(dir, "kernels", name), nil
}

// PrefixDir returns the kernel's folder under an installation prefix such as /usr/local.
func (h Host) PrefixDir(prefix, name string) string {
	return h.join(prefix, "share", "jupyter", "kernels", name)
}

// environment returns the folder of the active Python environment, or "" if none is active.
func (h Host) environment() string {
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if prefix := h.Getenv(name); prefix != "" {
			return prefix
		}
	}
	return ""
}

// SysPrefixDir returns the kernel's folder in the active Python environment. The environment is VIRTUAL_ENV if
// set, otherwise CONDA_PREFIX.
func (h Host) SysPrefixDir(name string) (string, error) {
	if prefix := h.environment(); prefix != "" {
		return h.PrefixDir(prefix, name), nil
	}
	return "", errors.New("kernelspec: no Python environment is active (VIRTUAL_ENV and CONDA_PREFIX are not set): " +
		"activate an environment first, or name its folder with --prefix DIR, or install only for yourself with --user")
}

// SystemDir returns the kernel's folder for all users: under %PROGRAMDATA%\jupyter
// on Windows and /usr/local/share/jupyter elsewhere.
func (h Host) SystemDir(name string) (string, error) {
	if h.GOOS != "windows" {
		return h.PrefixDir("/usr/local", name), nil
	}
	data := h.Getenv("PROGRAMDATA")
	if data == "" {
		return "", errors.New("kernelspec: PROGRAMDATA is not set: use --prefix DIR or --user")
	}
	return h.join(data, "jupyter", "kernels", name), nil
}

// Search returns the folders in which Jupyter looks for kernels, in order of precedence. The folder of the Python
// environment in which Jupyter runs is included only if VIRTUAL_ENV or CONDA_PREFIX names this environment.
func (h Host) Search() []string {
	var dirs []string
	add := func(dir string) {
		for _, d := range dirs {
			if d == dir {
				return
			}
		}
		dirs = append(dirs, dir)
	}
	separator := ":"
	if h.GOOS == "windows" {
		separator = ";"
	}
	for _, dir := range strings.Split(h.Getenv("JUPYTER_PATH"), separator) {
		if dir != "" {
			add(h.join(dir, "kernels"))
		}
	}
	user, environment := "", ""
	if dir, err := h.DataDir(); err == nil {
		user = h.join(dir, "kernels")
	}
	if prefix := h.environment(); prefix != "" {
		environment = h.join(prefix, "share", "jupyter", "kernels")
	}
	if h.Getenv("JUPYTER_PREFER_ENV_PATH") != "" {
		user, environment = environment, user
	}
	for _, dir := range []string{user, environment} {
		if dir != "" {
			add(dir)
		}
	}
	if h.GOOS == "windows" {
		if data := h.Getenv("PROGRAMDATA"); data != "" {
			add(h.join(data, "jupyter", "kernels"))
		}
		return dirs
	}
	add("/usr/local/share/jupyter/kernels")
	add("/usr/share/jupyter/kernels")
	return dirs
}
