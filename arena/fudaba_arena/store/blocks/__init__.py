"""The closed blocks of a tournament in one sequence, with the results of their matches."""
