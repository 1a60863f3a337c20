// What a hand of Naga is worth, roughly: the categories are exact, ties are broken by all of its cards together.
#pragma once

#include "fudaba/bot.h"

// The index of those cards that make the best hand with the cards on the table that are fought for.
int best_hand(const fudaba::v1::NagaView& view, const fudaba::Repeated<fudaba::v1::Move>& moves);
