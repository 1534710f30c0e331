//go:build !noasm

#include "textflag.h"

// rest sets K1 and K2 to masks of the first CX < 16 numbers of two vectors.
#define rest \
	MOVL  $1, AX   \
	SHLL  CX, AX   \
	DECL  AX       \
	KMOVW AX, K1   \
	SHRL  $8, AX   \
	KMOVW AX, K2

// func axpy512(n int, a float64, x, y *float64)
TEXT ·axpy512(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSD a+8(FP), Z0
	MOVQ         x+16(FP), SI
	MOVQ         y+24(FP), DI
	SUBQ         $16, CX
	JLT          part

whole:
	VMOVUPD     (SI), Z1
	VMOVUPD     64(SI), Z2
	VMOVUPD     (DI), Z3
	VMOVUPD     64(DI), Z4
	VFMADD231PD Z1, Z0, Z3
	VFMADD231PD Z2, Z0, Z4
	VMOVUPD     Z3, (DI)
	VMOVUPD     Z4, 64(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         whole

part:
	ADDQ        $16, CX
	JEQ         end
	rest
	VMOVUPD.Z   (SI), K1, Z1
	VMOVUPD.Z   64(SI), K2, Z2
	VMOVUPD.Z   (DI), K1, Z3
	VMOVUPD.Z   64(DI), K2, Z4
	VFMADD231PD Z1, Z0, Z3
	VFMADD231PD Z2, Z0, Z4
	VMOVUPD     Z3, K1, (DI)
	VMOVUPD     Z4, K2, 64(DI)

end:
	VZEROUPPER
	RET

// func dot512(n int, x, y *float64) float64
TEXT ·dot512(SB), NOSPLIT, $0-32
	MOVQ   n+0(FP), CX
	MOVQ   x+8(FP), SI
	MOVQ   y+16(FP), DI
	VPXORQ Z3, Z3, Z3
	VPXORQ Z4, Z4, Z4
	SUBQ   $16, CX
	JLT    part

whole:
	VMOVUPD     (SI), Z1
	VMOVUPD     64(SI), Z2
	VFMADD231PD (DI), Z1, Z3
	VFMADD231PD 64(DI), Z2, Z4
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $16, CX
	JGE         whole

part:
	ADDQ        $16, CX
	JEQ         sum
	rest
	VMOVUPD.Z   (SI), K1, Z1
	VMOVUPD.Z   64(SI), K2, Z2
	VMOVUPD.Z   (DI), K1, Z5
	VMOVUPD.Z   64(DI), K2, Z6
	VFMADD231PD Z1, Z5, Z3
	VFMADD231PD Z2, Z6, Z4

sum:
	VADDPD        Z4, Z3, Z3
	VEXTRACTF64X4 $1, Z3, Y4
	VADDPD        Y4, Y3, Y3
	VEXTRACTF128  $1, Y3, X4
	VADDPD        X4, X3, X3
	VHADDPD       X3, X3, X3
	VMOVSD        X3, ret+24(FP)
	VZEROUPPER
	RET

// func axpy32x16(n int, a float32, x, y *float32)
TEXT ·axpy32x16(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Z0
	MOVQ         x+16(FP), SI
	MOVQ         y+24(FP), DI
	SUBQ         $64, CX
	JLT          part

whole:
	VMOVUPS     (DI), Z1
	VMOVUPS     64(DI), Z2
	VMOVUPS     128(DI), Z3
	VMOVUPS     192(DI), Z4
	VFMADD231PS (SI), Z0, Z1
	VFMADD231PS 64(SI), Z0, Z2
	VFMADD231PS 128(SI), Z0, Z3
	VFMADD231PS 192(SI), Z0, Z4
	VMOVUPS     Z1, (DI)
	VMOVUPS     Z2, 64(DI)
	VMOVUPS     Z3, 128(DI)
	VMOVUPS     Z4, 192(DI)
	ADDQ        $256, SI
	ADDQ        $256, DI
	SUBQ        $64, CX
	JGE         whole

part:
	ADDQ $64, CX
	JEQ  end
	SUBQ $16, CX
	JLT  last

vector:
	VMOVUPS     (DI), Z1
	VFMADD231PS (SI), Z0, Z1
	VMOVUPS     Z1, (DI)
	ADDQ        $64, SI
	ADDQ        $64, DI
	SUBQ        $16, CX
	JGE         vector

last:
	ADDQ $16, CX
	JEQ  end
	MOVL  $1, AX // K1 is a mask of the first CX < 16 numbers
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1
	VMOVUPS.Z   (SI), K1, Z1
	VMOVUPS.Z   (DI), K1, Z2
	VFMADD231PS Z1, Z0, Z2
	VMOVUPS     Z2, K1, (DI)

end:
	VZEROUPPER
	RET

// func axpy32x8(n int, a float32, x, y *float32)
TEXT ·axpy32x8(SB), NOSPLIT, $0-32
	MOVQ         n+0(FP), CX
	VBROADCASTSS a+8(FP), Y0
	MOVQ         x+16(FP), SI
	MOVQ         y+24(FP), DI
	SUBQ         $32, CX
	JLT          part

whole:
	VMOVUPS     (DI), Y1
	VMOVUPS     32(DI), Y2
	VMOVUPS     64(DI), Y3
	VMOVUPS     96(DI), Y4
	VFMADD231PS (SI), Y0, Y1
	VFMADD231PS 32(SI), Y0, Y2
	VFMADD231PS 64(SI), Y0, Y3
	VFMADD231PS 96(SI), Y0, Y4
	VMOVUPS     Y1, (DI)
	VMOVUPS     Y2, 32(DI)
	VMOVUPS     Y3, 64(DI)
	VMOVUPS     Y4, 96(DI)
	ADDQ        $128, SI
	ADDQ        $128, DI
	SUBQ        $32, CX
	JGE         whole

part:
	ADDQ $32, CX
	JEQ  end

number:
	VMOVSS      (DI), X1
	VFMADD231SS (SI), X0, X1
	VMOVSS      X1, (DI)
	ADDQ        $4, SI
	ADDQ        $4, DI
	DECQ        CX
	JNE         number

end:
	VZEROUPPER
	RET
