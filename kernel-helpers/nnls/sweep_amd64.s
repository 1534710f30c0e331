//go:build !noasm

#include "textflag.h"

// func sweep512(k, columns int, order *int, G, inv, c, u *float64)
//
// s = c_t − Σ_r G_tr u_r in Z0..Z3 (even r) and Z4..Z7 (odd r), 8 rows of U each.
TEXT ·sweep512(SB), NOSPLIT, $0-56
	MOVQ   k+0(FP), R8
	MOVQ   columns+8(FP), R9
	MOVQ   order+16(FP), R10
	MOVQ   G+24(FP), R11
	MOVQ   inv+32(FP), R12
	MOVQ   c+40(FP), R13
	MOVQ   u+48(FP), R14
	VPXORQ Z31, Z31, Z31

column:
	MOVQ  (R10), AX        // t
	ADDQ  $8, R10
	MOVQ  AX, BX
	SHLQ  $8, BX           // 32 numbers of 8 bytes
	LEAQ  (R13)(BX*1), SI  // c_t
	LEAQ  (R14)(BX*1), DI  // u_t
	MOVQ  AX, DX
	IMULQ R8, DX
	LEAQ  (R11)(DX*8), DX  // G_t
	MOVQ  R14, BX          // u_r

	VMOVUPD (SI), Z0
	VMOVUPD 64(SI), Z1
	VMOVUPD 128(SI), Z2
	VMOVUPD 192(SI), Z3
	VPXORQ  Z4, Z4, Z4
	VPXORQ  Z5, Z5, Z5
	VPXORQ  Z6, Z6, Z6
	VPXORQ  Z7, Z7, Z7
	MOVQ    R8, CX
	SUBQ    $2, CX
	JLT     odd

pair:
	VBROADCASTSD (DX), Z8
	VBROADCASTSD 8(DX), Z9
	VFNMADD231PD (BX), Z8, Z0
	VFNMADD231PD 64(BX), Z8, Z1
	VFNMADD231PD 128(BX), Z8, Z2
	VFNMADD231PD 192(BX), Z8, Z3
	VFNMADD231PD 256(BX), Z9, Z4
	VFNMADD231PD 320(BX), Z9, Z5
	VFNMADD231PD 384(BX), Z9, Z6
	VFNMADD231PD 448(BX), Z9, Z7
	ADDQ         $16, DX
	ADDQ         $512, BX
	SUBQ         $2, CX
	JGE          pair

odd:
	ADDQ         $2, CX
	JEQ          update
	VBROADCASTSD (DX), Z8
	VFNMADD231PD (BX), Z8, Z0
	VFNMADD231PD 64(BX), Z8, Z1
	VFNMADD231PD 128(BX), Z8, Z2
	VFNMADD231PD 192(BX), Z8, Z3

update:
	VADDPD       Z4, Z0, Z0
	VADDPD       Z5, Z1, Z1
	VADDPD       Z6, Z2, Z2
	VADDPD       Z7, Z3, Z3
	VBROADCASTSD (R12)(AX*8), Z8
	VMOVUPD      (DI), Z10
	VMOVUPD      64(DI), Z11
	VMOVUPD      128(DI), Z12
	VMOVUPD      192(DI), Z13
	VFMADD231PD  Z8, Z0, Z10
	VFMADD231PD  Z8, Z1, Z11
	VFMADD231PD  Z8, Z2, Z12
	VFMADD231PD  Z8, Z3, Z13
	VMAXPD       Z31, Z10, Z10
	VMAXPD       Z31, Z11, Z11
	VMAXPD       Z31, Z12, Z12
	VMAXPD       Z31, Z13, Z13
	VMOVUPD      Z10, (DI)
	VMOVUPD      Z11, 64(DI)
	VMOVUPD      Z12, 128(DI)
	VMOVUPD      Z13, 192(DI)
	SUBQ         $1, R9
	JNE          column
	VZEROUPPER
	RET

// func sweep256(k, columns int, order *int, G, inv, c, u *float64)
//
// sweep512 for the rows 0 to 15, then for the rows 16 to 31, 4 at a time: s in Y0..Y3 (even r) and Y4..Y7 (odd r).
TEXT ·sweep256(SB), NOSPLIT, $0-56
	MOVQ   k+0(FP), R8
	MOVQ   G+24(FP), R11
	MOVQ   inv+32(FP), R12
	MOVQ   c+40(FP), R13
	MOVQ   u+48(FP), R14
	VXORPD Y15, Y15, Y15
	MOVQ   $2, R15          // halves

half:
	MOVQ columns+8(FP), R9
	MOVQ order+16(FP), R10

column:
	MOVQ  (R10), AX        // t
	ADDQ  $8, R10
	MOVQ  AX, BX
	SHLQ  $8, BX           // 32 numbers of 8 bytes
	LEAQ  (R13)(BX*1), SI  // c_t
	LEAQ  (R14)(BX*1), DI  // u_t
	MOVQ  AX, DX
	IMULQ R8, DX
	LEAQ  (R11)(DX*8), DX  // G_t
	MOVQ  R14, BX          // u_r

	VMOVUPD (SI), Y0
	VMOVUPD 32(SI), Y1
	VMOVUPD 64(SI), Y2
	VMOVUPD 96(SI), Y3
	VXORPD  Y4, Y4, Y4
	VXORPD  Y5, Y5, Y5
	VXORPD  Y6, Y6, Y6
	VXORPD  Y7, Y7, Y7
	MOVQ    R8, CX
	SUBQ    $2, CX
	JLT     odd

pair:
	VBROADCASTSD (DX), Y8
	VBROADCASTSD 8(DX), Y9
	VFNMADD231PD (BX), Y8, Y0
	VFNMADD231PD 32(BX), Y8, Y1
	VFNMADD231PD 64(BX), Y8, Y2
	VFNMADD231PD 96(BX), Y8, Y3
	VFNMADD231PD 256(BX), Y9, Y4
	VFNMADD231PD 288(BX), Y9, Y5
	VFNMADD231PD 320(BX), Y9, Y6
	VFNMADD231PD 352(BX), Y9, Y7
	ADDQ         $16, DX
	ADDQ         $512, BX
	SUBQ         $2, CX
	JGE          pair

odd:
	ADDQ         $2, CX
	JEQ          update
	VBROADCASTSD (DX), Y8
	VFNMADD231PD (BX), Y8, Y0
	VFNMADD231PD 32(BX), Y8, Y1
	VFNMADD231PD 64(BX), Y8, Y2
	VFNMADD231PD 96(BX), Y8, Y3

update:
	VADDPD       Y4, Y0, Y0
	VADDPD       Y5, Y1, Y1
	VADDPD       Y6, Y2, Y2
	VADDPD       Y7, Y3, Y3
	VBROADCASTSD (R12)(AX*8), Y8
	VMOVUPD      (DI), Y10
	VMOVUPD      32(DI), Y11
	VMOVUPD      64(DI), Y12
	VMOVUPD      96(DI), Y13
	VFMADD231PD  Y8, Y0, Y10
	VFMADD231PD  Y8, Y1, Y11
	VFMADD231PD  Y8, Y2, Y12
	VFMADD231PD  Y8, Y3, Y13
	VMAXPD       Y15, Y10, Y10
	VMAXPD       Y15, Y11, Y11
	VMAXPD       Y15, Y12, Y12
	VMAXPD       Y15, Y13, Y13
	VMOVUPD      Y10, (DI)
	VMOVUPD      Y11, 32(DI)
	VMOVUPD      Y12, 64(DI)
	VMOVUPD      Y13, 96(DI)
	SUBQ         $1, R9
	JNE          column
	ADDQ         $128, R13
	ADDQ         $128, R14
	SUBQ         $1, R15
	JNE          half
	VZEROUPPER
	RET
