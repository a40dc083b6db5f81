" Vim compiler file: `:compiler heddle', then `:make check queue_check.c'. The steps of an execution become
" the list that :cnext walks through; the last one is where it goes wrong.
if exists("current_compiler")
  finish
endif
let current_compiler = "heddle"
if exists(":CompilerSet") != 2
  command -nargs=* CompilerSet setlocal <args>
endif
CompilerSet makeprg=heddle\ $*\ --lines
CompilerSet errorformat=%f:%l:%c:\ %trror:\ %m,%f:%l:%c:\ %tarning:\ %m,%f:%l:\ %trror:\ %m,%f:%l:\ %tarning:\ %m,%f:%l:\ %tote:\ %m,%-G%.%#
