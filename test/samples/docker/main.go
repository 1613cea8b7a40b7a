// Answers with what it sees of its surroundings; built without C, it runs in an empty image.
package main

import (
	"encoding/json"
	"log"
	"net/http"
	"os"
	"strings"
)

func main() {
	http.HandleFunc("/", func(answer http.ResponseWriter, _ *http.Request) {
		json.NewEncoder(answer).Encode(look())
	})
	log.Println("the sample listens")
	log.Fatal(http.ListenAndServe(":"+os.Getenv("PORT"), nil))
}

func look() map[string]interface{} {
	folder, _ := os.Getwd()
	entries, _ := os.ReadDir("/")
	root := []string{}
	for _, entry := range entries {
		root = append(root, entry.Name())
	}
	wrote := ""
	if err := os.WriteFile("/srv/written", []byte("x"), 0o600); err != nil {
		wrote = err.Error()
	}
	return map[string]interface{}{
		"greeting": os.Getenv("GREETING"), "kept": os.Getenv("KEPT"), "uid": os.Getuid(),
		"folder": folder, "root": root, "wrote": wrote,
		"capabilities": status("CapEff"), "noNewPrivileges": status("NoNewPrivs"),
	}
}

func status(name string) string {
	text, _ := os.ReadFile("/proc/self/status")
	for _, line := range strings.Split(string(text), "\n") {
		if strings.HasPrefix(line, name+":") {
			return strings.TrimSpace(strings.TrimPrefix(line, name+":"))
		}
	}
	return ""
}
