#include "textflag.h"

// A stub, for the target at the given offset. R26 is the context of a closure.
#define STUB(offset) \
	MOVD $(offset), R26; \
	B common; \
	NOOP; \
	NOOP

#include "stubs.h"

TEXT ·stubs(SB), NOSPLIT|NOFRAME, $0-0
	STUBS
common:
	MOVD $·targets(SB), R20
	ADD R20, R26, R20
	MOVD (R20), R26
	MOVD (R26), R20
	JMP (R20)

TEXT ·direct(SB), NOSPLIT|NOFRAME, $0-0
	STUBS
common:
	MOVD $·closures(SB), R20
	ADD R20, R26, R20
	MOVD (R20), R26
	MOVD (R26), R20
	JMP (R20)

TEXT ·directAt(SB), NOSPLIT, $0-8
	MOVD $·direct(SB), R0
	MOVD R0, ret+0(FP)
	RET

TEXT ·stubsAt(SB), NOSPLIT, $0-8
	MOVD $·stubs(SB), R0
	MOVD R0, ret+0(FP)
	RET
