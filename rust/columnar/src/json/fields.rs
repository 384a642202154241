//! Finds the fields of an object that a schema asks for.

use std::collections::HashMap;

use super::scan::{Malformed, Scanner, Span};
use super::text;

/// Most fields of an object whose order is remembered.
const LEARNED_LIMIT: usize = 256;

/// The spans of a schema's fields in one object after the other.
///
/// Records of one topic mostly have the same fields in the same order. The order of one object is remembered, so that
/// in the next one a name is compared with one other name and, if it is the same, not looked up.
#[derive(Debug)]
pub(crate) struct FieldSpans {
    names: HashMap<Box<[u8]>, usize>,
    spans: Vec<Span>,
    learned: Vec<(Box<[u8]>, Option<usize>)>,
}

impl FieldSpans {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let names: HashMap<Box<[u8]>, usize> = names
            .enumerate()
            .map(|(index, name)| (name.as_bytes().into(), index))
            .collect();
        let spans = vec![Span::default(); names.len()];
        Self {
            names,
            spans,
            learned: Vec::new(),
        }
    }

    /// Finds the fields of the object that `input` begins with; of a field that appears twice the last one counts.
    pub(crate) fn scan(&mut self, input: &[u8]) -> Result<(), Malformed> {
        self.clear();
        let Self { names, spans, learned } = self;
        let mut position = 0usize;
        Scanner::new(input).object(0, |name, value| {
            let bytes = name.bytes(input);
            let target = match learned.get(position) {
                Some((known, target)) if **known == *bytes => *target,
                _ => {
                    let target = look_up(names, input, name);
                    learn(learned, position, bytes, target);
                    target
                }
            };
            position = position.saturating_add(1);
            if let Some(span) = target.and_then(|target| spans.get_mut(target)) {
                *span = value;
            }
        })
    }

    /// Forgets the last object: every field is missing.
    pub(crate) fn clear(&mut self) {
        self.spans.fill(Span::default());
    }

    /// The spans, in the order of the schema.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Span> {
        self.spans.iter().copied()
    }
}

fn look_up(names: &HashMap<Box<[u8]>, usize>, input: &[u8], name: Span) -> Option<usize> {
    if name.kind == super::scan::Kind::EscapedText {
        let mut characters = Vec::new();
        text::unescape(name.bytes(input), &mut characters);
        return names.get(characters.as_slice()).copied();
    }
    names.get(name.bytes(input)).copied()
}

/// Remembers a name at its position; what is known of a position is kept.
fn learn(learned: &mut Vec<(Box<[u8]>, Option<usize>)>, position: usize, name: &[u8], target: Option<usize>) {
    if position == learned.len() && position < LEARNED_LIMIT {
        learned.push((name.into(), target));
    }
}
