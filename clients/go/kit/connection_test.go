package fudaba

import (
	"testing"
	"time"

	"google.golang.org/grpc/codes"
)

func TestDelaysGrowToTheLongestAndAreNeverInStep(t *testing.T) {
	if least, most := delayBefore(0, 0, 0), delayBefore(0, 0, 1); least != firstDelay/2 || most != firstDelay {
		t.Errorf("the first delay is from %v to %v", least, most)
	}
	if most := delayBefore(100, 0, 1); most != longestDelay {
		t.Errorf("the longest delay is %v", most)
	}
	if asked := delayBefore(0, time.Minute, 1); asked != time.Minute {
		t.Errorf("the service asked for a minute, and the delay is %v", asked)
	}
}

func TestWhatTryingAgainCannotMend(t *testing.T) {
	for _, end := range []failure{
		{code: codes.Unauthenticated}, {code: codes.Aborted, reason: "SUPERSEDED"}, {code: codes.ResourceExhausted},
	} {
		if !end.fatal() {
			t.Errorf("%v ends it", end)
		}
	}
	for _, end := range []failure{
		{code: codes.Unavailable}, {code: codes.ResourceExhausted, reason: "TOO_FAST"},
		{code: codes.FailedPrecondition, retryAfter: time.Second}, {code: codes.OK},
	} {
		if end.fatal() {
			t.Errorf("%v does not end it", end)
		}
	}
}
