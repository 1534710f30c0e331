package lab

import (
	"fmt"
	"regexp"
	"strings"
)

// Settings is an ordered list of names with values, such as "data=mnist atoms=512".
type Settings string

// A Key identifies a stage, a stored intermediate result of the experiments, and lists everything on which the stage
// depends. It is a word followed by settings, such as "table2-kl size=full data=mnist atoms=512". The index of a
// folder of stages contains one key per line.
type Key string

var (
	settingName = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)
	settingWord = regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*$`)
)

// NewSettings joins settings, given as alternating names and values, or as Settings. It converts values to
// lower case. Values become part of file names, so NewSettings panics if a value contains characters other
// than letters, digits, hyphens and points.
func NewSettings(settings ...any) Settings {
	var list []string
	for i := 0; i < len(settings); i++ {
		switch s := settings[i].(type) {
		case Settings:
			list = append(list, strings.Fields(string(s))...)
		case string:
			if i++; i == len(settings) {
				panic(fmt.Sprintf("lab: the setting %q has no value", s))
			}
			value := strings.ToLower(fmt.Sprint(settings[i]))
			if !settingName.MatchString(s) || !settingWord.MatchString(value) {
				panic(fmt.Sprintf("lab: the setting %s=%s: a value is made of letters, digits, hyphens and points, a name of small letters, digits and hyphens", s, value))
			}
			list = append(list, s+"="+value)
		default:
			panic(fmt.Sprintf("lab: the name of a setting is a string, not %v (%[1]T)", s))
		}
	}
	return Settings(strings.Join(list, " "))
}

// Name returns the values of the settings, joined by hyphens.
func (s Settings) Name() string {
	var values []string
	for setting := range strings.FieldsSeq(string(s)) {
		_, v, _ := strings.Cut(setting, "=")
		values = append(values, v)
	}
	return strings.Join(values, "-")
}

// NewKey returns a key; the settings are given as for NewSettings.
func NewKey(what string, settings ...any) Key {
	if !settingName.MatchString(what) {
		panic(fmt.Sprintf("lab: %q is not made of small letters, digits and hyphens", what))
	}
	return Key(what).With(settings...)
}

// With returns the key with further settings, which are given as for NewSettings.
func (k Key) With(settings ...any) Key {
	return Key(strings.TrimSpace(string(k) + " " + string(NewSettings(settings...))))
}

// Name returns the file name, without the ending, of the stage with this key: the key's word and the values of its
// settings, joined by hyphens.
func (k Key) Name() string {
	what, settings, some := strings.Cut(string(k), " ")
	if !some {
		return what
	}
	return what + "-" + Settings(settings).Name()
}

// parseKey parses a line of a folder's index.
func parseKey(line string) (Key, error) {
	fields := strings.Fields(line)
	if len(fields) == 0 || !settingName.MatchString(fields[0]) {
		return "", fmt.Errorf("%q does not begin with what the stage is", line)
	}
	for _, f := range fields[1:] {
		name, value, _ := strings.Cut(f, "=")
		if !settingName.MatchString(name) || !settingWord.MatchString(value) {
			return "", fmt.Errorf("%q: %q is no name=value", line, f)
		}
	}
	return Key(strings.Join(fields, " ")), nil
}
