// Answers every request with its runtime and its greeting; needs nothing beyond Go itself.
package main

import (
	"fmt"
	"log"
	"net/http"
	"os"
)

func main() {
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(answer, "go says "+os.Getenv("GREETING"))
	})
	log.Println("the sample listens")
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}
