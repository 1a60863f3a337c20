"""`fudaba play`: a person at the table, in the terminal.

`person_seat` is where a person sits: in process (`local`) or on a service (`remote`). `screen` shows it, and
`renderers` draw each game. Needs the extra `play`.
"""

import textual  # noqa: F401 - first of all, so that a missing extra is told by its own name and not by a part of it
