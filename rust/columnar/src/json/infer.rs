//! Which columns JSON values have, by the rules of Spark's `JsonInferSchema`: what `spark.read.json` finds in them.
//!
//! Numbers are longs, decimals or doubles, strings stay strings, and what two values disagree on becomes the tightest type
//! that holds both, in the end a string. Columns are in the order of their names. Where a schema is nested deeper than
//! columns can be, what lies below is a string, which gets the JSON text.

use std::cmp::Ordering;
use std::sync::Arc;

use arrow_schema::{DataType, Field, Fields, Schema};

use super::scan::{Kind, Malformed, Scanner, Span};
use super::text::unescape;
use crate::payload::{BadRecords, PayloadFormat, PayloadOptions};
use crate::projection::TYPE_NESTING_LIMIT;
use crate::{ColumnarError, JsonOptions, Result};

/// Most digits of a decimal.
const PRECISION_MAX: u8 = 38;
/// What may stand before a text in UTF-8.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";
/// Digits of a decimal that holds every long.
const LONG_DIGITS: u8 = 20;

/// What a value is, as far as columns go.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Shape {
    /// Null, an empty string or an empty list's element: any other shape goes before it.
    Null,
    Text,
    Long,
    Double,
    Boolean,
    Decimal {
        precision: u8,
        scale: u8,
    },
    List(Box<Shape>),
    /// Fields in the order of their names, each once.
    Object(Vec<(String, Shape)>),
}

/// The columns that `values` have; nothing stands for null values, which have none.
///
/// Values that are no JSON, and others than objects and lists of objects, ask for the column that gets them, or are left out,
/// or are an error, as the options say.
///
/// # Errors
/// The options are of another format; a bad value under [`BadRecords::Fail`].
pub fn infer<'a>(values: impl IntoIterator<Item = Option<&'a [u8]>>, options: &PayloadOptions) -> Result<Schema> {
    let PayloadFormat::Json(json) = &options.format else {
        return Err(ColumnarError::InferredFormat(options.format.name().to_owned()));
    };
    let root = Root { options };
    let mut found: Option<Shape> = None;
    for (index, value) in values.into_iter().enumerate() {
        let Some(value) = value else { continue };
        let failed = |reason: String| ColumnarError::NotInferred { index, reason };
        let shape = match read(value, json) {
            Ok(shape) => shape,
            Err(Malformed { at, what }) => match options.bad_records {
                BadRecords::Null => root.corrupt(Vec::new()),
                BadRecords::Drop => continue,
                BadRecords::Fail => return Err(failed(format!("no JSON: {what} at byte {at}"))),
            },
        };
        found = Some(match found {
            None => shape,
            Some(before) => root.merge(before, shape).map_err(failed)?,
        });
    }
    let last = found.unwrap_or(Shape::Null);
    let shape = root
        .merge(Shape::Object(Vec::new()), last)
        .map_err(|reason| ColumnarError::NotInferred { index: 0, reason })?;
    let fields = match data_type(shape) {
        Some(DataType::Struct(fields)) => fields,
        _ => Fields::empty(),
    };
    Ok(Schema::new(fields))
}

/// What becomes of whole values.
struct Root<'a> {
    options: &'a PayloadOptions,
}

impl Root<'_> {
    /// The fields, and the one that gets what does not fit.
    fn corrupt(&self, mut fields: Vec<(String, Shape)>) -> Shape {
        let name = &self.options.corrupt_record;
        if fields.iter().all(|(field, _)| field != name) {
            fields.push((name.clone(), Shape::Text));
            fields.sort_by(|(one, _), (other, _)| order(one, other));
        }
        Shape::Object(fields)
    }

    fn merge(&self, one: Shape, other: Shape) -> std::result::Result<Shape, String> {
        match (one, other) {
            (Shape::List(element), other) => self.merge(*element, other),
            (one, Shape::List(element)) => self.merge(one, *element),
            (Shape::Object(one), Shape::Object(other)) => Ok(compatible(Shape::Object(one), Shape::Object(other))),
            (Shape::Object(fields), Shape::Null) | (Shape::Null, Shape::Object(fields)) => Ok(Shape::Object(fields)),
            (Shape::Object(fields), _) | (_, Shape::Object(fields)) => match self.options.bad_records {
                BadRecords::Null => Ok(self.corrupt(fields)),
                BadRecords::Drop => Ok(Shape::Object(fields)),
                BadRecords::Fail => Err("neither an object nor a list of objects".to_owned()),
            },
            (one, other) => Ok(compatible(one, other)),
        }
    }
}

fn read(value: &[u8], options: &JsonOptions) -> std::result::Result<Shape, Malformed> {
    // Spark steps over the mark here, though its `from_json` does not.
    let value = value.strip_prefix(BYTE_ORDER_MARK).unwrap_or(value);
    let mut scanner = Scanner::new(value, options.syntax);
    if scanner.is_blank() {
        return Ok(Shape::Null);
    }
    shape(&mut scanner, 0)
}

fn shape(scanner: &mut Scanner<'_>, depth: usize) -> std::result::Result<Shape, Malformed> {
    scanner.skip_space();
    let below = depth.saturating_add(1);
    let found = if scanner.is_at(b'{') {
        let mut fields = Vec::new();
        scanner.object(depth, |name, scanner| {
            let name = name_of(name, scanner.input());
            fields.push((name, shape(scanner, below)?));
            Ok::<(), Malformed>(())
        })?;
        Shape::Object(by_name(fields))
    } else if scanner.is_at(b'[') {
        let mut element = Shape::Null;
        scanner.list(depth, |scanner| {
            let next = shape(scanner, below)?;
            element = compatible(std::mem::replace(&mut element, Shape::Null), next);
            Ok::<(), Malformed>(())
        })?;
        Shape::List(Box::new(element))
    } else {
        let span = scanner.value(depth)?;
        return Ok(scalar(span, span.bytes(scanner.input())));
    };
    Ok(if depth >= TYPE_NESTING_LIMIT {
        Shape::Text
    } else {
        found
    })
}

fn scalar(span: Span, bytes: &[u8]) -> Shape {
    match span.kind {
        Kind::Text if bytes.is_empty() => Shape::Null,
        Kind::Text | Kind::EscapedText => Shape::Text,
        Kind::True | Kind::False => Shape::Boolean,
        Kind::Integer => integer(bytes),
        Kind::Float | Kind::NonFinite => Shape::Double,
        Kind::Missing | Kind::Null | Kind::Object | Kind::List => Shape::Null,
    }
}

fn integer(bytes: &[u8]) -> Shape {
    if std::str::from_utf8(bytes).is_ok_and(|text| text.parse::<i64>().is_ok()) {
        return Shape::Long;
    }
    let zeros = bytes.iter().take_while(|byte| matches!(byte, b'-' | b'0')).count();
    match u8::try_from(bytes.len().saturating_sub(zeros)) {
        Ok(precision) if precision <= PRECISION_MAX => Shape::Decimal { precision, scale: 0 },
        _ => Shape::Double,
    }
}

fn name_of(name: Span, input: &[u8]) -> String {
    let bytes = name.bytes(input);
    if name.kind != Kind::EscapedText {
        return String::from_utf8_lossy(bytes).into_owned();
    }
    let mut plain = Vec::with_capacity(bytes.len());
    unescape(bytes, &mut plain);
    String::from_utf8_lossy(&plain).into_owned()
}

/// Java's order of strings: by UTF-16 units.
fn order(one: &str, other: &str) -> Ordering {
    one.encode_utf16().cmp(other.encode_utf16())
}

/// Fields in the order of their names; a name that comes again has one field for all its values.
fn by_name(mut fields: Vec<(String, Shape)>) -> Vec<(String, Shape)> {
    fields.sort_by(|(one, _), (other, _)| order(one, other));
    let mut merged: Vec<(String, Shape)> = Vec::with_capacity(fields.len());
    for (name, shape) in fields {
        match merged.last_mut() {
            Some((last, before)) if *last == name => {
                *before = compatible(std::mem::replace(before, Shape::Null), shape);
            }
            _ => merged.push((name, shape)),
        }
    }
    merged
}

/// The tightest shape that holds two without losing anything (`TypeCoercion.findTightestCommonType`).
fn tightest(one: &Shape, other: &Shape) -> Option<Shape> {
    match (one, other) {
        (one, other) if one == other => Some(one.clone()),
        (Shape::Null, shape) | (shape, Shape::Null) => Some(shape.clone()),
        (Shape::Long, Shape::Double) | (Shape::Double, Shape::Long) => Some(Shape::Double),
        (Shape::Long, decimal @ Shape::Decimal { precision, scale })
        | (decimal @ Shape::Decimal { precision, scale }, Shape::Long)
            if precision.saturating_sub(*scale) >= LONG_DIGITS =>
        {
            Some(decimal.clone())
        }
        (Shape::List(one), Shape::List(other)) => Some(Shape::List(Box::new(tightest(one, other)?))),
        (Shape::Object(one), Shape::Object(other)) if one.len() == other.len() => {
            // Names that differ in case only are one column to Spark here, and nowhere else.
            let pairs = one.iter().zip(other);
            let fields = pairs.map(|((name, shape), (other_name, other_shape))| {
                let same = name == other_name || name.to_lowercase() == other_name.to_lowercase();
                if same {
                    Some((name.clone(), tightest(shape, other_shape)?))
                } else {
                    None
                }
            });
            Some(Shape::Object(fields.collect::<Option<_>>()?))
        }
        _ => None,
    }
}

/// A shape that holds two: the tightest, or a string.
fn compatible(one: Shape, other: Shape) -> Shape {
    if let Some(shape) = tightest(&one, &other) {
        return shape;
    }
    match (one, other) {
        (Shape::Double, Shape::Decimal { .. }) | (Shape::Decimal { .. }, Shape::Double) => Shape::Double,
        (Shape::Decimal { precision, scale }, Shape::Decimal { precision: p, scale: s }) => {
            let digits = precision.saturating_sub(scale).max(p.saturating_sub(s));
            let (precision, scale) = (digits.saturating_add(scale.max(s)), scale.max(s));
            if precision > PRECISION_MAX {
                Shape::Double
            } else {
                Shape::Decimal { precision, scale }
            }
        }
        (Shape::Long, decimal @ Shape::Decimal { .. }) | (decimal @ Shape::Decimal { .. }, Shape::Long) => {
            let long = Shape::Decimal {
                precision: LONG_DIGITS,
                scale: 0,
            };
            compatible(long, decimal)
        }
        (Shape::Object(one), Shape::Object(other)) => Shape::Object(by_name([one, other].concat())),
        (Shape::List(one), Shape::List(other)) => Shape::List(Box::new(compatible(*one, *other))),
        _ => Shape::Text,
    }
}

/// The Arrow type; nothing for objects without fields, and fields without a name are left out.
fn data_type(shape: Shape) -> Option<DataType> {
    Some(match shape {
        Shape::Null | Shape::Text => DataType::Utf8,
        Shape::Long => DataType::Int64,
        Shape::Double => DataType::Float64,
        Shape::Boolean => DataType::Boolean,
        Shape::Decimal { precision, scale } => DataType::Decimal128(precision, i8::try_from(scale).unwrap_or(0)),
        Shape::List(element) => DataType::List(Arc::new(Field::new("element", data_type(*element)?, true))),
        Shape::Object(fields) => {
            let named = fields.into_iter().filter(|(name, _)| !name.is_empty());
            let fields: Fields = named
                .filter_map(|(name, shape)| Some(Field::new(name, data_type(shape)?, true)))
                .collect();
            if fields.is_empty() {
                return None;
            }
            DataType::Struct(fields)
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn inferred(values: &[&str]) -> String {
        let options = PayloadOptions::new(PayloadFormat::Json(JsonOptions::default()));
        let schema = infer(values.iter().map(|value| Some(value.as_bytes())), &options).unwrap();
        let fields = schema.fields().iter();
        let shown = fields.map(|field| format!("{} {}", field.name(), field.data_type()));
        shown.collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn values_that_disagree_meet_in_the_tightest_type() {
        for (values, columns) in [
            (&[][..], ""),
            (&["", "null", "{}"], ""),
            (&[r#"{"b": 1, "a": true}"#], "a Boolean, b Int64"),
            (&[r#"{"a": 1}"#, r#"{"a": 1.5}"#], "a Float64"),
            (&[r#"{"a": 1}"#, r#"{"a": "x"}"#], "a Utf8"),
            (&[r#"{"a": null}"#, r#"{"a": ""}"#], "a Utf8"),
            (&[r#"{"a": ""}"#, r#"{"a": false}"#], "a Boolean"),
            (&[r#"{"a": 9223372036854775808}"#], "a Decimal128(19, 0)"),
            (&[r#"{"a": 9223372036854775808}"#, r#"{"a": 1}"#], "a Decimal128(20, 0)"),
            (
                &[r#"{"a": [1, 2.5]}"#, r#"{"a": []}"#],
                "a List(Float64, field: 'element')",
            ),
            (&[r#"{"a": 1, "a": "x"}"#], "a Utf8"),
            (&[r#"{"": 1, "e": {}}"#], ""),
            (&[r#"[{"a": 1}, {"b": 2}]"#], "a Int64, b Int64"),
            (&[r#"{"a": 1}"#, "7"], "_corrupt_record Utf8, a Int64"),
            (&[r#"{"a": 1"#, r#"{"a": 1}"#], "_corrupt_record Utf8, a Int64"),
            (&["\u{feff}{\"a\": 1}"], "a Int64"),
        ] {
            assert_eq!(inferred(values), columns, "{values:?}");
        }
    }

    #[test]
    fn what_is_nested_too_deeply_for_a_column_is_a_string() {
        let nested = |depth: usize| format!("{{\"a\": {}{}}}", "[".repeat(depth), "]".repeat(depth));
        let depth = |text: &str| inferred(&[text]).matches("List").count();
        assert_eq!(depth(&nested(99)), 99);
        assert_eq!(depth(&nested(100)), 99);
        assert_eq!(depth(&nested(999)), 99);
    }

    #[test]
    fn bad_values_are_left_out_or_named() {
        let with = |bad_records, values: &[&str]| {
            let options = PayloadOptions {
                bad_records,
                ..PayloadOptions::new(PayloadFormat::Json(JsonOptions::default()))
            };
            infer(values.iter().map(|value| Some(value.as_bytes())), &options)
        };
        let kept = with(BadRecords::Drop, &[r#"{"a": 1}"#, "{", "7"]).unwrap();
        assert_eq!(kept.fields().len(), 1);
        let error = |values| with(BadRecords::Fail, values).unwrap_err().to_string();
        assert_eq!(
            error(&[r#"{"a": 1}"#, "{1"]),
            "value 1: no JSON: a field name expected at byte 1"
        );
        assert_eq!(
            error(&[r#"{"a": 1}"#, "7"]),
            "value 1: neither an object nor a list of objects"
        );
    }
}
