package main

// sequences lists sequences of ops that cells often execute. All ops of a sequence are executed after reading a single
// opcode, which saves about half of the time of each op after the first. After a branch comes the op at which execution
// continues if the branch's condition is true or, for a branch marked with !, if the condition is false. A loop can
// only be the first op.
var sequences = []string{
	// Function entry: checks whether the function has been redeclared and whether the cell must stop.
	"LoadP Nil Not !If", "LoadP Nil Not !If Load8 !If", "LoadP Nil Not !If Load8 !If IfLT", "Load8 If", "Load8 !If IfLT",
	// Loop entry.
	"Loop IfLT", "Loop IfLT Load8 If", "Loop IfLT Load8 !If At64", "Loop IfLT Load8 !If Elem", "Loop IfLT Load8 !If Add", "Loop IfLT Load8 !If FMul",
	"Loop Add IfLT", "Loop Add IfLT Load8 If", "Loop Add IfLT Load8 !If At64", "Loop Add IfLT Load8 !If Elem",
	"Loop IfLT Load8 !If At8", "Loop IfLT Load8 !If Load8", "Loop IfLT Load8 !If LoadP", "Loop IfLT Load8 !If IntFloat",
	"Loop IfEQ", "Loop !IfEQ Load8 If", "Loop IfEQ Load8 If", "Loop Add IfLT Load8 !If Shl",
	"Loop Move IfLT", "Loop Move IfLT Load8 If", "Loop Load8 If", "Loop Load8 !If IfLT",
	// Loop end, where phis are assigned.
	"Move Jump", "Move Move", "Move Move Jump", "Move Move Move", "Move Move Move Jump", "Move Return",
	"Add Jump", "Add Move", "Add Move Jump", "Add Move Move", "Add Move Move Jump", "Add Move Return",
	"AddI Jump", "AddI Move", "AddI Move Jump", "AddI Move Move Jump",
	"Move Jump Add Move Move Jump", "Move Jump Add Move Jump", "Add IfLT Move Jump", "Add !IfLT Move Jump", "IfEQ Move Jump", "!IfEQ Move Jump", "Div Move Jump",
	"Move IfLT", "Store8 Add Move Jump", "Store64 Add Move Jump", "FAdd Move", "FAdd Move Move Jump", "FAdd Add Move Move Jump", "Sub Move", "Mul Move",
	// Slices of slices, and of structs.
	"LoadP Load64", "LoadP Load64 Load64", "Elem LoadP", "Elem LoadP Load64 Load64", "Elem LoadP Load64 Load64 At64",
	"Load64 Load64", "Load64 Load64 At64", "At64 At64", "At8 If",
	"Field Load64", "Field Store64", "Field LoadP", "Elem Field", "Elem Field Load64", "Elem Field Store64", "Elem Store64", "Elem Store8", "Elem Load64",
	"Elem Store8 Add Move Jump", "Elem Store64 Add Move Jump", "Store64 Store64", "StoreP Store64 Store64",
	"Field Load64 FMul", "Field Load64 FMul FMul", "Field Load64 FAdd", "Field Load64 FSub", "Field Load64 FAdd Field Store64", "Field Load64 FSub Field Store64",
	"Elem LoadP Load64 Load64 At64 FMul FAdd", "Elem LoadP Load64 Load64 At64 FAdd", "Elem LoadP Load64 Load64 Elem",
	// Numbers.
	"FMul FAdd Add Move Move Jump", "Rem IfEQ", "Rem !IfEQ Div Move Jump", "And IfEQ", "Xor Uint32", "Shl Uint32", "ShrU Uint32", "Shl Uint32 Xor Uint32", "ShrU Uint32 Xor Uint32",
	"IntFloat FMul", "IntFloat FMul FAdd", "IntFloat FAdd", "Add Uint32", "Mul Uint32", "Add Uint8",
	"FMul FAdd", "FMul FSub", "FMul FMul", "FAdd FMul", "FSub FMul", "FSub FAdd", "FMul FMul FAdd", "FMul FMul FSub",
	"At64 FAdd", "At64 FMul", "At64 Add", "At64 FMul FAdd", "At64 At64 FMul FAdd", "Load64 FMul", "Load64 FAdd", "Load64 FSub", "Load64 FMul FMul",
	"Add Add", "Add Sub", "Sub Add", "Mul Add", "Add Mul", "Add At64", "Sub At64", "And If", "Add IfLT", "Sub IfLT",
	"FAdd Store64", "FSub Store64",
}
