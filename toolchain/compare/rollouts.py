"""Random playouts of OpenSpiel, played and timed in its C++."""

import random
import statistics
import time

import pyspiel

# A first measurement at least this long tells how many playouts fill the time asked for.
CALIBRATION_SECONDS = 0.1
# The mean length needs no more games, and must not take longer.
LENGTH_GAMES = 2000
LENGTH_SECONDS = 1.0


class UnknownGame(Exception):
    """OpenSpiel cannot load the game."""


class Rollouts:
    """Random playouts of one game from its initial state."""

    def __init__(self, description):
        try:
            self.game = pyspiel.load_game(description)
        except pyspiel.SpielError as error:
            # OpenSpiel has printed the reason itself, with all that it knows.
            raise UnknownGame(f"OpenSpiel cannot load '{description}', see above") from error
        self.state = self.game.new_initial_state()

    def cpu_seconds(self, playouts, seed):
        """CPU time of so many playouts.

        The evaluator cannot be called from Python. But the first simulation of a
        search does nothing but evaluate its root, so a search of one simulation is
        one call of C++ that plays all of them.
        """
        evaluator = pyspiel.RandomRolloutEvaluator(playouts, seed)
        search = pyspiel.MCTSBot(
            self.game, evaluator, uct_c=1.0, max_simulations=1, max_memory_mb=1,
            solve=False, seed=seed, verbose=False)
        start = time.process_time()
        root = search.mcts_search(self.state)
        elapsed = time.process_time() - start
        if root.explore_count != 1 or root.children:
            raise RuntimeError("this OpenSpiel searches in another way: its playouts are not counted")
        return elapsed

    def playouts_per_cpu_second(self, seconds, seed):
        """The rate, measured for about so many seconds."""
        playouts = 1
        while (elapsed := self.cpu_seconds(playouts, seed)) < min(seconds, CALIBRATION_SECONDS):
            playouts *= 2
        playouts = max(1, round(playouts * seconds / elapsed))
        return playouts / self.cpu_seconds(playouts, seed)

    def mean_length(self):
        """Mean number of plies. Its games are played in Python and not timed."""
        choices = random.Random(1)
        end = time.process_time() + LENGTH_SECONDS
        lengths = []
        while len(lengths) < LENGTH_GAMES and (not lengths or time.process_time() < end):
            state = self.state.clone()
            while not state.is_terminal():
                state.apply_action(choices.choice(state.legal_actions()))
            lengths.append(len(state.history()))
        return statistics.mean(lengths)
