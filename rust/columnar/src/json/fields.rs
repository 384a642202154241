//! Finds the fields of an object that a schema asks for.

use std::collections::HashMap;

use super::scan::{Kind, Malformed, Scanner, Span, Syntax};
use super::text;

/// Most fields of an object whose order is remembered.
const LEARNED_LIMIT: usize = 256;
/// Longest name that is remembered, with what stands around it.
const LEARNED_BYTES: usize = 256;
/// How many fields of the remembered order may be missing before one that is there is looked up.
const MISSING_LIMIT: usize = 4;

/// A field of an earlier object.
#[derive(Debug)]
struct Learned {
    /// All that stands between the values before and after: comma, name, colon, white space.
    literal: Box<[u8]>,
    /// The schema's field, if it asks for this one.
    target: Option<usize>,
}

/// The spans of a schema's fields in one object after the other.
///
/// Records of one topic mostly have the same fields in the same order, written the same way. What stands between the
/// values of one object is remembered; where the next object has the same bytes, they are compared and not parsed.
#[derive(Debug)]
pub(crate) struct FieldSpans {
    names: HashMap<Box<[u8]>, usize>,
    spans: Vec<Span>,
    /// Of fields that appear twice: all spans but the last one, in the object's order.
    earlier: Vec<(usize, Span)>,
    learned: Vec<Learned>,
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
            earlier: Vec::new(),
            learned: Vec::new(),
        }
    }

    /// Finds the fields of the object that `input` begins with.
    pub(crate) fn scan(&mut self, input: &[u8], syntax: Syntax) -> Result<(), Malformed> {
        self.scan_at(&mut Scanner::new(input, syntax))
    }

    /// Finds the fields of the object that begins where the scanner is, and steps over it.
    #[inline]
    pub(crate) fn scan_at(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Malformed> {
        self.clear();
        let input = scanner.input();
        let mut position = 0usize;
        let mut is_first = true;
        loop {
            let target = if let Some((found, target)) = self.recognise(scanner, position) {
                position = found;
                target
            } else {
                let start = scanner.position();
                let Some(name) = scanner.field_name(is_first)? else {
                    return Ok(());
                };
                let target = look_up(&self.names, input, name);
                self.learn(
                    position,
                    input.get(start..scanner.position()).unwrap_or_default(),
                    target,
                );
                target
            };
            let value = scanner.value(1)?;
            if let Some(target) = target
                && let Some(span) = self.spans.get_mut(target)
            {
                if span.kind != Kind::Missing {
                    self.earlier.push((target, *span));
                }
                *span = value;
            }
            if scanner.at_object_end() {
                return Ok(());
            }
            is_first = false;
            position = position.saturating_add(1);
        }
    }

    /// Steps over what stands before a value, if it is what stood there in an earlier object, a few fields missing.
    #[inline]
    fn recognise(&self, scanner: &mut Scanner<'_>, position: usize) -> Option<(usize, Option<usize>)> {
        let expected = self.learned.get(position..)?;
        // Only the first literal begins an object; the others would take a comma for its beginning.
        let choices = if position == 0 { 1 } else { MISSING_LIMIT };
        let found = expected
            .iter()
            .take(choices)
            .position(|field| scanner.eat(&field.literal))?;
        Some((position.saturating_add(found), expected.get(found)?.target))
    }

    /// Remembers what stands before the value at a position; what is known of a position is kept.
    fn learn(&mut self, position: usize, literal: &[u8], target: Option<usize>) {
        if position == self.learned.len() && position < LEARNED_LIMIT && literal.len() <= LEARNED_BYTES {
            self.learned.push(Learned {
                literal: literal.into(),
                target,
            });
        }
    }

    /// Forgets the last object: every field is missing.
    pub(crate) fn clear(&mut self) {
        self.spans.fill(Span::default());
        self.earlier.clear();
    }

    /// The spans of a field that appears twice or more often, in the object's order; none of any other field.
    pub(crate) fn duplicates(&self, target: usize) -> Vec<Span> {
        let mut spans: Vec<Span> = (self.earlier.iter())
            .filter(|(index, _)| *index == target)
            .map(|(_, span)| *span)
            .collect();
        if !spans.is_empty() {
            spans.extend(self.spans.get(target));
        }
        spans
    }

    /// Whether any field appears twice.
    #[inline]
    pub(crate) fn has_duplicates(&self) -> bool {
        !self.earlier.is_empty()
    }

    /// The spans, in the order of the schema.
    pub(crate) fn iter(&self) -> impl Iterator<Item = Span> {
        self.spans.iter().copied()
    }
}

fn look_up(names: &HashMap<Box<[u8]>, usize>, input: &[u8], name: Span) -> Option<usize> {
    if name.kind == Kind::EscapedText {
        let mut characters = Vec::new();
        text::unescape(name.bytes(input), &mut characters);
        return names.get(characters.as_slice()).copied();
    }
    names.get(name.bytes(input)).copied()
}
