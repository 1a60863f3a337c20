"""A smaller design with the same solution: blocks of the same bots in the same seats are one row per pair of seats."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from fudaba_arena.ladder.ratings.design import Design, Shape

__all__ = ["combined"]


def combined(design: Design) -> Design:
    """Returns the design with the mean shares of each combination of bots.

    The equations are linear in the shares, so they are the same for the means. The luck of the deal is estimated from
    squares of shares, too: `scatter` and `deal_scatter` have what these squares lose.
    """
    shapes: list[Shape] = []
    columns, share, deal = [design.columns[:0]], [design.share[:0]], [design.deal[:0]]
    sizes, times = [np.empty(0, np.int64)], [np.empty(0)]
    blocks = begin = deals = 0
    scatter, deal_scatter = design.scatter, design.deal_scatter
    for shape in design.shapes:
        touched = shape.touched
        firsts = np.flatnonzero(np.concatenate([[True], (touched[1:] != touched[:-1]).any(axis=1)]))
        number, (rows, own_deals) = len(firsts), (shape.rows.shape[1], shape.deals.shape[1])
        weights, shares = design.times[shape.blocks, None], design.share[shape.rows]
        total = np.add.reduceat(weights, firsts)
        mean = np.add.reduceat(weights * shares, firsts) / total
        off = shares - np.repeat(mean, np.diff(firsts, append=len(touched)), axis=0)
        scatter += float((weights * off**2).sum())
        deal_scatter += float((weights * (off @ shape.of_deal.T) ** 2).sum())
        new = Shape(
            blocks=blocks + np.arange(number),
            rows=begin + np.arange(number * rows).reshape(number, rows),
            touched=touched[firsts],
            matrix=shape.matrix,
            deals=deals + np.arange(number * own_deals).reshape(number, own_deals),
            of_deal=shape.of_deal,
        )
        shapes.append(new)
        columns.append(design.columns[shape.rows[firsts].ravel()])
        share.append(mean.ravel())
        deal.append(new.deals[:, shape.of_deal.argmax(axis=0)].ravel())
        sizes.append(np.full(number, rows))
        times.append(total[:, 0])
        blocks, begin, deals = blocks + number, begin + number * rows, deals + number * own_deals
    return replace(
        design,
        columns=np.concatenate(columns),
        share=np.concatenate(share),
        deal=np.concatenate(deal),
        deals=deals,
        starts=np.concatenate([[0], np.cumsum(np.concatenate(sizes))]),
        times=np.concatenate(times),
        early=np.zeros(blocks),
        shapes=tuple(shapes),
        scatter=scatter,
        deal_scatter=deal_scatter,
    )
