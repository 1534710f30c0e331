package jupyterlite

import (
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"
	"time"
)

// Site writes a site of static files into a new folder. app is the result of App, and notebooks holds the names of the
// notebook files. Any static server can serve the site, at any path.
func Site(folder, app string, kernel Kernel, notebooks []string) error {
	if err := os.Mkdir(folder, 0o755); err != nil {
		return err
	}
	html, err := pages()
	if err != nil {
		return err
	}
	if err := os.CopyFS(folder, html); err != nil {
		return err
	}
	for _, part := range []string{"static", "schemas", "themes"} {
		if err := os.CopyFS(filepath.Join(folder, "build", part), os.DirFS(filepath.Join(app, part))); err != nil {
			return err
		}
	}
	// There are no settings of extensions.
	if err := writeJSON(filepath.Join(folder, "build", "schemas", "all_federated.json"), []any{}); err != nil {
		return err
	}
	if err := Extension(filepath.Join(folder, "extensions"), kernel); err != nil {
		return err
	}
	if err := addContents(folder, notebooks); err != nil {
		return err
	}
	return configure(folder, app)
}

// configure writes the configuration, which is the first file that the page reads. Addresses with ./ are
// relative to the site's root.
func configure(folder, app string) error {
	extension, err := entry()
	if err != nil {
		return err
	}
	text, err := os.ReadFile(filepath.Join(app, "versions.json"))
	if err != nil {
		return err
	}
	var versions struct{ Lab, Lite string }
	if err := json.Unmarshal(text, &versions); err != nil {
		return err
	}
	return writeJSON(filepath.Join(folder, "jupyter-lite.json"), map[string]any{
		"jupyter-lite-schema-version": 0,
		"jupyter-config-data": map[string]any{
			"appName":              "JupyterLite",
			"appVersion":           versions.Lite,
			"appUrl":               "/lab",
			"mode":                 "multiple-document",
			"defaultKernelName":    "overcomplete",
			"contentsAllJsonFile":  contentsList,
			"settingsUrl":          "./build/schemas",
			"themesUrl":            "build/themes", // JupyterLite prepends the site's root
			"fullStaticUrl":        "./build/static",
			"fullLabextensionsUrl": "./extensions",
			"federated_extensions": []federatedExtension{extension},
			"versionInfo": map[string]any{
				"@jupyterlab/application": map[string]string{"label": "JupyterLab", "version": versions.Lab},
			},
		},
	})
}

// contentsList is the file that lists a folder's contents.
const contentsList = "all.json"

// A content describes a file or folder in the format in which Jupyter servers list them. If a user saves a file,
// JupyterLite stores it in the browser, and from then on shows that copy instead of the site's file.
type content struct {
	Name     string    `json:"name"`
	Path     string    `json:"path"`
	Type     string    `json:"type"`
	Format   *string   `json:"format"`
	MimeType *string   `json:"mimetype"`
	Size     *int64    `json:"size"`
	Created  time.Time `json:"created"`
	Modified time.Time `json:"last_modified"`
	Writable bool      `json:"writable"`
	Content  []content `json:"content"`
}

// addContents copies the named files into a site's subfolder called files, and lists them in the format of Jupyter
// servers.
func addContents(folder string, names []string) error {
	root := content{Type: "directory", Format: new("json"), Writable: true, Content: []content{}}
	if err := os.Mkdir(filepath.Join(folder, "files"), 0o755); err != nil {
		return err
	}
	for _, name := range names {
		info, err := copyFile(filepath.Join(folder, "files", filepath.Base(name)), name)
		if err != nil {
			return err
		}
		root.Content = append(root.Content, describe(info))
		if info.ModTime().After(root.Modified) {
			root.Modified = info.ModTime()
		}
	}
	root.Created = root.Modified
	list := filepath.Join(folder, "api", "contents")
	if err := os.Mkdir(list, 0o755); err != nil {
		return err
	}
	return writeJSON(filepath.Join(list, contentsList), root)
}

func describe(info fs.FileInfo) content {
	c := content{Name: info.Name(), Path: info.Name(), Type: "file", Size: new(info.Size()), Created: info.ModTime(), Modified: info.ModTime(), Writable: true}
	switch strings.ToLower(path.Ext(info.Name())) {
	case ".ipynb":
		c.Type, c.Format, c.MimeType = "notebook", new("json"), new("application/json")
	case ".json":
		c.Format, c.MimeType = new("json"), new("application/json")
	case ".csv", ".txt", ".md", ".go", ".svg":
		c.Format, c.MimeType = new("text"), new("text/plain")
	default:
		c.Format, c.MimeType = new("base64"), new("application/octet-stream")
	}
	return c
}

// copyFile copies a file to a new file, and returns information about the original. The parameter from is the path of
// the original, and to is the path of the new file.
func copyFile(to, from string) (fs.FileInfo, error) {
	in, err := os.Open(from)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if info.IsDir() {
		return nil, fmt.Errorf("jupyterlite: %s is a folder: name its files", from)
	}
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return nil, err
	}
	if _, err := io.Copy(out, in); err != nil {
		out.Close()
		return nil, err
	}
	return info, out.Close()
}
