autocmd BufRead,BufNewFile *.hm set filetype=heddle
