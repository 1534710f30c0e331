package jupyterlite

import (
	"encoding/json"
	"os"
	"path/filepath"
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
