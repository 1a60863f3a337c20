"""Who is who: tokens and whose they are, accounts of authors, bots and their versions."""
