// Nothing here is Go. This file keeps the folder out of the module above, and of what the go command downloads of it.
module overcomplete/paper/bradley2008/trained

go 1.26
