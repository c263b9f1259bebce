//! Moves that playouts should not miss: the same game with fewer legal moves.
//!
//! A random game passes by wins that are one move away and walks into losses that are two
//! moves away, and its end says little. Whether a move wins at once, and whether it lets
//! the other role win at once, are functions of the state like any other: what the rules
//! say of the next state, with the move played, is composed with what they say of ends
//! ([`compose`]). So they become gates, in which all moves share what does not depend on
//! them, and a playout sees one ply ahead for the price of some gates (decisive and
//! anti-decisive moves).
//!
//! ```text
//! wins(m)     = terminal and the greatest goal, after m
//! safe(m)     = no winning move of who is next, after m
//! sensible(m) = legal(m) and, if a move wins: wins(m), else if a move is safe: safe(m)
//! ```
//!
//! A state that has a legal move has a sensible one, and every sensible move is legal: what
//! is assumed here about who is on turn may be wrong, and then costs strength, never
//! soundness. Fluents, moves, ends and goals are those of the game, so that its positions
//! can be played from.

mod compose;

use crate::circuit::GameCircuit;
use crate::circuit::signal::{FluentId, MoveId, RoleId, Signal};
use crate::index::{Id, IndexVec};
use crate::optimise::Optimised;
use crate::optimise::rebuild::Input;
use compose::{Composer, Effort, State};

/// What is known of turns. It was seen, not proven.
#[derive(Clone, Debug, PartialEq)]
pub struct Turns {
    /// How often each fluent of the image holds.
    pub chances: Vec<f64>,
    /// For each role what is known of its turns.
    pub roles: Vec<Option<Turn>>,
}

/// What is known of states in which one role is on turn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Turn {
    /// Fluents that tell whose turn it is: their values, by the fluents of the image.
    pub fluents: Vec<Option<bool>>,
    /// The one move that each role has while it waits; nothing for the role on turn.
    pub waiting: Vec<Option<usize>>,
    /// Who is on turn after it, if that is always the same other role.
    pub follower: Option<usize>,
}

/// What to look for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sight {
    /// Moves that win, and moves that let the other role win if that is not too much work.
    Threats,
    /// Moves that win: much cheaper where the other role has many answers.
    Wins,
}

/// Leaves only sensible moves legal. Nothing if there is nothing to be seen ahead, or it is too much work.
pub(crate) fn apply(
    mut circuit: GameCircuit,
    optimised: &Optimised,
    turns: &Turns,
    sight: Sight,
) -> Option<GameCircuit> {
    let view = |turn: &Option<Turn>| View::new(&circuit, optimised, turn.as_ref()?);
    let views: Vec<Option<View>> = turns.roles.iter().map(view).collect();
    let chance = |fluent| match optimised.fluents[fluent] {
        Input::Constant(value) => f64::from(u8::from(value)),
        Input::Fluent { fluent, negated: false } => turns.chances[fluent.index()],
        Input::Fluent { fluent, negated: true } => 1.0 - turns.chances[fluent.index()],
    };
    let chances = circuit.fluents().map(chance).collect();
    let composer = Composer::new(&mut circuit, chances);
    let mut tactics = Tactics { composer, turns: views, sight };
    let legal = tactics.sensible().ok()??;
    circuit.outputs.legal = legal;
    Some(circuit)
}

/// Leaves moves legal that are put off only where their role has no other one. For each role
/// they are told by its moves in the image.
pub(crate) fn put_off(circuit: &mut GameCircuit, optimised: &Optimised, put_off: &[Vec<bool>]) {
    let roles: Vec<RoleId> = circuit.roles().collect();
    for (role, put_off) in roles.into_iter().zip(put_off) {
        let kept = circuit.moves_of(role).filter(|&m| optimised.moves[m].is_some());
        let (later, first): (Vec<_>, Vec<_>) = kept.zip(put_off).partition(|(_, later)| **later);
        let first = first.into_iter().map(|(number, _)| circuit.legal(number)).collect();
        let is_left = circuit.network.or(first);
        for (number, _) in later {
            let legal = circuit.legal(number);
            circuit.outputs.legal[number] = circuit.network.and(vec![legal, !is_left]);
        }
    }
}

/// A turn in the numbers of the circuit.
struct View {
    state: State,
    /// What each waiting role plays.
    played: Vec<MoveId>,
    follower: Option<RoleId>,
}

impl View {
    fn new(circuit: &GameCircuit, optimised: &Optimised, turn: &Turn) -> Option<Self> {
        let value = |fluent: FluentId| match optimised.fluents[fluent] {
            Input::Constant(value) => Signal::TRUE.negate_if(!value),
            Input::Fluent { fluent: kept, negated } => match turn.fluents[kept.index()] {
                Some(value) => Signal::TRUE.negate_if(value == negated),
                None => circuit.fluent(fluent),
            },
        };
        let state = circuit.fluents().map(|fluent| Some(value(fluent))).collect();
        let mut played = Vec::new();
        for (role, waiting) in circuit.roles().zip(&turn.waiting) {
            let mut kept = circuit.moves_of(role).filter(|&m| optimised.moves[m].is_some());
            if let Some(number) = *waiting {
                played.push(kept.nth(number)?);
            }
        }
        Some(View { state, played, follower: turn.follower.map(RoleId::new) })
    }
}

struct Tactics<'c> {
    composer: Composer<'c>,
    turns: Vec<Option<View>>,
    sight: Sight,
}

/// What is seen of the moves of a role.
struct Outlook {
    moves: Vec<MoveId>,
    /// For each whether it wins, given that it is legal.
    wins: Vec<Signal>,
    /// Whether some legal move wins.
    can_win: Signal,
}

impl Tactics<'_> {
    /// For each move whether it is sensible; nothing if no rule tells.
    fn sensible(&mut self) -> Result<Option<IndexVec<MoveId, Signal>>, Effort> {
        let roles: Vec<RoleId> = self.composer.circuit.roles().collect();
        let outlooks: Vec<Option<Outlook>> =
            roles.iter().map(|&role| self.outlook(role)).collect::<Result<_, Effort>>()?;
        let mut legal = self.composer.circuit.outputs.legal.clone();
        let mut is_new = false;
        for &role in &roles {
            let Some(outlook) = &outlooks[role.index()] else { continue };
            let safe = self.safe(role, &outlooks);
            let safe = safe.unwrap_or_else(|Effort| vec![Signal::TRUE; outlook.moves.len()]);
            let is_idle = |signals: &[Signal], idle| signals.iter().all(|&s| s == idle);
            if is_idle(&outlook.wins, Signal::FALSE) && is_idle(&safe, Signal::TRUE) {
                continue;
            }
            is_new = true;
            self.restrict(outlook, &safe, &mut legal);
        }
        Ok(is_new.then_some(legal))
    }

    fn outlook(&mut self, role: RoleId) -> Result<Option<Outlook>, Effort> {
        let Some(view) = &self.turns[role.index()] else { return Ok(None) };
        let circuit = &self.composer.circuit;
        let goals = circuit.goals().iter().filter(|goal| goal.role == role);
        let Some(best) = goals.max_by_key(|goal| goal.value).copied() else { return Ok(None) };
        let waits = |number: &MoveId| {
            let played = self.turns.iter().flatten().flat_map(|view| &view.played);
            played.clone().any(|waiting| waiting == number)
        };
        let moves: Vec<MoveId> = circuit.moves_of(role).filter(|number| !waits(number)).collect();
        let roots = [circuit.terminal(), best.holds];
        self.composer.assume_not_over();
        let mut wins = Vec::new();
        for &number in &moves {
            let next = self.composer.next(&view.state, number, &view.played, &roots)?;
            let mut found = Vec::new();
            for root in roots {
                found.push(self.composer.after(root, &next)?.unwrap_or(Signal::FALSE));
            }
            wins.push(self.composer.and(found));
        }
        let can_win = self.any(&moves, &wins);
        Ok(Some(Outlook { moves, wins, can_win }))
    }

    /// For each move of a role whether who is next cannot win then.
    fn safe(&mut self, role: RoleId, outlooks: &[Option<Outlook>]) -> Result<Vec<Signal>, Effort> {
        let (Some(view), Some(outlook)) = (&self.turns[role.index()], &outlooks[role.index()])
        else {
            return Ok(Vec::new());
        };
        let follower = view.follower.filter(|_| self.sight == Sight::Threats);
        let threat = follower.and_then(|follower| outlooks[follower.index()].as_ref());
        let threat = threat.map_or(Signal::FALSE, |outlook| outlook.can_win);
        let mut safe = Vec::new();
        for &number in &outlook.moves {
            let next = self.composer.next(&view.state, number, &view.played, &[threat])?;
            safe.push(!self.composer.after(threat, &next)?.unwrap_or(Signal::FALSE));
        }
        Ok(safe)
    }

    /// Whether one of these moves is legal and what is said of it holds.
    fn any(&mut self, moves: &[MoveId], holds: &[Signal]) -> Signal {
        let mut options = Vec::new();
        for (&number, &holds) in moves.iter().zip(holds) {
            let legal = self.composer.circuit.legal(number);
            options.push(self.composer.and(vec![legal, holds]));
        }
        self.composer.circuit.network.or(options)
    }

    fn restrict(
        &mut self,
        outlook: &Outlook,
        safe: &[Signal],
        legal: &mut IndexVec<MoveId, Signal>,
    ) {
        let Outlook { moves, wins, can_win } = outlook;
        let none_is_safe = !self.any(moves, safe);
        for ((&number, &wins), &safe) in moves.iter().zip(wins).zip(safe) {
            let network = &mut self.composer.circuit.network;
            let is_good = network.or(vec![safe, none_is_safe]);
            let is_good = network.and(vec![is_good, !*can_win]);
            let is_sensible = network.or(vec![wins, is_good]);
            legal[number] = network.and(vec![legal[number], is_sensible]);
        }
    }
}
