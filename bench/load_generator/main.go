// Command load is a client that takes far less CPU than the server that it measures. It plays instant bots, or goes
// round trips with the bare echo.
//
// Its input is lines: first what to do, as a config in JSON, then a line whenever the counts are wanted: "take" begins
// them anew after that, "look" does not. It prints "begun" when it has begun, and for each further line the counts since
// they were begun last, as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"log"
	"os"
	"time"
)

// A config says what to do.
type config struct {
	Kind    string   // "echo" or "play"
	Address string   // of the server
	Tokens  []string // play: of the bots, each with a stream of its own
	Batches bool     // play: ask for several updates in a message, and answer likewise
	Silent  bool     // play: never answer
	Most    int      // play: how many answers each match gets in all; 0 for any number
	ThinkMs int      // play: how long to think about each decision
	Streams int      // echo: how many, with one message in flight on each
	Up      int      // echo: bytes of a message to the server
	Down    int      // echo: bytes of its reply
	Rate    float64  // answers or round trips a second, of all streams together; 0 for as many as there can be
}

func main() {
	log.SetFlags(0)
	input := bufio.NewScanner(os.Stdin)
	input.Buffer(nil, 16<<20)
	if !input.Scan() {
		log.Fatal("the first line of the input is missing: a config, as JSON")
	}
	var wanted config
	if err := json.Unmarshal(input.Bytes(), &wanted); err != nil {
		log.Fatalf("the first line of the input is no config: %v", err)
	}
	counts := newCounts()
	pace := newPace(wanted.Rate)
	switch wanted.Kind {
	case "echo":
		beginEcho(wanted, counts, pace)
	case "play":
		beginPlay(wanted, counts, pace)
	default:
		log.Fatalf("kind %q: it is echo or play", wanted.Kind)
	}
	fmt.Println("begun")
	for input.Scan() {
		if err := json.NewEncoder(os.Stdout).Encode(counts.read(input.Text() == "take")); err != nil {
			log.Fatal(err)
		}
	}
}

// again waits before something is tried once more that has failed.
func again() { time.Sleep(50 * time.Millisecond) }
