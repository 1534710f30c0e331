#include "textflag.h"
#include "funcdata.h"

// func callRegisters(fn unsafe.Pointer, r *registerArgs)
//
// The frame is the room where the called function saves its arguments.
TEXT ·callRegisters(SB), 0, $192-16
	NO_LOCAL_POINTERS
	MOVQ r+8(FP), R12
	CMPB 266(R12), $0 // uses no floats
	JEQ  call
	MOVQ 72(R12), X0
	MOVQ 80(R12), X1
	MOVQ 88(R12), X2
	MOVQ 96(R12), X3
	MOVQ 104(R12), X4
	MOVQ 112(R12), X5
	MOVQ 120(R12), X6
	MOVQ 128(R12), X7
	MOVQ 136(R12), X8
	MOVQ 144(R12), X9
	MOVQ 152(R12), X10
	MOVQ 160(R12), X11
	MOVQ 168(R12), X12
	MOVQ 176(R12), X13
	MOVQ 184(R12), X14

call:
	MOVQ 0(R12), AX
	MOVQ 8(R12), BX
	MOVQ 16(R12), CX
	MOVQ 24(R12), DI
	MOVQ 32(R12), SI
	MOVQ 40(R12), R8
	MOVQ 48(R12), R9
	MOVQ 56(R12), R10
	MOVQ 64(R12), R11
	MOVQ fn+0(FP), DX
	MOVQ (DX), R13
	CALL R13
	MOVQ r+8(FP), R12
	MOVQ AX, 0(R12)
	MOVQ BX, 8(R12)
	MOVQ CX, 16(R12)
	MOVQ DI, 24(R12)
	MOVQ SI, 32(R12)
	MOVQ R8, 40(R12)
	MOVQ R9, 48(R12)
	MOVQ R10, 56(R12)
	MOVQ R11, 64(R12)
	CMPB 266(R12), $0
	JEQ  pointers
	MOVQ X0, 72(R12)
	MOVQ X1, 80(R12)
	MOVQ X2, 88(R12)
	MOVQ X3, 96(R12)
	MOVQ X4, 104(R12)
	MOVQ X5, 112(R12)
	MOVQ X6, 120(R12)
	MOVQ X7, 128(R12)
	MOVQ X8, 136(R12)
	MOVQ X9, 144(R12)
	MOVQ X10, 152(R12)
	MOVQ X11, 160(R12)
	MOVQ X12, 168(R12)
	MOVQ X13, 176(R12)
	MOVQ X14, 184(R12)

	// Pointers are also stored where the garbage collector sees them. r is on the stack, so there is no write barrier.
pointers:
	MOVWLZX 264(R12), R13
	BTL  $0, R13
	JCC  p1
	MOVQ AX, 192(R12)

p1:
	BTL  $1, R13
	JCC  p2
	MOVQ BX, 200(R12)

p2:
	BTL  $2, R13
	JCC  p3
	MOVQ CX, 208(R12)

p3:
	BTL  $3, R13
	JCC  p4
	MOVQ DI, 216(R12)

p4:
	BTL  $4, R13
	JCC  p5
	MOVQ SI, 224(R12)

p5:
	BTL  $5, R13
	JCC  p6
	MOVQ R8, 232(R12)

p6:
	BTL  $6, R13
	JCC  p7
	MOVQ R9, 240(R12)

p7:
	BTL  $7, R13
	JCC  p8
	MOVQ R10, 248(R12)

p8:
	BTL  $8, R13
	JCC  done
	MOVQ R11, 256(R12)

done:
	RET
