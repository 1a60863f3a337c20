package fudaba

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"os"
	"regexp"
	"strconv"

	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/credentials/insecure"
)

// An endpoint is where the service is, and as whom to speak to it.
type endpoint struct {
	address     string
	token       string
	secure      bool
	credentials credentials.TransportCredentials
	capacity    uint32 // how many matches it plays at once; 0 for any number
}

// A capacity is no more than this.
const mostMatches = 1_000_000

var (
	tokens    = regexp.MustCompile(`^[\x21-\x7e]+$`)
	addresses = regexp.MustCompile(`^(unix:.+|[^\s/]+:\d{1,5})$`)
)

// endpointOf reads the environment; its error says in one line what to change.
func endpointOf(environment func(name string) string) (*endpoint, error) {
	token := environment("FUDABA_TOKEN")
	if token == "" {
		return nil, errors.New("set FUDABA_TOKEN to your bot's token")
	}
	if !tokens.MatchString(token) {
		return nil, errors.New("FUDABA_TOKEN has blanks or characters that no token has; copy it again")
	}
	address := environment("FUDABA_SERVER")
	if address == "" {
		address = "127.0.0.1:7710"
	}
	if !addresses.MatchString(address) {
		return nil, fmt.Errorf("FUDABA_SERVER is %q; write HOST:PORT, or unix:/path/to/socket", address)
	}
	where := &endpoint{address: address, token: token, credentials: insecure.NewCredentials()}
	if given := environment("FUDABA_CAPACITY"); given != "" {
		capacity, err := strconv.ParseUint(given, 10, 32)
		if err != nil || capacity > mostMatches {
			return nil, fmt.Errorf("FUDABA_CAPACITY is %q; write how many matches at once, up to %d", given, mostMatches)
		}
		where.capacity = uint32(capacity)
	}
	authority := environment("FUDABA_CA_CERT")
	if authority == "" && environment("FUDABA_TLS") == "" {
		return where, nil
	}
	config := &tls.Config{MinVersion: tls.VersionTLS12}
	if authority != "" {
		content, err := os.ReadFile(authority)
		if err != nil {
			return nil, fmt.Errorf("FUDABA_CA_CERT names %s, which cannot be read (%w)", authority, err)
		}
		config.RootCAs = x509.NewCertPool()
		if !config.RootCAs.AppendCertsFromPEM(content) {
			return nil, fmt.Errorf("FUDABA_CA_CERT names %s, which holds no certificate; it wants a PEM file", authority)
		}
	}
	where.secure, where.credentials = true, credentials.NewTLS(config)
	return where, nil
}
