#include "textflag.h"

// A stub, for the target at the given offset. DX is the context of a closure.
#define STUB(offset) \
	PCALIGN $16; \
	MOVQ ·targets+(offset)(SB), DX; \
	JMP (DX)

#include "stubs.h"

TEXT ·stubs(SB), NOSPLIT|NOFRAME, $0-0
	STUBS

#undef STUB
#define STUB(offset) \
	PCALIGN $16; \
	MOVQ ·closures+(offset)(SB), DX; \
	JMP (DX)

TEXT ·direct(SB), NOSPLIT|NOFRAME, $0-0
	STUBS

TEXT ·directAt(SB), NOSPLIT, $0-8
	LEAQ ·direct(SB), AX
	MOVQ AX, ret+0(FP)
	RET

TEXT ·stubsAt(SB), NOSPLIT, $0-8
	LEAQ ·stubs(SB), AX
	MOVQ AX, ret+0(FP)
	RET
