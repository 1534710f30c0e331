package insight

import (
	"maps"
	"slices"
	"strings"

	"overcomplete/kernel/internal/wellknown"
)

// versionOf returns completions for an argument of %get. If the argument has no @, the completions are the paths of
// required, downloaded and well-known modules. After an @ they are the module's versions known on this machine, newest
// first. The second result is the part of the argument that the chosen completion replaces.
func (o *availableModules) versionOf(word string) (list []candidate, prefix string) {
	if path, version, ok := strings.Cut(word, "@"); ok {
		list = append(list, candidate{text: "latest", kind: kindConstant})
		for i, v := range o.Versions(path) {
			list = append(list, candidate{text: v, kind: kindConstant, far: i + 1})
		}
		return list, version
	}
	near := map[string]int{}
	for _, path := range wellknown.All() {
		near[path] = 2
	}
	for path := range o.Cache.Modules() {
		near[path] = 1
	}
	required, _, _ := o.Required()
	for _, m := range required {
		near[m.Path] = 0
		if m.Local {
			delete(near, m.Path) // a local module has no versions
		}
	}
	for _, path := range slices.Sorted(maps.Keys(near)) {
		if c := (candidate{text: path, kind: kindPackage, far: near[path]}); elementHas(path, word) {
			c.match = path[strings.LastIndex("/"+path, "/"+word):]
			list = append(list, c)
		}
	}
	return list, word
}

// modWords lists the arguments of %mod.
var modWords = []string{"tidy", "reload", "source", "on", "off", "cgo on", "cgo off"}

// modArgument returns completions for the text that has been typed between %mod and the cursor. After the word
// "reload", the completions are the given loaded packages.
func (o *availableModules) modArgument(typed string, loaded []string) (list []candidate, prefix string) {
	typed = strings.TrimLeft(typed, " \t")
	if word, ok := strings.CutPrefix(typed, "reload "); ok {
		for _, path := range loaded {
			list = append(list, candidate{text: path, kind: kindPackage})
		}
		return list, strings.TrimLeft(word, " \t")
	}
	for i, word := range modWords {
		list = append(list, candidate{text: word, kind: kindKeyword, far: i})
	}
	return list, typed
}
