//! Compiled games played on the kernel's evaluator, by the names of moves and
//! fluents.

use std::collections::BTreeSet;
use std::ops::Range;

use ruche_compiler::{Report, Source, SymbolTable};
use ruche_eval::{Evaluator, Word};
use ruche_shared::Image;
use ruche_shared::position::{get, position_words, set};

/// A game that went through the whole compiler.
pub struct CompiledGame {
    /// The image; words keep it aligned.
    words: Vec<u32>,
    /// For each role where its moves are among all.
    move_ranges: Vec<Range<usize>>,
    /// The names.
    pub symbols: SymbolTable,
    /// The sizes.
    pub report: Report,
}

impl CompiledGame {
    /// Compiles a description.
    ///
    /// # Errors
    /// What the front end or the compiler says.
    pub fn new(source: &[u8]) -> Result<Self, String> {
        let (description, _) = ruche_gdl::load(source).map_err(|found| format!("{found:?}"))?;
        let compiled = ruche_compiler::compile(&description, &Default::default())
            .map_err(|error| error.to_string())?;
        let mut words = vec![0; compiled.image_length.div_ceil(size_of::<u32>())];
        bytemuck::cast_slice_mut(&mut words)[..compiled.image_length]
            .copy_from_slice(compiled.image());
        let (symbols, report) = (compiled.symbols, compiled.report);
        let mut game = CompiledGame { words, move_ranges: Vec::new(), symbols, report };
        let image = game.image();
        game.move_ranges = (0..image.roles()).map(|role| image.move_range(role)).collect();
        Ok(game)
    }

    /// Compiles a bundled game.
    ///
    /// # Panics
    /// When there is no such game or it does not compile.
    pub fn bundled(name: &str) -> Self {
        let game = ruche_games::find(name).unwrap_or_else(|| panic!("no bundled game {name}"));
        Self::new(game.source.as_bytes()).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The image.
    ///
    /// # Panics
    /// When the compiler made an image that the kernel refuses.
    pub fn image(&self) -> Image<'_> {
        Image::parse(bytemuck::cast_slice(&self.words)).expect("what the compiler made is valid")
    }

    /// The bytes of the image.
    pub fn bytes(&self) -> &[u8] {
        &bytemuck::cast_slice(&self.words)[..self.image().length()]
    }

    /// Checks the promises of the compiler that parsing an image cannot see: the
    /// gates of a stratum are independent, and whatever is read was written.
    ///
    /// # Errors
    /// The first broken promise.
    pub fn check_promises(&self) -> Result<(), String> {
        let image = self.image();
        let mut scratch = vec![0; image.slots()];
        image.validate_strata(&mut scratch).map_err(|error| error.to_string())?;
        image.validate_flow(&mut scratch).map_err(|error| error.to_string())
    }

    /// The names of a role's moves, in the order of the image.
    pub fn moves(&self, role: usize) -> &[String] {
        &self.symbols.moves[self.move_ranges[role].clone()]
    }

    /// The names of the fluents that are true in a position, sorted.
    pub fn fluents(&self, position: &[u32]) -> Vec<String> {
        let holds = |source: &Source| match *source {
            Source::Always => true,
            Source::Fluent(fluent) => get(position, fluent as usize),
            Source::Negated(fluent) => !get(position, fluent as usize),
        };
        let names = self.symbols.fluents.iter().filter(|(_, source)| holds(source));
        let mut names: Vec<String> = names.map(|(name, _)| name.clone()).collect();
        names.sort();
        names
    }

    /// The position in which just these fluents are true.
    ///
    /// # Errors
    /// When the game has no such position.
    pub fn position(&self, fluents: &[String]) -> Result<Vec<u32>, String> {
        let wanted: BTreeSet<&String> = fluents.iter().collect();
        let mut position = vec![0; position_words(self.image().fluents())];
        for (name, source) in &self.symbols.fluents {
            let holds = wanted.contains(name);
            match *source {
                Source::Always => {}
                Source::Fluent(fluent) => set(&mut position, fluent as usize, holds),
                Source::Negated(fluent) => set(&mut position, fluent as usize, !holds),
            }
        }
        let found = self.fluents(&position);
        if found.iter().eq(wanted) {
            return Ok(position);
        }
        Err(format!("no position has just {fluents:?}; the nearest is {found:?}"))
    }
}

/// Games at play, one per lane of the word.
pub struct Player<'a, W: Word> {
    game: &'a CompiledGame,
    evaluator: Evaluator<'a, 'a, W>,
}

impl<'a, W: Word> Player<'a, W> {
    /// All lanes at the start of the game. The slots are the memory to use.
    ///
    /// # Panics
    /// When the evaluator refuses the image.
    pub fn new(game: &'a CompiledGame, slots: &'a mut Vec<W>) -> Self {
        let image = game.image();
        slots.resize(image.slots(), W::ZERO);
        let evaluator = Evaluator::new(&image, slots).expect("there are enough slots");
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
        let moves = self.game.moves(role).iter().zip(self.evaluator.legal_moves(role));
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
        self.game.fluents(&self.position(lane))
    }

    /// Chooses a move by name for each role of a lane.
    ///
    /// # Panics
    /// When a role has no such move.
    pub fn choose(&mut self, lane: usize, joint: &[String]) {
        for (role, name) in joint.iter().enumerate() {
            let number = self.game.moves(role).iter().position(|known| known == name);
            let number = number.unwrap_or_else(|| panic!("role {role} has no move {name}"));
            self.evaluator.choose(lane, role, number).expect("a move of the role");
        }
    }

    /// Plays what was chosen in all lanes.
    pub fn step(&mut self) {
        self.evaluator.next();
    }
}
