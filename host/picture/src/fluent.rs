//! Fluents as shapes with values at their leaves: `(cell 1 2 x)` has the shape
//! `(cell _ _ _)` and three values.

/// A fluent that was taken apart.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fluent<'a> {
    /// Its functions, with `_` for values.
    pub shape: String,
    /// Its values, from left to right.
    pub values: Vec<&'a str>,
}

impl<'a> Fluent<'a> {
    pub fn read(text: &'a str) -> Self {
        let (mut shape, mut values) = (String::new(), Vec::new());
        let mut is_function = false;
        let mut rest = text;
        while let Some(letter) = rest.chars().next() {
            let end = match letter {
                '(' | ')' | ' ' => {
                    shape.push(letter);
                    is_function = letter == '(' || (is_function && letter == ' ');
                    1
                }
                _ => rest.find(['(', ')', ' ']).unwrap_or(rest.len()),
            };
            if !matches!(letter, '(' | ')' | ' ') {
                match is_function {
                    true => shape.push_str(&rest[..end]),
                    false => {
                        shape.push('_');
                        values.push(&rest[..end]);
                    }
                }
                is_function = false;
            }
            rest = &rest[end..];
        }
        if values.len() == 1 && !text.starts_with('(') {
            // A fluent without arguments is a shape of its own.
            return Self { shape: text.to_owned(), values: Vec::new() };
        }
        Self { shape, values }
    }

    /// The first function of a shape.
    pub fn name(shape: &str) -> &str {
        let name = shape.trim_start_matches('(');
        name.split([' ', ')']).next().unwrap_or(name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fluents_are_taken_apart() {
        let fluent = Fluent::read("(cell (at 1 2) x)");
        assert_eq!(fluent.shape, "(cell (at _ _) _)");
        assert_eq!(fluent.values, ["1", "2", "x"]);
        assert_eq!(Fluent::name(&fluent.shape), "cell");
        assert_eq!(Fluent::read("started").shape, "started");
        assert_eq!(Fluent::read("(f)").values.len(), 0);
    }
}
