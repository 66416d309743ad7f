module drover.dev/kind/pause

go 1.26.0
