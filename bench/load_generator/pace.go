package main

import "time"

const tick = 500 * time.Microsecond

// A pace is how many units a second there may be; nil for as many as there can be.
type pace struct {
	rate     float64
	began    time.Time
	released int
}

func newPace(rate float64) *pace {
	if rate == 0 {
		return nil
	}
	return &pace{rate: rate, began: time.Now()}
}

// each calls take at every tick with how many units are due. What was due and
// could not be done is not made up for.
func (p *pace) each(take func(due int)) {
	for {
		sofar := int(time.Since(p.began).Seconds() * p.rate)
		if due := sofar - p.released; due > 0 {
			take(due)
			p.released = sofar
		}
		time.Sleep(tick)
	}
}
