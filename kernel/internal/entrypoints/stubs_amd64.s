#include "textflag.h"

// A stub, for the target at the given offset. DX is the context of a closure.
#define STUB(offset) \
	PCALIGN $16; \
	MOVQ ·targets+(offset)(SB), DX; \
	JMP (DX)

#include "stubs.h"

TEXT ·stubs(SB), NOSPLIT|NOFRAME, $0-0
	STUBS

TEXT ·stubsAt(SB), NOSPLIT, $0-8
	LEAQ ·stubs(SB), AX
	MOVQ AX, ret+0(FP)
	RET
