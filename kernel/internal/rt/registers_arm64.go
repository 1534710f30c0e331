package rt

const (
	intRegisters   = 16
	floatRegisters = 16
)
