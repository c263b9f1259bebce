//! How much faster many cores are than few.

use std::collections::BTreeMap;

use super::arrange::{Across, distinguishing};
use super::cells::{Cell, Spread};
use super::settings::{Axis, Value};

/// What cells are compared with: of all with the same settings but clusters and
/// threads, the one with the fewest cores.
#[derive(Debug)]
pub(crate) struct Baselines<'a> {
    axes: Vec<Axis>,
    cells: BTreeMap<Vec<Value>, &'a Cell>,
}

impl<'a> Baselines<'a> {
    pub(crate) fn of(cells: &[&'a Cell]) -> Self {
        // A batch that grows with the machine is no other setting.
        let machine = [Axis::Clusters, Axis::Threads];
        let axes = distinguishing(cells, Across::Cores, &machine);
        let axes: Vec<Axis> = axes.into_iter().filter(|axis| !machine.contains(axis)).collect();
        let mut baselines: BTreeMap<_, &Cell> = BTreeMap::new();
        for &cell in cells {
            let best = baselines.entry(cell.values(&axes)).or_insert(cell);
            if size(cell) < size(best) {
                *best = cell;
            }
        }
        Self { axes, cells: baselines }
    }

    fn baseline(&self, cell: &Cell) -> &'a Cell {
        self.cells[&cell.values(&self.axes)]
    }

    /// The cores that a cell is compared with.
    pub(crate) fn cores(&self, cell: &Cell) -> f64 {
        self.baseline(cell).cores()
    }

    pub(crate) fn speed_up(&self, cell: &Cell) -> Spread {
        cell.playouts_per_second.over(self.baseline(cell).playouts_per_second.median)
    }

    /// The speed-up as a share of the ideal one.
    pub(crate) fn efficiency(&self, cell: &Cell) -> Spread {
        self.speed_up(cell).over(cell.cores() / self.cores(cell))
    }
}

/// The fewest cores come first, and of these the fewest clusters.
fn size(cell: &Cell) -> (Value, &Value) {
    (Value::Number(cell.cores()), cell.value(Axis::Clusters))
}
