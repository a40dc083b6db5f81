" Syntax of Heddle models (*.hm): copy tools/vim/* to ~/.vim/.
if exists("b:current_syntax")
    finish
endif
syn keyword heddleStatement if else while do for break continue return choose or await assert free
syn keyword heddleAtomic atomic
syn keyword heddleDeclare operation specification init invariant observe quasi threads param typedef data enum struct pool manual
syn keyword heddleType int bool thread auto void Mutex
syn keyword heddleConstant true false NULL none self
syn keyword heddleBuiltin new available cas dcas exchange fetch_add lock try_lock unlock down up
syn match heddleNumber "\<\(0x\x\+\|\d\+\)\>"
syn match heddleLabel "^\s*\h\w*\ze\s*:\s"
syn match heddlePreProc "^\s*#\s*\(include\|define\|undef\|ifdef\|ifndef\|else\|endif\).*" contains=heddleComment,heddleString
syn region heddleString start=+"+ end=+"+ oneline contained
syn match heddleComment "//.*" contains=@Spell
syn region heddleComment start="/\*" end="\*/" contains=@Spell
hi def link heddleStatement Statement
hi def link heddleAtomic Special
hi def link heddleDeclare StorageClass
hi def link heddleType Type
hi def link heddleConstant Constant
hi def link heddleBuiltin Function
hi def link heddleNumber Number
hi def link heddleLabel Label
hi def link heddlePreProc PreProc
hi def link heddleString String
hi def link heddleComment Comment
let b:current_syntax = "heddle"
