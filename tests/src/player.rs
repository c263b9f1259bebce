//! Games played on the kernel's evaluator, by the names of moves and fluents.

use ruche_eval::{Evaluator, Word};
use ruche_game::Game;
use ruche_shared::position::position_words;

/// A game that comes with Ruche.
///
/// # Panics
/// When there is no such game or it does not compile.
pub fn bundled(name: &str) -> Game {
    Game::bundled(name).unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// A game that goes through the whole compiler.
///
/// # Errors
/// What the front end or the compiler says.
pub fn compile(source: &[u8]) -> Result<Game, String> {
    Game::compile("game", source).map_err(|error| error.to_string())
}

/// Checks the promises of the compiler that parsing an image cannot see: the
/// gates of a stratum are independent, and whatever is read was written.
///
/// # Errors
/// The first broken promise.
pub fn check_promises(game: &Game) -> Result<(), String> {
    let image = game.image();
    let mut scratch = vec![0; image.slots()];
    image.validate_strata(&mut scratch).map_err(|error| error.to_string())?;
    image.validate_flow(&mut scratch).map_err(|error| error.to_string())
}

/// The names of the fluents that are true in a position, sorted.
pub fn fluents(game: &Game, position: &[u32]) -> Vec<String> {
    game.names().true_in(position).into_iter().map(str::to_owned).collect()
}

/// The position in which just these fluents are true.
///
/// # Errors
/// When the game has no such position.
pub fn position(game: &Game, wanted: &[String]) -> Result<Vec<u32>, String> {
    let position = game.names().position(wanted);
    let mut sorted = wanted.to_vec();
    sorted.sort();
    sorted.dedup();
    match fluents(game, &position) {
        found if found == sorted => Ok(position),
        found => Err(format!("no position has just {wanted:?}; the nearest is {found:?}")),
    }
}

/// Games at play, one per lane of the word.
pub struct Player<'a, W: Word> {
    game: &'a Game,
    evaluator: Evaluator<'a, 'a, W>,
}

impl<'a, W: Word> Player<'a, W> {
    /// All lanes at the start of the game. The slots are the memory to use.
    ///
    /// # Panics
    /// When the evaluator refuses the image.
    pub fn new(game: &'a Game, slots: &'a mut Vec<W>) -> Self {
        let image = game.image();
        slots.resize(image.slots(), W::ZERO);
        let evaluator = Evaluator::new(image, slots).expect("there are enough slots");
        let mut player = Player { game, evaluator };
        (0..W::LANES).for_each(|lane| player.load(lane, image.initial()));
        player
    }

    /// Puts a position into a lane.
    ///
    /// # Panics
    /// When there is no such lane or the position is of another game.
    pub fn load(&mut self, lane: usize, position: &[u32]) {
        self.evaluator.load(lane, position).expect("a position of this game");
    }

    /// Looks at all lanes: legal moves, terminal and goals.
    pub fn look(&mut self) {
        self.evaluator.legal();
        self.evaluator.goal();
    }

    /// Whether the game of a lane is over, after [`look`](Self::look).
    pub fn terminal(&self, lane: usize) -> bool {
        self.evaluator.terminal().lane(lane)
    }

    /// The legal moves of a role, sorted, after [`look`](Self::look).
    pub fn legal(&self, lane: usize, role: usize) -> Vec<String> {
        let moves = self.game.names().moves(role).iter().zip(self.evaluator.legal_moves(role));
        let legal = moves.filter(|(_, lanes)| lanes.lane(lane));
        let mut legal: Vec<String> = legal.map(|(name, _)| name.clone()).collect();
        legal.sort();
        legal
    }

    /// The goal values of a role, after [`look`](Self::look).
    pub fn goals(&self, lane: usize, role: usize) -> Vec<u16> {
        self.evaluator.goals(lane, role).collect()
    }

    /// The position of a lane.
    ///
    /// # Panics
    /// When there is no such lane.
    pub fn position(&self, lane: usize) -> Vec<u32> {
        let mut position = vec![0; position_words(self.evaluator.image().fluents())];
        self.evaluator.store(lane, &mut position).expect("a lane of the word");
        position
    }

    /// The names of the fluents that are true in a lane, sorted.
    pub fn state(&self, lane: usize) -> Vec<String> {
        fluents(self.game, &self.position(lane))
    }

    /// Chooses a move by name for each role of a lane.
    ///
    /// # Panics
    /// When a role has no such move.
    pub fn choose(&mut self, lane: usize, joint: &[String]) {
        for (role, name) in joint.iter().enumerate() {
            let number = self.game.names().moves(role).iter().position(|known| known == name);
            let number = number.unwrap_or_else(|| panic!("role {role} has no move {name}"));
            self.evaluator.choose(lane, role, number).expect("a move of the role");
        }
    }

    /// Plays what was chosen in all lanes.
    pub fn step(&mut self) {
        self.evaluator.next();
    }
}
