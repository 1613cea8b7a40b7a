module example.org/image

go 1.18
