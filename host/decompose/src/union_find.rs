//! Things that belong together: classes that grow by links.

/// Classes of numbered things.
#[derive(Clone, Debug)]
pub(crate) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    /// Everything alone.
    pub(crate) fn alone(count: usize) -> Self {
        DisjointSets { parents: (0..count as u32).collect() }
    }

    /// The thing that stands for the class of this one.
    pub(crate) fn find(&mut self, thing: usize) -> usize {
        let mut root = thing;
        while self.parents[root] as usize != root {
            root = self.parents[root] as usize;
        }
        let mut open = thing;
        while open != root {
            open = std::mem::replace(&mut self.parents[open], root as u32) as usize;
        }
        root
    }

    /// Makes two classes one; whether they were two. The smaller number stands for both.
    pub(crate) fn link(&mut self, one: usize, other: usize) -> bool {
        let (one, other) = (self.find(one), self.find(other));
        self.parents[one.max(other)] = one.min(other) as u32;
        one != other
    }

    /// Makes the classes of all these one; whether they were several.
    pub(crate) fn link_all(&mut self, things: impl IntoIterator<Item = usize>) -> bool {
        let mut things = things.into_iter();
        let Some(first) = things.next() else { return false };
        things.fold(false, |linked, thing| self.link(first, thing) | linked)
    }

    /// Whether two things are in one class.
    pub(crate) fn are_one(&mut self, one: usize, other: usize) -> bool {
        self.find(one) == self.find(other)
    }
}
