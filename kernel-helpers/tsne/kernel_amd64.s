//go:build !noasm

#include "textflag.h"

// even and odd pick every second number of two vectors.
DATA even<>+0(SB)/8, $0x0000000200000000
DATA even<>+8(SB)/8, $0x0000000600000004
DATA even<>+16(SB)/8, $0x0000000a00000008
DATA even<>+24(SB)/8, $0x0000000e0000000c
DATA even<>+32(SB)/8, $0x0000001200000010
DATA even<>+40(SB)/8, $0x0000001600000014
DATA even<>+48(SB)/8, $0x0000001a00000018
DATA even<>+56(SB)/8, $0x0000001e0000001c
GLOBL even<>(SB), RODATA|NOPTR, $64

DATA odd<>+0(SB)/8, $0x0000000300000001
DATA odd<>+8(SB)/8, $0x0000000700000005
DATA odd<>+16(SB)/8, $0x0000000b00000009
DATA odd<>+24(SB)/8, $0x0000000f0000000d
DATA odd<>+32(SB)/8, $0x0000001300000011
DATA odd<>+40(SB)/8, $0x0000001700000015
DATA odd<>+48(SB)/8, $0x0000001b00000019
DATA odd<>+56(SB)/8, $0x0000001f0000001d
GLOBL odd<>(SB), RODATA|NOPTR, $64

// func repelCells16(n int, x, y, mass *float32, own *block, acc *sums[float32])
TEXT ·repelCells16(SB), NOSPLIT, $0-48
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         mass+24(FP), BX
	MOVQ         own+32(FP), R8
	MOVQ         acc+40(FP), R9
	MOVL         $0x3f800000, AX // 1
	VPBROADCASTD AX, Z5
	MOVQ         n+0(FP), CX
	XORQ         AX, AX
	VMOVUPS      (R8), Z0
	VMOVUPS      64(R8), Z1
	VMOVUPS      (R9), Z2
	VMOVUPS      64(R9), Z3
	VMOVUPS      128(R9), Z4

next:
	VSUBPS.BCST (SI)(AX*4), Z0, Z6 // x_i − x_j
	VSUBPS.BCST (DI)(AX*4), Z1, Z7
	VMOVAPS     Z5, Z8
	VFMADD231PS Z6, Z6, Z8
	VFMADD231PS Z7, Z7, Z8         // t
	VDIVPS      Z8, Z5, Z8         // w
	VMULPS.BCST (BX)(AX*4), Z8, Z9 // m w
	VADDPS      Z9, Z2, Z2
	VMULPS      Z8, Z9, Z9         // m w²
	VFMADD231PS Z6, Z9, Z3
	VFMADD231PS Z7, Z9, Z4
	INCQ        AX
	CMPQ        AX, CX
	JLT         next

	VMOVUPS Z2, (R9)
	VMOVUPS Z3, 64(R9)
	VMOVUPS Z4, 128(R9)
	VZEROUPPER
	RET

// func repelPoints16(n int, x, y *float32, own *block, acc *sums[float32])
TEXT ·repelPoints16(SB), NOSPLIT, $0-40
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         own+24(FP), R8
	MOVQ         acc+32(FP), R9
	MOVL         $0x3f800000, AX // 1
	VPBROADCASTD AX, Z5
	MOVQ         n+0(FP), CX
	XORQ         AX, AX
	VMOVUPS      (R8), Z0
	VMOVUPS      64(R8), Z1
	VMOVUPS      (R9), Z2
	VMOVUPS      64(R9), Z3
	VMOVUPS      128(R9), Z4

next:
	VSUBPS.BCST (SI)(AX*4), Z0, Z6 // x_i − x_j
	VSUBPS.BCST (DI)(AX*4), Z1, Z7
	VMOVAPS     Z5, Z8
	VFMADD231PS Z6, Z6, Z8
	VFMADD231PS Z7, Z7, Z8         // t
	VDIVPS      Z8, Z5, Z8         // w
	VADDPS      Z8, Z2, Z2
	VMULPS      Z8, Z8, Z9         // w²
	VFMADD231PS Z6, Z9, Z3
	VFMADD231PS Z7, Z9, Z4
	INCQ        AX
	CMPQ        AX, CX
	JLT         next

	VMOVUPS Z2, (R9)
	VMOVUPS Z3, 64(R9)
	VMOVUPS Z4, 128(R9)
	VZEROUPPER
	RET

// func repelCells8(n int, x, y, mass *float32, own *block, acc *sums[float32])
TEXT ·repelCells8(SB), NOSPLIT, $0-48
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         mass+24(FP), BX
	MOVQ         own+32(FP), R8
	MOVQ         acc+40(FP), R9
	MOVL         $0x3f800000, AX // 1
	VMOVD        AX, X5
	VPBROADCASTD X5, Y5
	MOVQ         $2, DX

half:
	MOVQ    n+0(FP), CX
	XORQ    AX, AX
	VMOVUPS (R8), Y0
	VMOVUPS 64(R8), Y1
	VMOVUPS (R9), Y2
	VMOVUPS 64(R9), Y3
	VMOVUPS 128(R9), Y4

next:
	VBROADCASTSS (SI)(AX*4), Y6
	VBROADCASTSS (DI)(AX*4), Y7
	VSUBPS       Y6, Y0, Y6 // x_i − x_j
	VSUBPS       Y7, Y1, Y7
	VMOVAPS      Y5, Y8
	VFMADD231PS  Y6, Y6, Y8
	VFMADD231PS  Y7, Y7, Y8 // t
	VDIVPS       Y8, Y5, Y8 // w
	VBROADCASTSS (BX)(AX*4), Y9
	VMULPS       Y9, Y8, Y9 // m w
	VADDPS       Y9, Y2, Y2
	VMULPS       Y8, Y9, Y9 // m w²
	VFMADD231PS  Y6, Y9, Y3
	VFMADD231PS  Y7, Y9, Y4
	INCQ         AX
	CMPQ         AX, CX
	JLT          next

	VMOVUPS Y2, (R9)
	VMOVUPS Y3, 64(R9)
	VMOVUPS Y4, 128(R9)
	ADDQ    $32, R8
	ADDQ    $32, R9
	DECQ    DX
	JNE     half
	VZEROUPPER
	RET

// func repelPoints8(n int, x, y *float32, own *block, acc *sums[float32])
TEXT ·repelPoints8(SB), NOSPLIT, $0-40
	MOVQ         x+8(FP), SI
	MOVQ         y+16(FP), DI
	MOVQ         own+24(FP), R8
	MOVQ         acc+32(FP), R9
	MOVL         $0x3f800000, AX // 1
	VMOVD        AX, X5
	VPBROADCASTD X5, Y5
	MOVQ         $2, DX

half:
	MOVQ    n+0(FP), CX
	XORQ    AX, AX
	VMOVUPS (R8), Y0
	VMOVUPS 64(R8), Y1
	VMOVUPS (R9), Y2
	VMOVUPS 64(R9), Y3
	VMOVUPS 128(R9), Y4

next:
	VBROADCASTSS (SI)(AX*4), Y6
	VBROADCASTSS (DI)(AX*4), Y7
	VSUBPS       Y6, Y0, Y6 // x_i − x_j
	VSUBPS       Y7, Y1, Y7
	VMOVAPS      Y5, Y8
	VFMADD231PS  Y6, Y6, Y8
	VFMADD231PS  Y7, Y7, Y8 // t
	VDIVPS       Y8, Y5, Y8 // w
	VADDPS       Y8, Y2, Y2
	VMULPS       Y8, Y8, Y9 // w²
	VFMADD231PS  Y6, Y9, Y3
	VFMADD231PS  Y7, Y9, Y4
	INCQ         AX
	CMPQ         AX, CX
	JLT          next

	VMOVUPS Y2, (R9)
	VMOVUPS Y3, 64(R9)
	VMOVUPS Y4, 128(R9)
	ADDQ    $32, R8
	ADDQ    $32, R9
	DECQ    DX
	JNE     half
	VZEROUPPER
	RET

// sum adds up the 16 numbers of z; y and x are the lower parts of z.
#define sum(z, y, x) \
	VEXTRACTF64X4 $1, z, Y9  \
	VADDPS        Y9, y, y   \
	VEXTRACTF128  $1, y, X9  \
	VADDPS        X9, x, x   \
	VPERMILPS     $14, x, X9 \
	VADDPS        X9, x, x   \
	VPERMILPS     $1, x, X9  \
	VADDSS X9, x, x

// func attract16(n int, col *int32, p, pos *float32, i int) (fx, fy float32)
TEXT ·attract16(SB), NOSPLIT, $0-48
	MOVQ         n+0(FP), CX
	MOVQ         col+8(FP), SI
	MOVQ         p+16(FP), DI
	MOVQ         pos+24(FP), BX
	MOVQ         i+32(FP), AX
	VBROADCASTSS (BX)(AX*8), Z0
	VBROADCASTSS 4(BX)(AX*8), Z1
	MOVL         $0x3f800000, AX // 1
	VPBROADCASTD AX, Z2
	VPXORQ       Z3, Z3, Z3
	VPXORQ       Z4, Z4, Z4
	VMOVDQU32    even<>(SB), Z5
	VMOVDQU32    odd<>(SB), Z6
	KXNORW       K0, K0, K1

next:
	CMPQ  CX, $16
	JGE   whole
	MOVL  $1, AX
	SHLL  CX, AX
	DECL  AX
	KMOVW AX, K1

whole:
	// Where the mask is 0 the neighbour is point 0, with p = 0.
	VMOVDQU32.Z   (SI), K1, Z7
	VMOVUPS.Z     (DI), K1, Z13
	VEXTRACTI64X4 $1, Z7, Y9
	KXNORW        K0, K0, K2
	KXNORW        K0, K0, K3
	VPXORQ        Z8, Z8, Z8
	VPXORQ        Z10, Z10, Z10
	VGATHERDPD    (BX)(Y7*8), K2, Z8 // x, y, x, y, …
	VGATHERDPD    (BX)(Y9*8), K3, Z10
	VMOVAPS       Z8, Z11
	VPERMT2PS     Z10, Z5, Z11       // x_j
	VPERMT2PS     Z10, Z6, Z8        // y_j
	VSUBPS        Z11, Z0, Z11
	VSUBPS        Z8, Z1, Z8
	VMOVAPS       Z2, Z12
	VFMADD231PS   Z11, Z11, Z12
	VFMADD231PS   Z8, Z8, Z12        // t
	VDIVPS        Z12, Z13, Z13      // p w
	VFMADD231PS   Z11, Z13, Z3
	VFMADD231PS   Z8, Z13, Z4
	ADDQ          $64, SI
	ADDQ          $64, DI
	SUBQ          $16, CX
	JGT           next

	sum(Z3, Y3, X3)
	sum(Z4, Y4, X4)
	VMOVSS  X3, fx+40(FP)
	VMOVSS  X4, fy+44(FP)
	VZEROUPPER
	RET
