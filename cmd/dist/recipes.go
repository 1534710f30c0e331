package main

import (
	"bytes"
	"embed"
	"fmt"
	"path/filepath"
	"strings"
	"text/template"
	"time"

	"overcomplete/internal/atomicfile"
)

// The recipes are templates: recipe.yaml for conda, and formula.rb for Homebrew. Both install the program from
// an archive, so both need the address and checksum of each archive, which exist only when a release is made.
//
//go:embed recipe.yaml formula.rb
var recipes embed.FS

// recipeNames are the names that the recipes have in a release.
var recipeNames = map[string]string{"recipe.yaml": "conda-recipe.yaml", "formula.rb": "homebrew-overcomplete.rb"}

// An archived describes the archive for one system: its address and checksum, and the names that conda and Homebrew
// use for the system.
type archived struct {
	Address, SHA256        string
	CondaSystem, CondaArch string
	BrewSystem, BrewArch   string
}

// writeRecipes writes the recipes for conda and Homebrew into the output folder. They install the archives that will be
// published under the given address. sums is a map from the name of each archive to its checksum. The recipes are for
// systems other than Windows, and writeRecipes returns an error if the archive for one of these systems is missing.
func writeRecipes(out, address string, sums map[string]string) error {
	address = strings.TrimSuffix(address, "/")
	home, _, _ := strings.Cut(address, "/releases/") // as the project's host lays out its addresses
	values := struct {
		Version, Home string
		Archives      []archived
	}{Home: home}
	for _, name := range allTargets() {
		t, err := parseTarget(name)
		if err != nil {
			return err
		}
		if t.os == "windows" {
			continue
		}
		end := "-" + t.os + "-" + t.arch + t.suffix()
		var file, version string
		for made := range sums {
			if v, ok := strings.CutSuffix(made, end); ok {
				file, version = made, strings.TrimPrefix(v, "overcomplete-")
			}
		}
		if file == "" {
			return fmt.Errorf("recipes need the archives of all systems, and that of %s is not made", t)
		}
		values.Version = wheelVersion(version, time.Time{}) // conda allows no hyphens either
		a := archived{Address: address + "/" + file, SHA256: sums[file], CondaSystem: "linux", CondaArch: "x86_64", BrewSystem: "linux", BrewArch: "intel"}
		if t.os == "darwin" {
			a.CondaSystem, a.BrewSystem = "osx", "macos"
		}
		if t.arch == "arm64" {
			a.CondaArch, a.BrewArch = map[string]string{"linux": "aarch64", "darwin": "arm64"}[t.os], "arm"
		}
		values.Archives = append(values.Archives, a)
	}
	all, err := template.ParseFS(recipes, "*")
	if err != nil {
		return err
	}
	for from, to := range recipeNames {
		var b bytes.Buffer
		if err := all.ExecuteTemplate(&b, from, values); err != nil {
			return err
		}
		if err := atomicfile.Write(filepath.Join(out, to), b.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}
