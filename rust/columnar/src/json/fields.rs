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

/// After how many fields that stand where another one is remembered all is forgotten.
const SURPRISES_LIMIT: usize = 1_000;

/// A field of an earlier object.
#[derive(Debug)]
struct Learned {
    /// All that stands between the values before and after: comma, name, colon, white space.
    literal: Box<[u8]>,
    /// The schema's field, if it asks for this one; else [`UNWANTED`].
    target: u32,
}

/// In place of a field that the schema does not ask for.
pub(crate) const UNWANTED: u32 = u32::MAX;

/// A field of an object, the scanner stands at its value. Small enough to be handed on in registers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Found {
    /// Where among the remembered fields the next one is.
    pub(crate) next: u32,
    /// Which of the schema's fields it is, or [`UNWANTED`].
    pub(crate) target: u32,
}

/// The spans of a schema's fields in one object after the other.
///
/// Records of one topic mostly have the same fields in the same order, written the same way. What stands between the
/// values of one object is remembered; where the next object has the same bytes, they are compared and not parsed.
#[derive(Debug)]
pub(crate) struct FieldSpans {
    names: HashMap<Box<[u8]>, u32>,
    spans: Vec<Span>,
    /// Of fields that appear twice: all spans but the last one, in the object's order.
    earlier: Vec<(usize, Span)>,
    learned: Vec<Learned>,
    /// How many fields stood where another one was remembered.
    surprises: usize,
}

impl FieldSpans {
    pub(crate) fn new<'a>(names: impl Iterator<Item = &'a str>) -> Self {
        let names: HashMap<Box<[u8]>, u32> = (0..UNWANTED)
            .zip(names)
            .map(|(index, name)| (name.as_bytes().into(), index))
            .collect();
        let spans = vec![Span::default(); names.len()];
        Self {
            names,
            spans,
            earlier: Vec::new(),
            learned: Vec::new(),
            surprises: 0,
        }
    }

    /// Finds the fields of the object that `input` begins with.
    pub(crate) fn scan(&mut self, input: &[u8], syntax: Syntax) -> Result<(), Malformed> {
        self.scan_at(&mut Scanner::new(input, syntax))
    }

    fn scan_at(&mut self, scanner: &mut Scanner<'_>) -> Result<(), Malformed> {
        self.clear();
        let mut position = 0;
        loop {
            let field = match self.recognise(scanner, position) {
                Some(field) => field,
                None => match self.search(scanner, position)? {
                    Some(field) => field,
                    None => return Ok(()),
                },
            };
            let value = scanner.value(1)?;
            let target = field.target as usize;
            if let Some(span) = self.spans.get_mut(target) {
                if span.kind != Kind::Missing {
                    self.earlier.push((target, *span));
                }
                *span = value;
            }
            if scanner.at_object_end() {
                return Ok(());
            }
            position = field.next;
        }
    }

    /// Steps over what stands before the value of the field at a position, or later where some are missing, if it is
    /// what stood there in an earlier object.
    #[inline]
    pub(crate) fn recognise(&self, scanner: &mut Scanner<'_>, position: u32) -> Option<Found> {
        let expected = self.learned.get(position as usize..)?;
        // Only the first literal begins an object; the others would take a comma for its beginning.
        let choices = if position == 0 { 1 } else { MISSING_LIMIT };
        let mut next = position;
        for field in expected.iter().take(choices) {
            next = next.wrapping_add(1);
            if scanner.eat(&field.literal) {
                return Some(Found {
                    next,
                    target: field.target,
                });
            }
        }
        None
    }

    /// As [`FieldSpans::recognise`], by the field's name; nothing at the end of the object.
    #[inline(never)]
    pub(crate) fn search(&mut self, scanner: &mut Scanner<'_>, position: u32) -> Result<Option<Found>, Malformed> {
        let start = scanner.position();
        let Some(name) = scanner.field_name(position == 0)? else {
            return Ok(None);
        };
        scanner.skip_space();
        let input = scanner.input();
        let target = look_up(&self.names, input, name);
        let literal = input.get(start..scanner.position()).unwrap_or_default();
        self.learn(position as usize, literal, target);
        Ok(Some(Found {
            next: position.saturating_add(1),
            target,
        }))
    }

    /// Remembers what stands before the value at a position. What is known of a position is kept, until it has been of
    /// no use too often.
    fn learn(&mut self, position: usize, literal: &[u8], target: u32) {
        if position < self.learned.len() {
            self.surprises = self.surprises.saturating_add(1);
            if self.surprises > SURPRISES_LIMIT {
                self.surprises = 0;
                self.learned.clear();
            }
        }
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

fn look_up(names: &HashMap<Box<[u8]>, u32>, input: &[u8], name: Span) -> u32 {
    let found = if name.kind == Kind::EscapedText {
        let mut characters = Vec::new();
        text::unescape(name.bytes(input), &mut characters);
        names.get(characters.as_slice())
    } else {
        names.get(name.bytes(input))
    };
    found.copied().unwrap_or(UNWANTED)
}
