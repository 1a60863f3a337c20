package fudaba

import (
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"
)

// throughProxy says which HTTP proxy an address is reached through, without its password, and which variable names it,
// for a message; it is empty if there is none. None leads to this machine.
func throughProxy(address string) string {
	if strings.HasPrefix(address, "unix:") {
		return ""
	}
	// gRPC asks the same.
	proxy, err := http.ProxyFromEnvironment(&http.Request{URL: &url.URL{Scheme: "https", Host: address}})
	if err != nil || proxy == nil {
		return ""
	}
	from := "HTTPS_PROXY"
	if !strings.Contains(os.Getenv(from), proxy.Host) {
		from = "https_proxy"
	}
	return fmt.Sprintf(", through the proxy %s (from %s)", proxy.Host, from)
}
