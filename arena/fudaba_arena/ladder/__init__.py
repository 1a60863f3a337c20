"""Turns counting results into ratings, and ratings into standings."""
