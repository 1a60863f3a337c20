package main

import (
	"slices"
	"sync"
	"time"
)

// Counts are what all streams together have done since they were begun.
type counts struct {
	mu     sync.Mutex
	since  time.Time
	now    reading
	waits  []time.Duration
	late   []time.Duration
	seen   map[string]*match
	firsts time.Duration // until the last match made its first move since
}

// A reading is what is told of them.
type reading struct {
	Seconds  float64 // since they were begun
	Units    int     // answers or round trips
	Messages int     // that the units were sent in
	Up, Down int     // bytes of messages with units, and of those to which they are the answers
	Asked    int     // matches in which somebody was asked
	Moved    int     // matches that have gone on since
	Refused  int     // answers
	Ended    int     // streams that have ended
	Last     float64 // seconds until the last of these had
	Wait     spread  // from an answer until the next decision, or a round trip
	Late     spread  // from when a decision's time was up until it was closed
}

// A spread is of times, in milliseconds.
type spread struct {
	Count         int
	P50, P99, Max float64
}

// A match as its bots have seen it.
type match struct {
	answered  time.Time // when it was answered last, unless somebody has been asked since
	asked     map[uint32]asked
	answers   int // that were sent or will be
	everAsked bool
	moved     bool
}

type asked struct {
	decision string
	until    time.Time // when its time is up
}

func newCounts() *counts { return &counts{since: time.Now(), seen: map[string]*match{}} }

// read tells them, and begins them anew where that is wanted.
func (c *counts) read(anew bool) reading {
	c.mu.Lock()
	defer c.mu.Unlock()
	read := c.now
	read.Seconds = time.Since(c.since).Seconds()
	read.Wait, read.Late = spreadOf(c.waits), spreadOf(c.late)
	for _, match := range c.seen {
		if match.everAsked {
			read.Asked++
		}
		if match.moved {
			read.Moved++
		}
		if anew {
			match.moved, match.everAsked = false, false
		}
	}
	read.Last = c.firsts.Seconds()
	if anew {
		c.now, c.waits, c.late, c.firsts, c.since = reading{}, nil, nil, 0, time.Now()
	}
	return read
}

func spreadOf(times []time.Duration) spread {
	if len(times) == 0 {
		return spread{}
	}
	slices.Sort(times)
	at := func(share float64) float64 {
		return float64(times[int(share*float64(len(times)-1))].Microseconds()) / 1000
	}
	return spread{Count: len(times), P50: at(0.5), P99: at(0.99), Max: at(1)}
}

// tripped counts a round trip.
func (c *counts) tripped(took time.Duration, up, down int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Units++
	c.now.Messages++
	c.now.Up += up
	c.now.Down += down
	c.waits = append(c.waits, took)
}

// put counts a decision that was put to a seat, with the time that it has.
func (c *counts) put(id string, seat uint32, decision string, timeMs int64) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.seen[id]
	if found == nil {
		found = &match{asked: map[uint32]asked{}}
		c.seen[id] = found
	}
	found.everAsked = true
	before, again := found.asked[seat]
	if again && before.decision == decision {
		return // once more, after a lost connection
	}
	found.asked[seat] = asked{decision, now.Add(time.Duration(timeMs) * time.Millisecond)}
	if again && !found.moved {
		found.moved = true
		c.firsts = max(c.firsts, now.Sub(c.since))
	}
	if !found.answered.IsZero() {
		c.waits = append(c.waits, now.Sub(found.answered))
		found.answered = time.Time{}
	}
}

// timedOut counts decisions that were closed because their time was up.
func (c *counts) timedOut(id string, seat uint32, decisions []string) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	if found := c.seen[id]; found != nil && slices.Contains(decisions, found.asked[seat].decision) {
		c.late = append(c.late, now.Sub(found.asked[seat].until))
	}
}

// mayAnswer counts an answer that is to come, unless its match has had this many.
func (c *counts) mayAnswer(id string, most int) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	found := c.seen[id]
	if most > 0 && found.answers >= most {
		return false
	}
	found.answers++
	return true
}

// answering notes answers that are about to be sent in a message of this size.
func (c *counts) answering(up int, matches ...string) {
	now := time.Now()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Units += len(matches)
	c.now.Messages++
	c.now.Up += up
	for _, id := range matches {
		c.seen[id].answered = now
	}
}

// refused counts an answer that was refused.
func (c *counts) refused() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Refused++
}

// ended counts a stream that has ended.
func (c *counts) ended() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Ended++
}

// came counts a message with decisions.
func (c *counts) came(down int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now.Down += down
}
