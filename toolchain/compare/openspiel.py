"""Compares playouts of ruche and OpenSpiel; run by toolchain/compare-openspiel."""

import argparse
import dataclasses
import json
import statistics
import sys

from bench import CannotMeasure, bench, progress, table
from rollouts import Rollouts, UnknownGame

# Games of the same rules end after the same number of plies, but for chance.
LENGTH_TOLERANCE = 0.03


@dataclasses.dataclass(frozen=True)
class Pair:
    """A game that both have. The bar is the ratio that Ruche has to reach."""

    ours: str
    theirs: str
    bar: float | None = None
    difference: str | None = None


# The bundled games that OpenSpiel has with the same rules.
PAIRS = [
    Pair("tictactoe", "tic_tac_toe", 40),
    Pair("connectfour", "connect_four", 60),
    Pair("breakthrough", "breakthrough(rows=8,columns=8)", 40),
    Pair("othello", "othello", 20),
    Pair("hex", "hex(board_size=9)", 1, "ours plays on until the board is full, theirs stops at the first chain"),
    Pair("nim", "nim(pile_sizes=7;5;3;1,is_misere=False)"),
]


def find_pair(text):
    """The pair of a bundled name, or of OURS=THEIRS."""
    for pair in PAIRS:
        if text == pair.ours:
            return pair
    ours, separator, theirs = text.partition("=")
    if not (ours and separator and theirs):
        names = ", ".join(pair.ours for pair in PAIRS)
        raise CannotMeasure(f"'{text}' is neither OURS=THEIRS nor a game that both have: {names}")
    return Pair(ours, theirs)


class Comparison:
    """The measurements of one game."""

    def __init__(self, pair):
        self.pair = pair
        self.rollouts = Rollouts(pair.theirs)
        self.ours = []
        self.theirs = []

    def measure(self, ruche, seconds, seed):
        """Both, right after each other; who is first alternates."""
        steps = [
            lambda: self.ours.append(bench(ruche, self.pair.ours, seconds)),
            lambda: self.theirs.append(self.rollouts.playouts_per_cpu_second(seconds, seed)),
        ]
        for step in steps if seed % 2 else reversed(steps):
            step()

    def result(self):
        """One row of the table."""
        our_rates = [measured["playouts_per_cpu_second"] for measured in self.ours]
        ratio = statistics.median(ours / theirs for ours, theirs in zip(our_rates, self.theirs, strict=True))
        plies = sum(measured["plies"] for measured in self.ours)
        return {
            "game": self.pair.ours,
            "openspiel_game": self.pair.theirs,
            "word": self.ours[0].get("word"),
            "plies": plies / sum(measured["playouts"] for measured in self.ours),
            "openspiel_plies": self.rollouts.mean_length(),
            "playouts_per_cpu_second": statistics.median(our_rates),
            "openspiel_playouts_per_cpu_second": statistics.median(self.theirs),
            "ratio": ratio,
            "bar": self.pair.bar,
            "holds": self.pair.bar is None or ratio >= self.pair.bar,
            "difference": self.pair.difference,
            "measurements": our_rates,
            "openspiel_measurements": self.theirs,
        }


def compare(pairs, settings):
    """Measures in rounds over all games, so that a slow moment hits no game alone."""
    comparisons = [Comparison(pair) for pair in pairs]
    for number in range(1, settings.rounds + 1):
        for comparison in comparisons:
            progress(f"round {number} of {settings.rounds}: {comparison.pair.ours}")
            comparison.measure(settings.ruche, settings.seconds, number)
    return [comparison.result() for comparison in comparisons]


HEADINGS = ["game", "plies", "OpenSpiel", "playouts/s", "OpenSpiel/s", "ratio", "bar", ""]


def cells(row):
    """What the table shows of a game."""
    verdict = "ok" if row["holds"] else "MISSED"
    return [
        row["game"],
        f"{row['plies']:.1f}",
        f"{row['openspiel_plies']:.1f}",
        f"{row['playouts_per_cpu_second']:,.0f}",
        f"{row['openspiel_playouts_per_cpu_second']:,.0f}",
        f"{row['ratio']:.2f}",
        "-" if row["bar"] is None else f"{row['bar']:g}",
        "" if row["bar"] is None else verdict,
    ]


def remarks(rows):
    """Where the lengths of the games differ, and why if it is known."""
    for row in rows:
        apart = abs(row["plies"] - row["openspiel_plies"]) / row["openspiel_plies"]
        if row["difference"]:
            yield f"{row['game']}: {row['difference']}"
        elif apart > LENGTH_TOLERANCE:
            yield f"{row['game']}: the lengths differ by {apart:.0%}, are the rules the same?"


def verdict_of(rows):
    """Whether all bars hold, in a sentence."""
    barred = [row for row in rows if row["bar"] is not None]
    missed = [row["game"] for row in barred if not row["holds"]]
    if missed:
        return f"{len(missed)} of {len(barred)} bars are missed: {', '.join(missed)}"
    return f"all {len(barred)} bars hold" if barred else "there is no bar for these games"


def print_text(rows, settings):
    """The report for a person."""
    print(f"random playouts per second of CPU time, one core, OpenSpiel {settings.openspiel},")
    print(f"median of {settings.rounds} rounds of {settings.seconds:g} s\n")
    print(*table([HEADINGS] + [cells(row) for row in rows]), "", *remarks(rows), verdict_of(rows), sep="\n")


def print_json(rows, settings):
    """The report for a program."""
    document = {
        "openspiel": settings.openspiel,
        "seconds": settings.seconds,
        "rounds": settings.rounds,
        "games": rows,
        "bars_hold": all(row["holds"] for row in rows),
    }
    print(json.dumps(document, indent=2))


def parse_arguments():
    """What toolchain/compare-openspiel hands over; its help describes it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ruche", required=True)
    parser.add_argument("--openspiel", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--rounds", type=int, required=True)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("games", nargs="*")
    return parser.parse_args()


def main():
    """Exit code 0 if all bars hold, 1 if not, 2 if nothing could be measured."""
    settings = parse_arguments()
    try:
        pairs = [find_pair(text) for text in settings.games] or PAIRS
        rows = compare(pairs, settings)
    except (CannotMeasure, UnknownGame) as error:
        progress(f"error: {error}")
        return 2
    (print_json if settings.json else print_text)(rows, settings)
    return 0 if all(row["holds"] for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())
