package pages

import "github.com/chromedp/chromedp/kb"

// Keys that are not characters, encoded as in WebDriver. A line end has the effect of Enter.
const (
	Backspace  = "\ue003"
	Tab        = "\ue004"
	Enter      = "\ue007"
	Escape     = "\ue00c"
	End        = "\ue010"
	Home       = "\ue011"
	ArrowLeft  = "\ue012"
	ArrowUp    = "\ue013"
	ArrowRight = "\ue014"
	ArrowDown  = "\ue015"
	Delete     = "\ue017"
)

// A Modifier is a key that is held down while other keys are pressed.
type Modifier rune

const (
	Shift   Modifier = '\ue008'
	Control Modifier = '\ue009'
	Alt     Modifier = '\ue00a'
)

// chromiumKeys maps the keys to chromedp's names for them.
var chromiumKeys = map[rune]string{
	'\ue003': kb.Backspace, '\ue004': kb.Tab, '\ue007': kb.Enter, '\ue00c': kb.Escape, '\ue010': kb.End,
	'\ue011': kb.Home, '\ue012': kb.ArrowLeft, '\ue013': kb.ArrowUp, '\ue014': kb.ArrowRight,
	'\ue015': kb.ArrowDown, '\ue017': kb.Delete, '\n': kb.Enter,
}
