package rt

const (
	intRegisters   = 9
	floatRegisters = 15
)
