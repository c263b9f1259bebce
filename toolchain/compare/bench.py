"""Measurements of `ruche bench`, and tables of them."""

import json
import subprocess
import sys


class CannotMeasure(Exception):
    """What stands in the way, in words for the user."""


def bench(ruche, game, seconds, *options):
    """One measurement of a game on one thread, as `ruche bench --json` prints it."""
    command = [ruche, "bench", game, *options, "--threads", "1", "--seconds", f"{seconds:g}", "--json"]
    shown = " ".join(command)
    result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if result.returncode != 0:
        raise CannotMeasure(f"`{shown}` failed with exit code {result.returncode}")
    try:
        measured = json.loads(result.stdout)[0]
        finished = measured["playouts"] > 0 and measured["playouts_per_cpu_second"] > 0
    except (ValueError, LookupError, TypeError) as error:
        raise CannotMeasure(f"`{shown}` printed no measurement: {error!r}") from error
    if not finished:
        raise CannotMeasure(f"`{shown}` finished no playout: give it more --seconds")
    return measured


def progress(text):
    """Says on the error output what is being measured."""
    print(text, file=sys.stderr, flush=True)


def table(lines):
    """Aligns the columns of the lines: first and last to the left, numbers to the right."""
    widths = [max(len(cell) for cell in column) for column in zip(*lines)]
    for name, *numbers, verdict in lines:
        aligned = [number.rjust(width) for number, width in zip(numbers, widths[1:])]
        yield "  ".join([name.ljust(widths[0]), *aligned, verdict]).rstrip()
