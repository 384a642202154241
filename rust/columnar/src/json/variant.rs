//! VARIANT columns: any JSON value in Spark's binary form, as `parse_json` and `from_json` make it.
//!
//! A number without exponent is a whole number of 64 bits, else a decimal of up to 38 digits; what fits neither is a
//! double. A null is a variant that holds null; the column is null where there is no value. What VARIANT cannot hold (a
//! name twice in one object, half a surrogate pair) does not fit, as in Spark.

use std::borrow::Cow;
use std::sync::Arc;

use arrow_array::{ArrayRef, StructArray};
use arrow_buffer::NullBufferBuilder;
use arrow_schema::Fields;

use super::JsonOptions;
use super::column::Fit;
use super::object::OnePass;
use super::scan::{Kind, Malformed, Scanner, Span};
use super::text;
use crate::builder::BytesBuilder;
use crate::scalar::number;
use crate::variant::{
    Unfit, VariantWriter, is_variant, push_boolean, push_decimal, push_double, push_integer, push_null, push_text,
};
use crate::{ColumnarError, Result};

/// Why a value is no variant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refused {
    /// It is no JSON.
    Malformed(Malformed),
    /// A variant cannot hold it.
    Unfit(Malformed),
    /// The column holds no more.
    Full,
}

impl From<Malformed> for Refused {
    fn from(malformed: Malformed) -> Self {
        Self::Malformed(malformed)
    }
}

/// A growing column of variants.
#[derive(Debug)]
pub(crate) struct VariantColumn {
    fields: Fields,
    values: BytesBuilder,
    dictionaries: BytesBuilder,
    nulls: NullBufferBuilder,
    writer: VariantWriter,
    /// Characters of a string with escapes.
    characters: Vec<u8>,
}

impl VariantColumn {
    /// A column for a struct that stands for VARIANT; nothing for any other struct.
    pub(super) fn new(fields: &Fields) -> Option<Self> {
        is_variant(fields).then(|| Self {
            fields: fields.clone(),
            values: BytesBuilder::new(),
            dictionaries: BytesBuilder::new(),
            nulls: NullBufferBuilder::new(0),
            writer: VariantWriter::default(),
            characters: Vec::new(),
        })
    }

    /// Appends the value where the scanner is and steps over it.
    pub(super) fn read(&mut self, scanner: &mut Scanner<'_>, depth: usize) -> OnePass<Fit> {
        let before = scanner.clone();
        match self.append(scanner, depth) {
            Ok(()) => Ok(Fit::Fits),
            Err(Refused::Unfit(_)) => {
                *scanner = before;
                scanner.value(depth)?;
                self.push_null()?;
                Ok(Fit::Bad)
            }
            Err(Refused::Malformed(malformed)) => Err(malformed.into()),
            Err(Refused::Full) => Err(ColumnarError::ColumnTooLarge.into()),
        }
    }

    /// As [`VariantColumn::read`], of a value that was found well-formed at `span`.
    pub(super) fn push(&mut self, options: &JsonOptions, input: &[u8], span: Span) -> Result<Fit> {
        let begun = self.begin();
        let written = if span.is_object() || span.is_list() {
            self.value(&mut Scanner::new(span.bytes(input), options.syntax), 0)
        } else {
            self.single(input, span, 0)
        };
        match written.and_then(|()| self.finish(begun)) {
            Ok(()) => Ok(Fit::Fits),
            Err(Refused::Full) => Err(ColumnarError::ColumnTooLarge),
            Err(_) => {
                self.take_back(begun);
                self.push_null()?;
                Ok(Fit::Bad)
            }
        }
    }

    /// Appends the value where the scanner is and steps over it; nothing is appended if it is refused.
    pub(super) fn append(&mut self, scanner: &mut Scanner<'_>, depth: usize) -> std::result::Result<(), Refused> {
        let begun = self.begin();
        let written = self.value(scanner, depth).and_then(|()| self.finish(begun));
        if written.is_err() {
            self.take_back(begun);
        }
        written
    }

    /// As [`VariantColumn::append`], of a value that is all that counts of its input. What follows it is not looked at,
    /// but that a number ends there, as in Spark.
    pub(super) fn append_whole(&mut self, scanner: &mut Scanner<'_>) -> std::result::Result<(), Refused> {
        let begun = self.begin();
        let is_number = matches!(scanner.rest(), [b'0'..=b'9', ..] | [b'-', b'0'..=b'9', ..]);
        let written = self.value(scanner, 0).and_then(|()| {
            if is_number && matches!(scanner.rest().first(), Some(b',' | b']' | b'}')) {
                scanner.malformed::<()>("the end of the value expected")?;
            }
            self.finish(begun)
        });
        if written.is_err() {
            self.take_back(begun);
        }
        written
    }

    /// How many bytes there are of earlier values, and of their dictionaries.
    fn begin(&mut self) -> (usize, usize) {
        self.writer.begin();
        (self.values.data_mut().len(), self.dictionaries.data_mut().len())
    }

    fn finish(&mut self, begun: (usize, usize)) -> std::result::Result<(), Refused> {
        let size = self.values.data_mut().len().saturating_sub(begun.0);
        let written = self.writer.finish(size, self.dictionaries.data_mut());
        written.map_err(|unfit| refused(unfit, 0))?;
        self.values.seal(true).map_err(|_| Refused::Full)?;
        self.dictionaries.seal(true).map_err(|_| Refused::Full)?;
        self.nulls.append_non_null();
        Ok(())
    }

    fn take_back(&mut self, begun: (usize, usize)) {
        self.values.data_mut().truncate(begun.0);
        self.dictionaries.data_mut().truncate(begun.1);
    }

    fn value(&mut self, scanner: &mut Scanner<'_>, depth: usize) -> std::result::Result<(), Refused> {
        scanner.skip_space();
        let below = depth.saturating_add(1);
        if scanner.is_at(b'{') {
            let begun = self.writer.begin_object(self.values.data_mut());
            scanner.object(depth, |name, scanner| {
                self.name(begun, scanner.input(), name, scanner.position())?;
                self.value(scanner, below)
            })?;
            let ended = self.writer.end_object(begun, self.values.data_mut());
            return ended.map_err(|unfit| refused(unfit, scanner.position()));
        }
        if scanner.is_at(b'[') {
            let begun = self.writer.begin_list(self.values.data_mut());
            scanner.list(depth, |scanner| {
                self.writer.element(begun, self.values.data_mut());
                self.value(scanner, below)
            })?;
            let ended = self.writer.end_list(begun, self.values.data_mut());
            return ended.map_err(|unfit| refused(unfit, scanner.position()));
        }
        let span = scanner.value(depth)?;
        self.single(scanner.input(), span, scanner.position())
    }

    fn name(
        &mut self,
        begun: crate::variant::Begun,
        input: &[u8],
        name: Span,
        at: usize,
    ) -> std::result::Result<(), Refused> {
        let Self {
            values,
            writer,
            characters,
            ..
        } = self;
        let text = characters_of(input, name, characters).ok_or_else(|| half_pair(at))?;
        writer.name(begun, &text, values.data_mut());
        Ok(())
    }

    /// Appends a value that holds no others.
    fn single(&mut self, input: &[u8], span: Span, at: usize) -> std::result::Result<(), Refused> {
        let Self { values, characters, .. } = self;
        let out = values.data_mut();
        let bytes = span.bytes(input);
        match span.kind {
            Kind::True => push_boolean(out, true),
            Kind::False => push_boolean(out, false),
            Kind::Integer => match number::integer(bytes) {
                Some(value) => push_integer(out, value),
                None => push_fraction(out, bytes),
            },
            Kind::Float => push_fraction(out, bytes),
            Kind::NonFinite => push_double(out, number::non_finite(bytes).unwrap_or(f64::NAN)),
            Kind::Text | Kind::EscapedText => {
                let text = characters_of(input, span, characters).ok_or_else(|| half_pair(at))?;
                push_text(out, &text).map_err(|unfit| refused(unfit, at))?;
            }
            Kind::Missing | Kind::Null | Kind::Object | Kind::List => push_null(out),
        }
        Ok(())
    }

    pub(super) fn push_null(&mut self) -> Result<()> {
        self.values.push(Some(&[]))?;
        self.dictionaries.push(Some(&[]))?;
        self.nulls.append_null();
        Ok(())
    }

    pub(super) fn reserve(&mut self, rows: usize, bytes: usize) {
        self.values.reserve(rows, bytes);
        self.dictionaries.reserve(rows, bytes);
    }

    pub(super) fn truncate(&mut self, rows: usize) {
        self.values.truncate(rows);
        self.dictionaries.truncate(rows);
        self.nulls.truncate(rows);
    }

    pub(super) fn finish_column(&mut self) -> Result<ArrayRef> {
        let columns = vec![self.values.finish_binary()?, self.dictionaries.finish_binary()?];
        let nulls = self.nulls.finish();
        Ok(Arc::new(StructArray::try_new(self.fields.clone(), columns, nulls)?))
    }
}

/// A number with a fraction, an exponent, or more than 64 bits.
fn push_fraction(out: &mut Vec<u8>, text: &[u8]) {
    if !push_decimal(out, text) {
        push_double(out, number::double(text).unwrap_or(f64::NAN));
    }
}

/// The characters of a string as UTF-8; nothing if half a surrogate pair stands among them.
fn characters_of<'a>(input: &'a [u8], span: Span, scratch: &'a mut Vec<u8>) -> Option<Cow<'a, [u8]>> {
    let bytes = if span.kind == Kind::EscapedText {
        scratch.clear();
        if !text::unescape_whole(span.bytes(input), scratch) {
            return None;
        }
        scratch.as_slice()
    } else {
        span.bytes(input)
    };
    Some(match String::from_utf8_lossy(bytes) {
        Cow::Borrowed(_) => Cow::Borrowed(bytes),
        Cow::Owned(replaced) => Cow::Owned(replaced.into_bytes()),
    })
}

fn refused(unfit: Unfit, at: usize) -> Refused {
    Refused::Unfit(Malformed { at, what: unfit.text() })
}

fn half_pair(at: usize) -> Refused {
    Refused::Unfit(Malformed {
        at,
        what: "half a surrogate pair",
    })
}

#[cfg(test)]
mod tests {
    use arrow_array::Array;
    use arrow_array::cast::AsArray;

    use super::*;
    use crate::json::{Syntax, decoder};
    use crate::variant::variant_fields;

    fn column() -> VariantColumn {
        VariantColumn::new(&variant_fields()).unwrap()
    }

    /// The value and dictionary of each text; nothing for one that is refused.
    fn encoded(texts: &[&str]) -> Vec<Option<(Vec<u8>, Vec<u8>)>> {
        let mut column = column();
        for text in texts {
            if column
                .append_whole(&mut Scanner::new(text.as_bytes(), Syntax::default()))
                .is_err()
            {
                column.push_null().unwrap();
            }
        }
        let rows = column.finish_column().unwrap();
        let rows = rows.as_struct();
        let bytes = |index: usize, row: usize| rows.column(index).as_binary::<i32>().value(row).to_vec();
        (0..rows.len())
            .map(|row| rows.is_valid(row).then(|| (bytes(0, row), bytes(1, row))))
            .collect()
    }

    fn value(text: &str) -> Vec<u8> {
        encoded(&[text])[0].clone().unwrap().0
    }

    #[test]
    fn fields_are_in_the_order_of_their_names_and_names_in_that_of_their_first_use() {
        let object = vec![2, 2, 1, 0, 2, 0, 4, 0x0c, 1, 0x05, b'x'];
        let names = vec![1, 2, 0, 1, 2, b'b', b'a'];
        let found = encoded(&[r#"{"b": 1, "a": "x"}"#, r#"[{"a": 1}]"#, r#"{"b": 1, "a": "x"}"#]);
        assert_eq!(found[0], Some((object.clone(), names.clone())));
        assert_eq!(
            found[1],
            Some((vec![3, 1, 0, 7, 2, 1, 0, 0, 2, 0x0c, 1], vec![1, 1, 0, 1, b'a']))
        );
        assert_eq!(found[2], Some((object, names)), "what came before makes no difference");
    }

    #[test]
    fn numbers_take_the_fewest_bytes() {
        assert_eq!(value("-128"), [0x0c, 0x80]);
        assert_eq!(value("128"), [0x10, 0x80, 0]);
        assert_eq!(value("-32769"), [0x14, 0xff, 0x7f, 0xff, 0xff]);
        assert_eq!(value("2147483648"), [0x18, 0, 0, 0, 0x80, 0, 0, 0, 0]);
        assert_eq!(value("-1.50"), [0x20, 2, 0x6a, 0xff, 0xff, 0xff]);
        assert_eq!(value("0.0000000001"), [0x24, 10, 1, 0, 0, 0, 0, 0, 0, 0]);
        assert_eq!(value("9223372036854775808")[..2], [0x28, 0]);
        assert_eq!(value("1e2"), [&[0x1c][..], &100f64.to_le_bytes()].concat());
        assert_eq!(value(&"9".repeat(38))[0], 0x28);
        assert_eq!(value(&"9".repeat(39))[0], 0x1c);
    }

    #[test]
    fn texts_of_64_bytes_have_a_length_of_four_bytes() {
        assert_eq!(value(&format!("\"{}\"", "a".repeat(63)))[..2], [0xfd, b'a']);
        assert_eq!(
            value(&format!("\"{}\"", "a".repeat(64)))[..6],
            [0x40, 64, 0, 0, 0, b'a']
        );
        assert_eq!(value(r#""\ud83d\ude00""#), [&[0x11], "😀".as_bytes()].concat());
    }

    #[test]
    fn many_elements_and_many_bytes_widen_the_head() {
        let list = value(&format!("[{}0]", "0,".repeat(255)));
        assert_eq!(list[..8], [0x17, 0, 1, 0, 0, 0, 0, 2]);
        assert_eq!(value(&format!("[\"{}\"]", "a".repeat(70_000)))[..3], [0x0b, 1, 0]);
    }

    #[test]
    fn names_have_the_order_of_utf_16() {
        // U+FFFF is one unit, above the two that stand for U+1F600.
        assert_eq!(value("{\"\u{ffff}\": 1, \"😀\": 2}")[2..4], [1, 0]);
        assert_eq!(value("{\"\u{d7ff}\": 1, \"😀\": 2, \"a\": 3}")[2..5], [2, 0, 1]);
    }

    #[test]
    fn what_cannot_be_held_is_refused_and_leaves_nothing() {
        let refused = [
            r#"{"a": 1, "b": {"c": 1, "c": 2}}"#,
            r#"{"a": 1, "\u0061": 2}"#,
            r#""\ud83d""#,
            r#"{"\udc00": 1}"#,
            "{",
            "1]",
            "1x",
        ];
        let texts: Vec<&str> = refused.iter().flat_map(|text| [*text, "[true]"]).collect();
        for (text, found) in texts.iter().zip(encoded(&texts)) {
            let expected = (*text == "[true]").then(|| (vec![3, 1, 0, 1, 4], vec![1, 0, 0]));
            assert_eq!(found, expected, "{text}");
        }
    }

    #[test]
    fn more_names_than_are_kept_make_no_difference() {
        let many: Vec<String> = (0..12_000)
            .map(|number| format!("{{\"n{number}\": 0, \"a\": 1}}"))
            .collect();
        let texts: Vec<&str> = many.iter().map(String::as_str).collect();
        for (text, found) in texts.iter().zip(encoded(&texts)) {
            assert_eq!(found, encoded(&[text])[0], "{text}");
        }
    }

    #[test]
    fn a_field_is_null_where_it_is_missing_only() {
        let field = arrow_schema::Field::new("v", arrow_schema::DataType::Struct(variant_fields()), true);
        let mut decoder = decoder(&[&field], &JsonOptions::default()).unwrap();
        let texts = [
            r#"{"v": null}"#,
            "{}",
            r#"{"v": [1}"#,
            r#"{"v": {"a": 1, "a": 2}}"#,
            r#"{"v":  7}"#,
        ];
        let bad: Vec<bool> = (texts.iter())
            .map(|text| decoder.push(Some(text.as_bytes())).unwrap().is_some())
            .collect();
        assert_eq!(bad, [false, false, true, true, false]);
        let rows = decoder.finish().unwrap().remove(0);
        let valid: Vec<bool> = (0..rows.len()).map(|row| rows.is_valid(row)).collect();
        assert_eq!(valid, [true, false, false, false, true]);
    }
}
