"""Compares playouts of ruche and Galvanise; run by toolchain/compare-galvanise."""

import argparse
import dataclasses
import json
import os
import statistics
import subprocess
import sys

from bench import CannotMeasure, bench, progress, table

# Random playouts per second of CPU time from the initial position by the propositional
# network of Galvanise (C++, champion of 2015), by the names of the corpus: one core of
# an x86-64 with AVX2 at about 2.45 GHz, median of three runs, measured once. Other
# machines of this kind differ by 10 to 20 %.
FIGURES = {
    "ticTacToe_v0": 327_000,
    "connectFour_v0": 108_000,
    "eightPuzzle_v0": 7_640,
    "breakthrough_v0": 20_900,
    "hex_v0": 1_370,
    "checkers_v0": 5_080,
    "pentago_v0": 15_700,
    "chinook_v0": 8_040,
    "cephalopodMicro_v0": 15_800,
    "sheepAndWolf_v0": 6_690,
    "ticTacToeLarge_v0": 144_000,
    "tictactoex9_v0": 29_800,
    "blockerParallel_v0": 54_400,
    "sudokuGrade1_v0": 3_790,
    "nonogram_5x5_1_v0": 116_600,
    "knightsTour_v0": 890_000,
}


@dataclasses.dataclass(frozen=True)
class Way:
    """A way to run ruche, and the ratios to Galvanise that it has to reach."""

    name: str
    options: tuple
    mean_bar: float
    lowest_bar: float | None = None


def ways(ruche):
    """The kernel of a cluster interprets the image; the fastest may use native code."""
    usage = subprocess.run([ruche, "bench", "--help"], stdout=subprocess.PIPE, text=True, check=False)
    kernel = ("--engine", "interpreter") if "--engine" in usage.stdout else ()
    return [
        Way("fastest", (), mean_bar=50, lowest_bar=15),
        Way("64 lanes", ("--word", "64", *kernel), mean_bar=15),
        Way("one lane", ("--word", "1", *kernel), mean_bar=1),
    ]


def measure(game, way, settings):
    """A measurement with its ratio to Galvanise, or None with the reason said."""
    path = os.path.join(settings.corpus, "games", f"{game}.kif")
    try:
        measured = bench(settings.ruche, path, settings.seconds, *way.options)
    except CannotMeasure as error:
        progress(f"not measured: {error}")
        return None
    rate = measured["playouts_per_cpu_second"]
    return {"word": measured.get("word"), "playouts_per_cpu_second": rate, "ratio": rate / FIGURES[game]}


def compare(all_ways, settings):
    """One row for each game."""
    rows = []
    for number, (game, figure) in enumerate(FIGURES.items(), 1):
        progress(f"game {number} of {len(FIGURES)}: {game}")
        measured = {way.name: measure(game, way, settings) for way in all_ways}
        rows.append({"game": game, "galvanise": figure, "measured": measured})
    return rows


def summary(way, rows):
    """The ratios of a way. A game that was not measured lets no bar hold."""
    ratios = {row["game"]: row["measured"][way.name]["ratio"] for row in rows if row["measured"][way.name]}
    mean = statistics.geometric_mean(ratios.values()) if ratios else 0
    lowest_game = min(ratios, key=ratios.get, default=None)
    lowest = ratios.get(lowest_game, 0)
    return {
        "way": way.name,
        "geometric_mean": mean,
        "mean_bar": way.mean_bar,
        "lowest": lowest,
        "lowest_game": lowest_game,
        "lowest_bar": way.lowest_bar,
        "not_measured": len(rows) - len(ratios),
        "holds": len(ratios) == len(rows) and mean >= way.mean_bar and lowest >= (way.lowest_bar or 0),
    }


def game_line(row, all_ways):
    """What the table shows of a game."""
    line = [row["game"], f"{row['galvanise']:,}"]
    for way in all_ways:
        measured = row["measured"][way.name]
        if measured:
            line += [f"{measured['playouts_per_cpu_second']:,.0f}", f"{measured['ratio']:.2f}"]
        else:
            line += ["-", "-"]
    return [*line, ""]


def summary_line(title, field, summaries):
    """What the table shows of a field of the summaries, below the ratios."""
    return [title, ""] + [cell for one in summaries for cell in ("", f"{one[field]:.2f}")] + [""]


def comparison_table(rows, all_ways, summaries):
    """All games, then what they come to."""
    headings = ["game", "Galvanise"] + [cell for way in all_ways for cell in (way.name, "ratio")] + [""]
    lines = [headings] + [game_line(row, all_ways) for row in rows]
    lines.append(summary_line("geometric mean", "geometric_mean", summaries))
    lines.append(summary_line("lowest", "lowest", summaries))
    return table(lines)


def verdicts(summaries):
    """Each bar with what was reached."""
    lines = []
    for one in summaries:
        lines.append([one["way"], "geometric mean", f"{one['geometric_mean']:.2f}", "bar", f"{one['mean_bar']:g}",
                      "ok" if one["geometric_mean"] >= one["mean_bar"] else "MISSED"])
        if one["lowest_bar"] is not None:
            lines.append([one["way"], "lowest", f"{one['lowest']:.2f}", "bar", f"{one['lowest_bar']:g}",
                          "ok" if one["lowest"] >= one["lowest_bar"] else f"MISSED by {one['lowest_game']}"])
        if one["not_measured"]:
            lines.append([one["way"], "not measured", str(one["not_measured"]), "bar", "0", "MISSED"])
    return table(lines)


def words(rows, all_ways):
    """The widths of the fastest words."""
    measured = (row["measured"][all_ways[0].name] for row in rows)
    return ", ".join(sorted({str(one["word"]) for one in measured if one})) or "none"


def print_text(rows, all_ways, summaries, settings):
    """The report for a person."""
    print("random playouts per second of CPU time, one core, and their ratios to Galvanise;")
    print(f"{settings.seconds:g} s each, the fastest word has {words(rows, all_ways)} lanes\n")
    print(*comparison_table(rows, all_ways, summaries), "", *verdicts(summaries), "", sep="\n")
    print("all bars hold" if all(one["holds"] for one in summaries) else "not all bars hold")


def print_json(rows, summaries, settings):
    """The report for a program."""
    document = {
        "seconds": settings.seconds,
        "games": rows,
        "summaries": summaries,
        "bars_hold": all(one["holds"] for one in summaries),
    }
    print(json.dumps(document, indent=2))


def parse_arguments():
    """What toolchain/compare-galvanise hands over; its help describes it."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--ruche", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--seconds", type=float, required=True)
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main():
    """Exit code 0 if all bars hold, 1 if not, 2 if nothing could be measured."""
    settings = parse_arguments()
    all_ways = ways(settings.ruche)
    rows = compare(all_ways, settings)
    if not any(measured for row in rows for measured in row["measured"].values()):
        progress("error: no game could be measured, see above")
        return 2
    summaries = [summary(way, rows) for way in all_ways]
    if settings.json:
        print_json(rows, summaries, settings)
    else:
        print_text(rows, all_ways, summaries, settings)
    return 0 if all(one["holds"] for one in summaries) else 1


if __name__ == "__main__":
    sys.exit(main())
