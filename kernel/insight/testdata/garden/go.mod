module example.com/garden

go 1.24
