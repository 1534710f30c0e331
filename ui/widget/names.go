package widget

import (
	"os"
	"strings"
	"sync/atomic"
)

// The target names, media type and protocol version of ipywidgets.
const (
	target          = "jupyter.widget"
	controlTarget   = "jupyter.widget.control" // ipywidgets 8 only
	ownTarget       = "overcomplete.widget"    // for our own page
	viewType        = "application/vnd.jupyter.widget-view+json"
	protocolVersion = "2.0.0"
)

const (
	controls = "@jupyter-widgets/controls"
	base     = "@jupyter-widgets/base"
	output   = "@jupyter-widgets/output"
)

// eight is set once a front end has shown that it uses ipywidgets 8.
var eight atomic.Bool

// version returns the version that a front end expects for the models of a module of ipywidgets. ipywidgets 8 refuses
// models of version 7, and vice versa.
func version(module string) string {
	switch {
	case module == output:
		return "1.0.0"
	case isEight():
		return "2.0.0"
	case module == base:
		return "1.2.0"
	}
	return "1.5.0"
}

// isEight reports whether front ends use ipywidgets 8.
func isEight() bool {
	switch {
	case strings.HasPrefix(os.Getenv("OVERCOMPLETE_WIDGETS"), "8"):
		return true
	case strings.HasPrefix(os.Getenv("OVERCOMPLETE_WIDGETS"), "7"):
		return false
	}
	return eight.Load()
}

// echoes reports whether a change is sent back to the front end that made it; see model.echo.
func echoes() bool {
	switch strings.ToLower(os.Getenv("JUPYTER_WIDGETS_ECHO")) {
	case "0", "false", "no", "off", "n", "f":
		return false
	}
	return isEight()
}

// A kind holds the names that ipywidgets uses for a model, its view, and the model of its style.
type kind struct {
	model, view string
	style       string // "" for none
	wide        bool   // the style has a description_width
}

var (
	intSlider   = kind{"IntSliderModel", "IntSliderView", "SliderStyleModel", true}
	floatSlider = kind{"FloatSliderModel", "FloatSliderView", "SliderStyleModel", true}
	player      = kind{"PlayModel", "PlayView", "DescriptionStyleModel", true}
	dropdown    = kind{"DropdownModel", "DropdownView", "DescriptionStyleModel", true}
	checkbox    = kind{"CheckboxModel", "CheckboxView", "DescriptionStyleModel", true}
	textField   = kind{"TextModel", "TextView", "DescriptionStyleModel", true}
	button      = kind{"ButtonModel", "ButtonView", "ButtonStyleModel", false}
	progressBar = kind{"FloatProgressModel", "ProgressView", "ProgressStyleModel", true}
	htmlLabel   = kind{"HTMLModel", "HTMLView", "DescriptionStyleModel", true}
	hbox        = kind{"HBoxModel", "HBoxView", "", false}
	vbox        = kind{"VBoxModel", "VBoxView", "", false}
	outputArea  = kind{"OutputModel", "OutputView", "", false}
)

// module returns the name of the ipywidgets module that contains the kind's model and view.
func (k kind) module() string {
	if k == outputArea {
		return output
	}
	return controls
}

// entries returns the entries of a state that tell ipywidgets which model and which view to use.
func entries(module, model, viewModule, view string) map[string]any {
	return map[string]any{
		"_model_module": module, "_model_module_version": version(module), "_model_name": model,
		"_view_module": viewModule, "_view_module_version": version(viewModule), "_view_name": view,
	}
}
