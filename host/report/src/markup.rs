//! Elements of HTML and SVG. Whatever is put into one is escaped here, and
//! nowhere else.

use std::fmt;

/// An element, with what is in it.
#[derive(Clone, Debug)]
pub(crate) struct Element {
    name: &'static str,
    attributes: String,
    content: String,
}

impl Element {
    pub(crate) fn new(name: &'static str) -> Self {
        Self { name, attributes: String::new(), content: String::new() }
    }

    /// An element of a class.
    pub(crate) fn of(name: &'static str, class: &str) -> Self {
        Self::new(name).set("class", class)
    }

    /// Sets an attribute that is not there yet.
    pub(crate) fn set(mut self, name: &str, value: impl fmt::Display) -> Self {
        self.attributes.push_str(&format!(" {name}=\"{}\"", escape(&value.to_string())));
        self
    }

    /// Sets a coordinate or a length: a tenth of a unit is more than one sees.
    pub(crate) fn at(self, name: &str, value: f64) -> Self {
        self.set(name, rounded(value))
    }

    pub(crate) fn text(mut self, text: impl fmt::Display) -> Self {
        self.content.push_str(&escape(&text.to_string()));
        self
    }

    pub(crate) fn child(mut self, child: Element) -> Self {
        self.push(child);
        self
    }

    pub(crate) fn children(mut self, children: impl IntoIterator<Item = Element>) -> Self {
        children.into_iter().for_each(|child| self.push(child));
        self
    }

    pub(crate) fn push(&mut self, child: Element) {
        self.content.push_str(&child.to_string());
    }

    /// Puts in what must not be escaped: a style sheet or a script of ours.
    pub(crate) fn verbatim(mut self, content: &'static str) -> Self {
        self.content.push_str(content);
        self
    }
}

impl fmt::Display for Element {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, attributes, content } = self;
        match *name {
            "meta" => write!(f, "<{name}{attributes}>"),
            _ => write!(f, "<{name}{attributes}>{content}</{name}>{}", line_end(name)),
        }
    }
}

/// Lines of the page end where that is no space in the text.
fn line_end(name: &str) -> &'static str {
    let blocks = ["g", "tr", "section", "figure", "li", "p", "div", "head", "body", "style"];
    if blocks.contains(&name) { "\n" } else { "" }
}

/// A coordinate as it is written.
pub(crate) fn rounded(value: f64) -> f64 {
    // Adding zero turns a negative zero into a positive one.
    (value * 10.0).round() / 10.0 + 0.0
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // A page must not hold it, and nothing that is measured is called so.
            '\0' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_attributes_are_escaped() {
        let element = Element::of("b", "a\"b'").text("<script>&");
        assert_eq!(element.to_string(), "<b class=\"a&quot;b&#39;\">&lt;script&gt;&amp;</b>");
    }

    #[test]
    fn children_are_not_escaped_twice() {
        let element = Element::new("b").child(Element::new("i").text("&")).text("<");
        assert_eq!(element.to_string(), "<b><i>&amp;</i>&lt;</b>");
    }

    #[test]
    fn coordinates_have_one_decimal_and_no_negative_zero() {
        let element = Element::new("i").at("x", 1.26).at("y", -0.01).at("z", 3.0);
        assert_eq!(element.to_string(), "<i x=\"1.3\" y=\"0\" z=\"3\"></i>");
    }
}
