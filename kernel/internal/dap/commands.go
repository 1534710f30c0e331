package dap

// commands holds the requests that run no code of cells.
var commands map[string]func(*Adapter, request) (object, error)

// evaluations holds the requests that run code of cells.
var evaluations map[string]func(*Adapter, *evaluation, request) (object, error)

// releases holds the requests that end an evaluation or let code continue.
var releases = map[string]bool{
	"attach": true, "disconnect": true, "terminate": true, "cancel": true,
	"continue": true, "next": true, "stepIn": true, "stepOut": true,
}

func init() { // not in the declarations, because the functions refer to them
	commands = map[string]func(*Adapter, request) (object, error){
		"initialize":        (*Adapter).initialize,
		"attach":            (*Adapter).attach,
		"configurationDone": (*Adapter).nothing,
		"cancel":            (*Adapter).nothing,
		"disconnect":        (*Adapter).disconnect,
		"terminate":         (*Adapter).disconnect,

		"dumpCell":                (*Adapter).dumpCell,
		"debugInfo":               (*Adapter).debugInfo,
		"setBreakpoints":          (*Adapter).setBreakpoints,
		"setFunctionBreakpoints":  (*Adapter).setFunctionBreakpoints,
		"setExceptionBreakpoints": (*Adapter).setExceptionBreakpoints,
		"source":                  (*Adapter).source,
		"modules":                 (*Adapter).modules,

		"threads":       (*Adapter).threads,
		"stackTrace":    (*Adapter).stackTrace,
		"exceptionInfo": (*Adapter).exceptionInfo,
		"continue":      (*Adapter).goOn,
		"next":          (*Adapter).step,
		"stepIn":        (*Adapter).step,
		"stepOut":       (*Adapter).step,
		"pause":         (*Adapter).pause,

		"scopes":           (*Adapter).scopes,
		"variables":        (*Adapter).variables,
		"inspectVariables": (*Adapter).inspectVariables,
	}
	evaluations = map[string]func(*Adapter, *evaluation, request) (object, error){
		"evaluate":             (*Adapter).evaluate,
		"setVariable":          (*Adapter).setVariable,
		"setExpression":        (*Adapter).setExpression,
		"copyToGlobals":        (*Adapter).copyToGlobals,
		"richInspectVariables": (*Adapter).richInspectVariables,
	}
}

// nothing answers a request that needs only an empty reply.
func (a *Adapter) nothing(request) (object, error) { return nil, nil }
