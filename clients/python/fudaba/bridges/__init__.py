"""Every registered game in the forms of training tools.

`fudaba.bridges.pettingzoo` makes PettingZoo AEC environments (install `fudaba[pettingzoo]`), `fudaba.bridges.openspiel`
registers OpenSpiel games (install `fudaba[openspiel]`). Both ask decisions word by word (`words`, `spelling`), hide
from each seat what the others choose at the same time (`sequential`), and make numbers of a seat's view alone
(`features`).
"""
