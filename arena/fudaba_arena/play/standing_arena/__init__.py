"""All tournaments of a standing arena."""
