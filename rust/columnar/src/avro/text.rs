//! The JSON text of schemas: a strict parser that keeps the order of an object's members.
//!
//! Values of records never come here. Text and nesting are limited by [`SCHEMA_TEXT_LIMIT`] and [`TEXT_DEPTH_LIMIT`].

use std::fmt;

/// Longest text of a schema, in bytes.
pub const SCHEMA_TEXT_LIMIT: usize = 4 << 20;

/// Deepest nesting of objects and lists in the text of a schema.
pub(crate) const TEXT_DEPTH_LIMIT: usize = 256;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Value {
    Null,
    Boolean(bool),
    /// As it is written.
    Number(String),
    Text(String),
    List(Vec<Value>),
    /// In the order of the text.
    Object(Vec<(String, Value)>),
}

impl Value {
    /// An object's member; of several with the name the last.
    pub(crate) fn get(&self, name: &str) -> Option<&Self> {
        let Self::Object(members) = self else { return None };
        (members.iter().rev()).find_map(|(key, value)| (key == name).then_some(value))
    }

    pub(crate) fn as_text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }

    pub(crate) fn as_list(&self) -> Option<&[Self]> {
        match self {
            Self::List(list) => Some(list),
            _ => None,
        }
    }

    /// A number without fraction or exponent.
    pub(crate) fn as_integer(&self) -> Option<i64> {
        match self {
            Self::Number(number) => number.parse().ok(),
            _ => None,
        }
    }

    pub(crate) fn as_double(&self) -> Option<f64> {
        match self {
            Self::Number(number) => number.parse().ok(),
            _ => None,
        }
    }
}

/// Appends `text` as a JSON string.
pub(crate) fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for character in text.chars() {
        match character {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            control if control < ' ' => {
                let _ = fmt::Write::write_fmt(out, format_args!("\\u{:04x}", u32::from(control)));
            }
            other => out.push(other),
        }
    }
    out.push('"');
}

/// Where a text stops to be JSON, and why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct TextError {
    pub(crate) at: usize,
    pub(crate) what: &'static str,
}

/// Parses a text that holds one value.
pub(crate) fn parse(text: &str) -> Result<Value, TextError> {
    if text.len() > SCHEMA_TEXT_LIMIT {
        return Err(TextError {
            at: SCHEMA_TEXT_LIMIT,
            what: "the text is longer than SCHEMA_TEXT_LIMIT",
        });
    }
    let mut parser = Parser { text, at: 0 };
    let value = parser.value(0)?;
    parser.blank();
    match parser.peek() {
        None => Ok(value),
        Some(_) => parser.fail("the value is over, the text is not"),
    }
}

struct Parser<'a> {
    text: &'a str,
    at: usize,
}

impl Parser<'_> {
    fn fail<T>(&self, what: &'static str) -> Result<T, TextError> {
        Err(TextError { at: self.at, what })
    }

    fn rest(&self) -> &[u8] {
        self.text.as_bytes().get(self.at..).unwrap_or_default()
    }

    fn peek(&self) -> Option<u8> {
        self.rest().first().copied()
    }

    fn skip(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    fn blank(&mut self) {
        let blanks = self.rest().iter().take_while(|byte| b" \t\r\n".contains(byte));
        self.skip(blanks.count());
    }

    fn takes(&mut self, byte: u8) -> bool {
        let found = self.peek() == Some(byte);
        self.skip(usize::from(found));
        found
    }

    fn value(&mut self, depth: usize) -> Result<Value, TextError> {
        if depth > TEXT_DEPTH_LIMIT {
            return self.fail("nested deeper than TEXT_DEPTH_LIMIT");
        }
        self.blank();
        match self.peek() {
            Some(b'{') => self.object(depth),
            Some(b'[') => self.list(depth),
            Some(b'"') => self.string().map(Value::Text),
            Some(b'-' | b'0'..=b'9') => self.number(),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Value, TextError> {
        for (word, value) in [
            ("null", Value::Null),
            ("true", Value::Boolean(true)),
            ("false", Value::Boolean(false)),
        ] {
            if self.rest().starts_with(word.as_bytes()) {
                self.skip(word.len());
                return Ok(value);
            }
        }
        self.fail("a value is expected")
    }

    fn object(&mut self, depth: usize) -> Result<Value, TextError> {
        self.skip(1);
        let mut members = Vec::new();
        self.blank();
        if self.takes(b'}') {
            return Ok(Value::Object(members));
        }
        loop {
            self.blank();
            if self.peek() != Some(b'"') {
                return self.fail("a name is expected");
            }
            let name = self.string()?;
            self.blank();
            if !self.takes(b':') {
                return self.fail("a colon is expected");
            }
            members.push((name, self.value(depth.saturating_add(1))?));
            self.blank();
            if self.takes(b'}') {
                return Ok(Value::Object(members));
            }
            if !self.takes(b',') {
                return self.fail("a comma or the object's end is expected");
            }
        }
    }

    fn list(&mut self, depth: usize) -> Result<Value, TextError> {
        self.skip(1);
        let mut elements = Vec::new();
        self.blank();
        if self.takes(b']') {
            return Ok(Value::List(elements));
        }
        loop {
            elements.push(self.value(depth.saturating_add(1))?);
            self.blank();
            if self.takes(b']') {
                return Ok(Value::List(elements));
            }
            if !self.takes(b',') {
                return self.fail("a comma or the list's end is expected");
            }
        }
    }

    fn digits(&mut self) -> usize {
        let count = self.rest().iter().take_while(|byte| byte.is_ascii_digit()).count();
        self.skip(count);
        count
    }

    fn number(&mut self) -> Result<Value, TextError> {
        let start = self.at;
        self.takes(b'-');
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1) {
            return self.fail("a number is expected");
        }
        if self.takes(b'.') && self.digits() == 0 {
            return self.fail("digits are expected");
        }
        if self.takes(b'e') || self.takes(b'E') {
            let _ = self.takes(b'-') || self.takes(b'+');
            if self.digits() == 0 {
                return self.fail("digits are expected");
            }
        }
        Ok(Value::Number(
            self.text.get(start..self.at).unwrap_or_default().to_owned(),
        ))
    }

    fn string(&mut self) -> Result<String, TextError> {
        self.skip(1);
        let mut out = String::new();
        loop {
            let plain = (self.rest().iter())
                .take_while(|byte| !matches!(byte, b'"' | b'\\' | 0..=0x1f))
                .count();
            out.push_str(
                self.text
                    .get(self.at..self.at.saturating_add(plain))
                    .unwrap_or_default(),
            );
            self.skip(plain);
            match self.peek() {
                Some(b'"') => {
                    self.skip(1);
                    return Ok(out);
                }
                Some(b'\\') => out.push(self.escape()?),
                _ => return self.fail("the string does not end"),
            }
        }
    }

    fn escape(&mut self) -> Result<char, TextError> {
        self.skip(1);
        let escaped = self.peek();
        self.skip(1);
        Ok(match escaped {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => self.unicode()?,
            _ => return self.fail("no such escape"),
        })
    }

    /// The code point of `\uXXXX` or of a surrogate pair; a surrogate that stands alone is replaced.
    fn unicode(&mut self) -> Result<char, TextError> {
        let first = self.unit()?;
        if (0xd800..0xdc00).contains(&first) && self.rest().starts_with(b"\\u") {
            let back = self.at;
            self.skip(2);
            let second = self.unit()?;
            if (0xdc00..0xe000).contains(&second) {
                let pair = ((first & 0x3ff) << 10 | (second & 0x3ff)).saturating_add(0x1_0000);
                return Ok(char::from_u32(pair).unwrap_or(char::REPLACEMENT_CHARACTER));
            }
            self.at = back;
        }
        Ok(char::from_u32(first).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    fn unit(&mut self) -> Result<u32, TextError> {
        let digits = self.text.get(self.at..self.at.saturating_add(4)).unwrap_or_default();
        if digits.len() != 4 || !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return self.fail("four hexadecimal digits are expected");
        }
        self.skip(4);
        u32::from_str_radix(digits, 16).or_else(|_| self.fail("four hexadecimal digits are expected"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_of_every_kind() {
        let value = parse(r#" {"a": [null, true, -1.5e3, "x\n\u00e9\ud83d\ude00\ud800"], "b": {}, "a": 7} "#).unwrap();
        assert_eq!(value.get("a"), Some(&Value::Number("7".into())));
        let Value::Object(members) = &value else {
            unreachable!("it is an object")
        };
        let text = Value::Text("x\né😀\u{fffd}".into());
        let number = Value::Number("-1.5e3".into());
        assert_eq!(
            members[0].1,
            Value::List(vec![Value::Null, Value::Boolean(true), number, text])
        );
    }

    #[test]
    fn what_is_no_json_is_refused_with_its_place() {
        for (text, at) in [
            ("", 0),
            ("[1,]", 3),
            ("{\"a\" 1}", 5),
            ("\"a", 2),
            ("01", 2),
            ("1 2", 2),
            ("\"\\x\"", 3),
        ] {
            assert_eq!(parse(text).map_err(|error| error.at), Err(at), "{text}");
        }
        assert!(parse(&"[".repeat(10_000)).is_err());
    }
}
