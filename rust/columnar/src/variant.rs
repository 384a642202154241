//! Spark's VARIANT in its binary form: a value, and the dictionary of the names in it.
//!
//! The encoding is that of Parquet's `VariantEncoding.md`, and the choices that it leaves open are those of Spark's
//! `VariantBuilder`: the narrowest widths, names in the order in which they are met, fields in the order of their names
//! as Java compares them. Nothing here knows of any text format.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields};

/// Most bytes of a value, and of its dictionary, as in Spark 4.2.
pub(crate) const VARIANT_BYTES_LIMIT: usize = 128 << 20;
/// Most digits, and most of them after the point, of a number that is kept as a decimal.
const DECIMAL_DIGITS_LIMIT: usize = 38;

/// The two low bits of a value's first byte say what the others mean.
const SHORT_TEXT: u8 = 1;
const OBJECT: u8 = 2;
const LIST: u8 = 3;
/// Longest text whose length is in its first byte.
const SHORT_TEXT_LIMIT: usize = 63;

const NULL: u8 = 0;
const TRUE: u8 = 1;
const FALSE: u8 = 2;
const INT8: u8 = 3;
const INT16: u8 = 4;
const INT32: u8 = 5;
const INT64: u8 = 6;
const DOUBLE: u8 = 7;
const DECIMAL4: u8 = 8;
const DECIMAL8: u8 = 9;
const DECIMAL16: u8 = 10;
const LONG_TEXT: u8 = 16;

/// Version 1, names in any order.
const DICTIONARY_VERSION: u8 = 1;
/// How many names, and bytes of them, are remembered from value to value.
const NAMES_KEPT: usize = 4_096;
const NAME_BYTES_KEPT: usize = 1 << 20;

/// Whether a struct of these fields is how Arrow carries Spark's VARIANT: two binary columns, the second one tagged.
pub(crate) fn is_variant(fields: &Fields) -> bool {
    let is_binary = |field: &Field, name: &str| field.name() == name && *field.data_type() == DataType::Binary;
    match fields.as_ref() {
        [value, metadata] => {
            is_binary(value, "value")
                && is_binary(metadata, "metadata")
                && metadata.metadata().get("variant").is_some_and(|tag| tag == "true")
        }
        _ => false,
    }
}

/// The fields of a struct that stands for VARIANT.
pub(crate) fn variant_fields() -> Fields {
    let tag = HashMap::from([("variant".to_owned(), "true".to_owned())]);
    Fields::from(vec![
        Field::new("value", DataType::Binary, false),
        Field::new("metadata", DataType::Binary, false).with_metadata(tag),
    ])
}

/// Why something cannot be part of a variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unfit {
    /// An object has a name twice.
    DuplicateName,
    /// It would have more than [`VARIANT_BYTES_LIMIT`].
    TooLarge,
}

impl Unfit {
    /// In words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::DuplicateName => "an object that has a name twice",
            Self::TooLarge => "a VARIANT of more than 128 MiB",
        }
    }
}

/// A field of an object that is being written.
#[derive(Clone, Copy, Debug)]
struct Entry {
    /// Where the name is among those that are remembered.
    name: usize,
    /// The name's number in the dictionary of this value.
    id: usize,
    /// Where the field's value begins, from the first one.
    offset: usize,
}

/// A name that was met.
#[derive(Debug)]
struct Name {
    text: Arc<[u8]>,
    /// The last value that has it, and its number there.
    turn: u64,
    id: usize,
    /// The name that came after this one.
    next: usize,
}

/// The names of one value after the other. Values of one column mostly have the same, which are remembered.
#[derive(Debug, Default)]
struct Dictionary {
    places: HashMap<Arc<[u8]>, usize>,
    names: Vec<Name>,
    bytes_kept: usize,
    turn: u64,
    /// The name that was met last, and that which began the value before.
    last: Option<usize>,
    first: usize,
    /// Names of this value in the order of their numbers, and how many bytes they have.
    ids: Vec<usize>,
    bytes: usize,
    /// The dictionary that was written last, and whose names it has.
    written: Vec<u8>,
    written_ids: Vec<usize>,
}

impl Dictionary {
    fn begin(&mut self) {
        if self.names.len() > NAMES_KEPT || self.bytes_kept > NAME_BYTES_KEPT {
            *self = Self {
                turn: self.turn,
                ..Self::default()
            };
        }
        self.turn = self.turn.wrapping_add(1);
        self.last = None;
        self.ids.clear();
        self.bytes = 0;
    }

    /// Where a name is, and its number in this value.
    fn add(&mut self, text: &[u8]) -> (usize, usize) {
        let likely = match self.last {
            Some(last) => self.names.get(last).map_or(0, |name| name.next),
            None => self.first,
        };
        let place = match self.names.get(likely) {
            Some(name) if *name.text == *text => likely,
            _ => self.find(text),
        };
        self.last = Some(place);
        let (turn, next_id) = (self.turn, self.ids.len());
        let Some(name) = self.names.get_mut(place) else {
            return (place, next_id);
        };
        if name.turn != turn {
            name.turn = turn;
            name.id = next_id;
            self.ids.push(place);
            self.bytes = self.bytes.saturating_add(text.len());
        }
        (place, name.id)
    }

    #[inline(never)]
    fn find(&mut self, text: &[u8]) -> usize {
        let place = if let Some(place) = self.places.get(text) {
            *place
        } else {
            let place = self.names.len();
            let text: Arc<[u8]> = text.into();
            self.bytes_kept = self.bytes_kept.saturating_add(text.len());
            self.places.insert(Arc::clone(&text), place);
            self.names.push(Name {
                text,
                turn: self.turn.wrapping_sub(1),
                id: 0,
                next: 0,
            });
            place
        };
        match self.last.and_then(|last| self.names.get_mut(last)) {
            Some(last) => last.next = place,
            None => self.first = place,
        }
        place
    }

    fn text(&self, place: usize) -> &[u8] {
        self.names.get(place).map_or(&[], |name| &name.text)
    }

    /// Appends the dictionary of this value.
    fn write(&mut self, out: &mut Vec<u8>) -> Result<(), Unfit> {
        if self.written.is_empty() || self.ids != self.written_ids {
            let count = self.ids.len();
            let width = width(self.bytes.max(count));
            let size = count
                .saturating_add(2)
                .saturating_mul(width)
                .saturating_add(1)
                .saturating_add(self.bytes);
            if size > VARIANT_BYTES_LIMIT {
                return Err(Unfit::TooLarge);
            }
            let mut written = std::mem::take(&mut self.written);
            written.clear();
            written.push(DICTIONARY_VERSION | width_bits(width) << 6);
            push_number(&mut written, count, width);
            let mut offset = 0usize;
            push_number(&mut written, offset, width);
            for place in &self.ids {
                offset = offset.saturating_add(self.text(*place).len());
                push_number(&mut written, offset, width);
            }
            for place in &self.ids {
                written.extend_from_slice(self.text(*place));
            }
            self.written = written;
            self.written_ids.clone_from(&self.ids);
        }
        out.extend_from_slice(&self.written);
        Ok(())
    }
}

/// Where an object or list that is being written began.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Begun {
    /// In the value's bytes.
    start: usize,
    /// Among the entries, or the offsets, of all that are being written.
    entries: usize,
}

/// Writes one value after the other, each from [`VariantWriter::begin`] to [`VariantWriter::finish`].
#[derive(Debug, Default)]
pub(crate) struct VariantWriter {
    dictionary: Dictionary,
    /// Of the objects that are being written, the outermost one first.
    entries: Vec<Entry>,
    /// Of the lists.
    offsets: Vec<usize>,
    head: Vec<u8>,
}

impl VariantWriter {
    /// Begins a value, whatever became of the one before.
    pub(crate) fn begin(&mut self) {
        self.dictionary.begin();
        self.entries.clear();
        self.offsets.clear();
    }

    /// Begins an object; its fields follow, each with its name before it.
    pub(crate) fn begin_object(&self, out: &[u8]) -> Begun {
        Begun {
            start: out.len(),
            entries: self.entries.len(),
        }
    }

    /// The name of the field whose value is written next.
    pub(crate) fn name(&mut self, begun: Begun, text: &[u8], out: &[u8]) {
        let (name, id) = self.dictionary.add(text);
        let offset = out.len().saturating_sub(begun.start);
        self.entries.push(Entry { name, id, offset });
    }

    /// Ends an object.
    pub(crate) fn end_object(&mut self, begun: Begun, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let Self {
            dictionary,
            entries,
            head,
            ..
        } = self;
        let fields = entries.get_mut(begun.entries..).unwrap_or_default();
        fields.sort_unstable_by(|one, other| in_java(dictionary.text(one.name), dictionary.text(other.name)));
        if fields
            .windows(2)
            .any(|pair| matches!(pair, [one, other] if one.name == other.name))
        {
            return Err(Unfit::DuplicateName);
        }
        let count = fields.len();
        let size = out.len().saturating_sub(begun.start);
        let id_width = width(fields.iter().map(|field| field.id).max().unwrap_or(0));
        let offset_width = width(size);
        let is_large = count > usize::from(u8::MAX);
        head.clear();
        head.push((u8::from(is_large) << 4 | width_bits(id_width) << 2 | width_bits(offset_width)) << 2 | OBJECT);
        push_number(head, count, if is_large { 4 } else { 1 });
        for field in fields.iter() {
            push_number(head, field.id, id_width);
        }
        for field in fields.iter() {
            push_number(head, field.offset, offset_width);
        }
        push_number(head, size, offset_width);
        entries.truncate(begun.entries);
        insert(out, begun.start, head)
    }

    /// Begins a list; its elements follow, each announced.
    pub(crate) fn begin_list(&self, out: &[u8]) -> Begun {
        Begun {
            start: out.len(),
            entries: self.offsets.len(),
        }
    }

    /// Announces an element.
    pub(crate) fn element(&mut self, begun: Begun, out: &[u8]) {
        self.offsets.push(out.len().saturating_sub(begun.start));
    }

    /// Ends a list.
    pub(crate) fn end_list(&mut self, begun: Begun, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let Self { offsets, head, .. } = self;
        let elements = offsets.get(begun.entries..).unwrap_or_default();
        let count = elements.len();
        let size = out.len().saturating_sub(begun.start);
        let offset_width = width(size);
        let is_large = count > usize::from(u8::MAX);
        head.clear();
        head.push((u8::from(is_large) << 2 | width_bits(offset_width)) << 2 | LIST);
        push_number(head, count, if is_large { 4 } else { 1 });
        for offset in elements {
            push_number(head, *offset, offset_width);
        }
        push_number(head, size, offset_width);
        offsets.truncate(begun.entries);
        insert(out, begun.start, head)
    }

    /// Ends the value of `size` bytes: appends its dictionary.
    pub(crate) fn finish(&mut self, size: usize, dictionary: &mut Vec<u8>) -> Result<(), Unfit> {
        if size > VARIANT_BYTES_LIMIT {
            return Err(Unfit::TooLarge);
        }
        self.dictionary.write(dictionary)
    }
}

/// Appends a null.
pub(crate) fn push_null(out: &mut Vec<u8>) {
    out.push(NULL << 2);
}

/// Appends a truth value.
pub(crate) fn push_boolean(out: &mut Vec<u8>, value: bool) {
    out.push(if value { TRUE } else { FALSE } << 2);
}

/// Appends a whole number in as few bytes as hold it.
pub(crate) fn push_integer(out: &mut Vec<u8>, value: i64) {
    if let Ok(value) = i8::try_from(value) {
        out.push(INT8 << 2);
        out.extend_from_slice(&value.to_le_bytes());
    } else if let Ok(value) = i16::try_from(value) {
        out.push(INT16 << 2);
        out.extend_from_slice(&value.to_le_bytes());
    } else if let Ok(value) = i32::try_from(value) {
        out.push(INT32 << 2);
        out.extend_from_slice(&value.to_le_bytes());
    } else {
        out.push(INT64 << 2);
        out.extend_from_slice(&value.to_le_bytes());
    }
}

/// Appends a double.
pub(crate) fn push_double(out: &mut Vec<u8>, value: f64) {
    out.push(DOUBLE << 2);
    // As Java's `doubleToLongBits`: there is one not-a-number.
    let value = if value.is_nan() { f64::NAN } else { value };
    out.extend_from_slice(&value.to_bits().to_le_bytes());
}

/// Appends a number that is written without exponent, such as `-12.50`, as a decimal that keeps its zeros; false, and
/// nothing is appended, if it is written otherwise or has too many digits.
pub(crate) fn push_decimal(out: &mut Vec<u8>, text: &[u8]) -> bool {
    let Some((unscaled, digits, scale)) = decimal(text) else {
        return false;
    };
    let widest = digits.max(scale);
    let Ok(scale) = u8::try_from(scale) else { return false };
    match (i32::try_from(unscaled), i64::try_from(unscaled)) {
        (Ok(unscaled), _) if widest <= 9 => {
            out.extend_from_slice(&[DECIMAL4 << 2, scale]);
            out.extend_from_slice(&unscaled.to_le_bytes());
        }
        (_, Ok(unscaled)) if widest <= 18 => {
            out.extend_from_slice(&[DECIMAL8 << 2, scale]);
            out.extend_from_slice(&unscaled.to_le_bytes());
        }
        _ => {
            out.extend_from_slice(&[DECIMAL16 << 2, scale]);
            out.extend_from_slice(&unscaled.to_le_bytes());
        }
    }
    true
}

/// The digits of a number as a whole one, how many of them count, and how many stand after the point.
fn decimal(text: &[u8]) -> Option<(i128, usize, usize)> {
    let (is_negative, plain) = match text.split_first() {
        Some((b'-', rest)) => (true, rest),
        _ => (false, text),
    };
    let mut unscaled = 0i128;
    let (mut digits, mut scale) = (0usize, 0usize);
    let mut is_fraction = false;
    for byte in plain {
        match byte {
            b'0'..=b'9' => {
                digits = digits.saturating_add(usize::from(digits > 0 || *byte != b'0'));
                scale = scale.saturating_add(usize::from(is_fraction));
                if digits > DECIMAL_DIGITS_LIMIT || scale > DECIMAL_DIGITS_LIMIT {
                    return None;
                }
                unscaled = unscaled.checked_mul(10)?.checked_add(i128::from(byte & 0x0f))?;
            }
            b'.' if !is_fraction => is_fraction = true,
            _ => return None,
        }
    }
    Some((
        if is_negative { unscaled.checked_neg()? } else { unscaled },
        digits,
        scale,
    ))
}

/// Appends text, which is UTF-8.
pub(crate) fn push_text(out: &mut Vec<u8>, text: &[u8]) -> Result<(), Unfit> {
    match u8::try_from(text.len()) {
        Ok(length) if text.len() <= SHORT_TEXT_LIMIT => out.push(length << 2 | SHORT_TEXT),
        _ => {
            let length = u32::try_from(text.len()).map_err(|_| Unfit::TooLarge)?;
            out.push(LONG_TEXT << 2);
            out.extend_from_slice(&length.to_le_bytes());
        }
    }
    out.extend_from_slice(text);
    Ok(())
}

/// How many bytes hold a number.
fn width(number: usize) -> usize {
    match number {
        0..=0xff => 1,
        0x100..=0xffff => 2,
        0x1_0000..=0xff_ffff => 3,
        _ => 4,
    }
}

/// A width as it stands in a header.
fn width_bits(width: usize) -> u8 {
    match width {
        1 => 0,
        2 => 1,
        3 => 2,
        _ => 3,
    }
}

/// Appends the low bytes of a number. Numbers that four bytes do not hold are of values that are refused when they end.
fn push_number(out: &mut Vec<u8>, number: usize, width: usize) {
    let bytes = number.to_le_bytes();
    out.extend_from_slice(bytes.get(..width).unwrap_or(&bytes));
}

/// Puts the head of an object or list before what it holds.
fn insert(out: &mut Vec<u8>, start: usize, head: &[u8]) -> Result<(), Unfit> {
    let end = out.len();
    let behind = start.saturating_add(head.len());
    if end.saturating_add(head.len()).saturating_sub(start) > VARIANT_BYTES_LIMIT {
        return Err(Unfit::TooLarge);
    }
    out.resize(end.saturating_add(head.len()), 0);
    out.copy_within(start..end, behind);
    if let Some(place) = out.get_mut(start..behind) {
        place.copy_from_slice(head);
    }
    Ok(())
}

/// The order of names as Java compares strings, by UTF-16: characters beyond its first plane come before U+E000.
fn in_java(one: &[u8], other: &[u8]) -> Ordering {
    let unequal = one.iter().zip(other).find(|(one, other)| one != other);
    let weight = |byte: u8| if matches!(byte, 0xee | 0xef) { byte | 0x10 } else { byte };
    match unequal {
        // The first bytes that differ both begin a character, or neither does.
        Some((one, other)) => weight(*one).cmp(&weight(*other)),
        None => one.len().cmp(&other.len()),
    }
}
