//! Which fluents are a board. Two places of a fluent are coordinates if their values have
//! an order, and if what else the fluent says of a pair of them excludes everything else
//! that it could say, in all states that were seen. A further place may have to tell boards
//! apart for that.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap};

use ruche_gdl::Description;
use ruche_rules::Rules;
use serde::Serialize;

use crate::fluent::Fluent;
use crate::join::Join;
use crate::order::Orders;
use crate::sample::states;

/// The boards of a game.
#[derive(Clone, Debug, Default)]
pub struct Boards {
    layouts: Vec<Layout>,
    joins: Vec<Join>,
}

/// Fluents that are on a board.
#[derive(Clone, Debug)]
struct Layout {
    shapes: Vec<Shape>,
    columns: Vec<String>,
    rows: Vec<String>,
    /// What most cells have, if that is nothing special.
    blank: Option<String>,
}

/// Fluents of one shape that are on a board.
#[derive(Clone, Debug)]
struct Shape {
    shape: String,
    /// The places of the coordinates.
    at: [usize; 2],
    /// Places that tell boards apart.
    selectors: Vec<usize>,
    /// Pairs of coordinates that there are.
    cells: BTreeSet<[String; 2]>,
    /// What tells boards apart.
    boards: BTreeSet<Vec<String>>,
}

/// A board of a state.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Grid {
    /// What its fluents are called, and what tells it apart from others.
    pub title: String,
    /// The first coordinates, from left to right.
    pub columns: Vec<String>,
    /// The second coordinates, from bottom to top.
    pub rows: Vec<String>,
    /// For each row what is in its cells: nothing in some, and some are no cells.
    pub cells: Vec<Vec<Option<String>>>,
    /// The content that is drawn as an empty cell.
    pub blank: Option<String>,
}

/// The boards of a state, and what stands beside them.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Picture {
    /// The boards.
    pub grids: Vec<Grid>,
    /// Fluents that are on none.
    pub others: Vec<String>,
}

/// Coordinates have at least two values each, and not more.
const MOST_VALUES: usize = 40;
/// A board has this many cells at least.
const LEAST_CELLS: usize = 6;
/// The share of pairs of coordinates that are cells.
const LEAST_FILLED: f64 = 0.3;
/// Boards of which empty ones are drawn too.
const MOST_EMPTY: usize = 4;
/// The share of contents that may share a cell with others.
const MOST_SHARED: f64 = 0.03;
/// Boards that are told apart at most.
const MOST_BOARDS: usize = 30;
/// States that are looked at for a blank.
const MOST_COUNTED: usize = 100;
/// The share of cells that a blank has at least.
const LEAST_BLANK: f64 = 0.25;

/// What is seen of a shape.
struct Seen<'a> {
    /// The values of each place.
    values: Vec<BTreeSet<&'a str>>,
    /// All values together.
    all: BTreeSet<Vec<&'a str>>,
    /// Those of each state.
    by_state: Vec<Vec<Vec<&'a str>>>,
}

impl Boards {
    /// Looks for the boards of a game; with its description also along chains of relations
    /// like successors.
    #[must_use]
    pub fn find(rules: &Rules, description: Option<&Description>) -> Self {
        let orders = description.map(Orders::new).unwrap_or_default();
        let mut states = states(rules);
        let joins = Join::find(&states, &orders);
        for join in &joins {
            states = states.iter().map(|state| join.apply(state)).collect();
        }
        let known: Vec<&str> =
            rules.game().into_iter().flat_map(|game| game.names().fluents()).collect();
        let mut layouts: Vec<Layout> = Vec::new();
        for (shape, seen) in seen(&states, &known) {
            if let Some(layout) = layout(&shape, &seen, &orders) {
                layouts.push(layout);
            }
        }
        let mut layouts = merged(layouts, &states);
        for layout in &mut layouts {
            layout.blank = layout.find_blank(&states);
        }
        Self { layouts, joins }
    }

    /// Whether there is any.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.layouts.is_empty()
    }

    /// What is on the boards of a state.
    #[must_use]
    pub fn picture(&self, fluents: &[&str]) -> Picture {
        let fluents = fluents.iter().map(|text| (*text).to_owned()).collect();
        let fluents = self.joins.iter().fold(fluents, |fluents: Vec<_>, join| join.apply(&fluents));
        let read: Vec<Fluent<'_>> = fluents.iter().map(|text| Fluent::read(text)).collect();
        let grids = self.layouts.iter().flat_map(|layout| layout.grids(&read)).collect();
        let is_drawn = |fluent: &Fluent<'_>| self.layouts.iter().any(|it| it.has(fluent));
        let others = fluents.iter().zip(&read).filter(|(_, fluent)| !is_drawn(fluent));
        let others = others.map(|(text, _)| text.clone()).collect();
        Picture { grids, others }
    }
}

/// Fluents by their shape.
fn seen<'a>(states: &'a [Vec<String>], known: &[&'a str]) -> BTreeMap<String, Seen<'a>> {
    let mut found: BTreeMap<String, Seen<'a>> = BTreeMap::new();
    let mut add = |text: &'a str, state: Option<usize>| {
        let Fluent { shape, values } = Fluent::read(text);
        let seen = found.entry(shape).or_insert_with(|| Seen {
            values: vec![BTreeSet::new(); values.len()],
            all: BTreeSet::new(),
            by_state: vec![Vec::new(); states.len()],
        });
        for (place, value) in values.iter().enumerate() {
            seen.values[place].insert(value);
        }
        if let Some(state) = state {
            seen.by_state[state].push(values.clone());
        }
        seen.all.insert(values);
    };
    for (number, state) in states.iter().enumerate() {
        state.iter().for_each(|text| add(text, Some(number)));
    }
    known.iter().for_each(|text| add(text, None));
    found
}

/// The fewest boards are best, then those with equal sides, then the largest ones.
type Cost = (usize, bool, Reverse<usize>);

/// The board that fluents of a shape are, if they are one.
fn layout(shape: &str, seen: &Seen<'_>, orders: &Orders) -> Option<Layout> {
    let places = seen.values.len();
    let ordered: Vec<Option<Vec<String>>> = seen
        .values
        .iter()
        .map(|values| orders.of(values).filter(|it| (2..=MOST_VALUES).contains(&it.len())))
        .collect();
    let pairs = (0..places).flat_map(|one| (one + 1..places).map(move |other| [one, other]));
    let mut best: Option<(Cost, Layout)> = None;
    for at in pairs {
        let [Some(columns), Some(rows)] = at.map(|place| ordered[place].as_ref()) else { continue };
        let cells: BTreeSet<[String; 2]> =
            seen.all.iter().map(|values| at.map(|place| values[place].to_owned())).collect();
        let filled = cells.len() as f64 / (columns.len() * rows.len()) as f64;
        if cells.len() < LEAST_CELLS || filled < LEAST_FILLED {
            continue;
        }
        let Some(mut selectors) = selectors(seen, at) else { continue };
        if !selectors.is_empty() && are_pairs(seen, at) {
            continue;
        }
        // Where nothing else is said, what tells boards apart is what is on one board.
        if are_things(seen, &selectors) || selectors.len() + at.len() == places {
            selectors.clear();
        }
        let cost = (selectors.len(), columns != rows, Reverse(cells.len()));
        if best.as_ref().is_some_and(|(least, _)| *least <= cost) {
            continue;
        }
        let board =
            |values: &Vec<&str>| selectors.iter().map(|at| values[*at].to_owned()).collect();
        let boards = seen.all.iter().map(board).collect();
        let shape = Shape { shape: shape.to_owned(), at, selectors, cells, boards };
        let (columns, rows) = (columns.clone(), rows.clone());
        let layout = Layout { shapes: vec![shape], columns, rows, blank: None };
        best = Some((cost, layout));
    }
    best.map(|(_, layout)| layout)
}

/// The fewest places that have to tell boards apart so that contents exclude each other.
fn selectors(seen: &Seen<'_>, at: [usize; 2]) -> Option<Vec<usize>> {
    let others: Vec<usize> = (0..seen.values.len()).filter(|place| !at.contains(place)).collect();
    if others.is_empty() {
        return (!is_function(seen, at)).then(Vec::new);
    }
    let singles = others.iter().map(|place| vec![*place]);
    let pairs = others
        .iter()
        .enumerate()
        .flat_map(|(index, one)| others[index + 1..].iter().map(move |other| vec![*one, *other]));
    let candidates = std::iter::once(Vec::new()).chain(singles).chain(pairs);
    let count = |places: &[usize]| places.iter().map(|place| seen.values[*place].len()).product();
    let mut candidates = candidates.filter(|places| {
        let boards: usize = count(places);
        boards <= MOST_BOARDS && places.len() <= others.len() && excludes(seen, at, places)
    });
    candidates.next()
}

/// Whether what is said of a cell of a board excludes everything else: in hardly any state
/// does a cell have two contents. Some rules forget to take away what was captured.
fn excludes(seen: &Seen<'_>, [x, y]: [usize; 2], selectors: &[usize]) -> bool {
    let (mut all, mut shared) = (0_usize, 0_usize);
    for fluents in &seen.by_state {
        let board = |values: &Vec<&str>| -> String {
            selectors.iter().map(|place| values[*place]).collect::<Vec<_>>().join(" ")
        };
        let cells: BTreeSet<(&str, &str, String)> =
            fluents.iter().map(|values| (values[x], values[y], board(values))).collect();
        all += fluents.len();
        shared += fluents.len() - cells.len();
    }
    shared as f64 <= MOST_SHARED * all as f64
}

/// Whether what tells boards apart are things that are at one place each: then there is
/// one board, on which they are.
fn are_things(seen: &Seen<'_>, selectors: &[usize]) -> bool {
    let [place] = selectors[..] else { return false };
    seen.by_state.iter().all(|fluents| {
        let things: BTreeSet<&str> = fluents.iter().map(|values| values[place]).collect();
        things.len() == fluents.len()
    })
}

/// Whether everything else that is said are coordinates too: lines between cells, or walls.
fn are_pairs(seen: &Seen<'_>, at: [usize; 2]) -> bool {
    let coordinates: BTreeSet<&str> =
        at.iter().flat_map(|place| seen.values[*place].iter().copied()).collect();
    let mut others = (0..seen.values.len()).filter(|place| !at.contains(place));
    others.all(|place| seen.values[place].is_subset(&coordinates))
}

/// Whether each first value has exactly one second value, or the other way round, in all
/// states: then it is a number of something and not a cell of a board.
fn is_function(seen: &Seen<'_>, [x, y]: [usize; 2]) -> bool {
    let is_total = |from: usize, to: usize| {
        seen.by_state.iter().filter(|fluents| !fluents.is_empty()).all(|fluents| {
            let firsts: BTreeSet<&str> = fluents.iter().map(|values| values[from]).collect();
            let pairs: BTreeSet<(&str, &str)> =
                fluents.iter().map(|values| (values[from], values[to])).collect();
            firsts.len() == pairs.len() && firsts.len() == seen.values[from].len()
        })
    };
    is_total(x, y) || is_total(y, x)
}

/// Boards of several shapes with the same coordinates are one, if no cell ever has two.
fn merged(layouts: Vec<Layout>, states: &[Vec<String>]) -> Vec<Layout> {
    let mut found: Vec<Layout> = Vec::new();
    for layout in layouts {
        let partner = found.iter().position(|other| {
            other.columns == layout.columns
                && other.rows == layout.rows
                && [other, &layout]
                    .iter()
                    .all(|it| it.shapes.iter().all(|s| s.selectors.is_empty()))
                && are_apart(other, &layout, states)
        });
        match partner {
            Some(partner) => found[partner].shapes.extend(layout.shapes),
            None => found.push(layout),
        }
    }
    found
}

fn are_apart(one: &Layout, other: &Layout, states: &[Vec<String>]) -> bool {
    states.iter().all(|state| {
        let read: Vec<Fluent<'_>> = state.iter().map(|text| Fluent::read(text)).collect();
        let cells = |layout: &Layout| -> BTreeSet<[String; 2]> {
            read.iter().filter_map(|fluent| layout.place(fluent)).map(|(cell, _)| cell).collect()
        };
        cells(one).is_disjoint(&cells(other))
    })
}

impl Layout {
    /// The content that most cells have, if every cell has one: where cells may be empty,
    /// no content stands for nothing.
    fn find_blank(&self, states: &[Vec<String>]) -> Option<String> {
        let mut counts: BTreeMap<String, usize> = BTreeMap::new();
        for state in states.iter().take(MOST_COUNTED) {
            let read: Vec<Fluent<'_>> = state.iter().map(|text| Fluent::read(text)).collect();
            for content in
                self.grids(&read).into_iter().flat_map(|grid| grid.cells).flatten().flatten()
            {
                if content.is_empty() {
                    return None;
                }
                *counts.entry(content).or_default() += 1;
            }
        }
        let total: usize = counts.values().sum();
        let is_often = |count: usize| count as f64 >= LEAST_BLANK * total as f64;
        let several = counts.len() > 1;
        let most = counts.into_iter().rev().max_by_key(|(_, count)| *count);
        most.filter(|(_, count)| several && is_often(*count)).map(|(content, _)| content)
    }

    fn has(&self, fluent: &Fluent<'_>) -> bool {
        self.shapes.iter().any(|shape| shape.shape == fluent.shape)
    }

    /// Where a fluent is on the board, and by which shape.
    fn place(&self, fluent: &Fluent<'_>) -> Option<([String; 2], &Shape)> {
        let shape = self.shapes.iter().find(|shape| shape.shape == fluent.shape)?;
        Some((shape.at.map(|place| fluent.values[place].to_owned()), shape))
    }

    /// What a fluent puts into its cell.
    fn content(&self, shape: &Shape, fluent: &Fluent<'_>) -> String {
        let places = 0..fluent.values.len();
        let mut words: Vec<&str> = places
            .filter(|place| !shape.at.contains(place) && !shape.selectors.contains(place))
            .map(|place| fluent.values[place])
            .collect();
        if words.is_empty() || self.shapes.len() > 1 {
            words.insert(0, Fluent::name(&shape.shape));
        }
        words.join(" ")
    }

    /// The boards of a state: one, or one for each that is told apart.
    fn grids(&self, fluents: &[Fluent<'_>]) -> Vec<Grid> {
        let known = self.shapes.iter().flat_map(|shape| shape.boards.iter().cloned());
        let mut boards: BTreeMap<Vec<String>, HashMap<[String; 2], String>> =
            known.map(|board| (board, HashMap::new())).collect();
        for fluent in fluents {
            let Some((cell, shape)) = self.place(fluent) else { continue };
            let board = shape.selectors.iter().map(|at| fluent.values[*at].to_owned()).collect();
            let content = self.content(shape, fluent);
            let known = boards.entry(board).or_default().entry(cell).or_default();
            known.push_str(if known.is_empty() { "" } else { "/" });
            known.push_str(&content);
        }
        if boards.len() > MOST_EMPTY && boards.values().any(|contents| !contents.is_empty()) {
            boards.retain(|_, contents| !contents.is_empty());
        }
        boards.into_iter().map(|(board, contents)| self.grid(&board, &contents)).collect()
    }

    fn grid(&self, board: &[String], contents: &HashMap<[String; 2], String>) -> Grid {
        let names: Vec<&str> = self.shapes.iter().map(|it| Fluent::name(&it.shape)).collect();
        let title = [&[names.join(" and ")], board].concat().join(" ");
        let cell = |column: &String, row: &String| {
            let key = [column.clone(), row.clone()];
            let is_cell = self.shapes.iter().any(|shape| shape.cells.contains(&key));
            is_cell.then(|| contents.get(&key).cloned().unwrap_or_default())
        };
        let cells = self
            .rows
            .iter()
            .map(|row| self.columns.iter().map(|column| cell(column, row)).collect());
        let (cells, columns, rows) = (cells.collect(), self.columns.clone(), self.rows.clone());
        Grid { title, columns, rows, cells, blank: self.blank.clone() }
    }
}
