"""The Kamikisen deck (紙机戦), which several games share. The package depends on none of them.

- `cards`: the 48 cards, and sets of them as masks, in which equal cards are equal.
- `melds`: single, set and run, and what a ship stands for.
- `choices`: every choice of some cards, without doubles.
- `random_cards`: some cards at random, without looking at every choice.
- `dealing`: shuffled hands, and hands dealt at random; the options that all the games have.
- `betting`: pots, and the turns of those who are still in.
- `one_by_one`: whose turn it is, in games that ask one seat at a time.
- `legality`: why cards are no cards, or not those of a hand.
- `scoring`: payments, and the dealer's multiplier.
- `text`: cards, kinds and strengths as text.

The messages are in `proto/fudaba/v1/kamikisen.proto`; `fudaba.codec.kamikisen` converts to and from them.
"""
