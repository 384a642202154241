//! Finds where JSON values begin and end, and checks that they are well-formed; converts nothing.
//!
//! The grammar is the one that Spark's JSON reader accepts: RFC 8259, and beyond it what [`Syntax`] allows, by default
//! single-quoted strings and the words for not-a-number and infinity.

use crate::lanes::{self, plain_prefix};
use crate::scalar::number::DIGITS_LIMIT;

/// Deepest nesting of objects and lists in a value, as in Spark's JSON reader.
pub const NESTING_LIMIT: usize = 1000;

/// What is allowed beyond RFC 8259, by the names of Spark's options.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is an option of its own")]
pub struct Syntax {
    /// `allowComments`: as in C and in C++.
    pub comments: bool,
    /// `allowUnquotedFieldNames`.
    pub unquoted_names: bool,
    /// `allowSingleQuotes`.
    pub single_quotes: bool,
    /// `allowNumericLeadingZeros`.
    pub leading_zeros: bool,
    /// `allowNonNumericNumbers`: `NaN`, `Infinity`, `-Infinity`, `+Infinity`, `-INF`, `+INF`.
    pub non_numeric: bool,
    /// `allowBackslashEscapingAnyCharacter`.
    pub any_escape: bool,
    /// `allowUnquotedControlChars`.
    pub control_characters: bool,
}

impl Default for Syntax {
    fn default() -> Self {
        Self {
            comments: false,
            unquoted_names: false,
            single_quotes: true,
            leading_zeros: false,
            non_numeric: true,
            any_escape: false,
            control_characters: false,
        }
    }
}

/// Why a value is no JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Malformed {
    /// Position in the value.
    pub(crate) at: usize,
    /// What stands there, or should.
    pub(crate) what: &'static str,
}

/// What a value is, as far as its first byte and its escapes tell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The object has no such field.
    #[default]
    Missing,
    Null,
    True,
    False,
    Integer,
    /// A number with a fraction or an exponent.
    Float,
    /// NaN or an infinity.
    NonFinite,
    /// A string without escapes; the span is what stands between the quotes.
    Text,
    /// A string with escapes; the span is what stands between the quotes.
    EscapedText,
    Object,
    List,
}

/// Where a value stands in its input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Span {
    pub(crate) kind: Kind,
    start: usize,
    end: usize,
}

impl Span {
    /// Whether the field is missing or null.
    #[inline]
    pub(crate) fn is_null(self) -> bool {
        matches!(self.kind, Kind::Missing | Kind::Null)
    }

    /// Whether it is an object.
    pub(crate) fn is_object(self) -> bool {
        self.kind == Kind::Object
    }

    /// Whether it is a list.
    pub(crate) fn is_list(self) -> bool {
        self.kind == Kind::List
    }

    /// The bytes of the value; of a string, those between its quotes.
    pub(crate) fn bytes<'a>(&self, input: &'a [u8]) -> &'a [u8] {
        input.get(self.start..self.end).unwrap_or_default()
    }
}

pub(super) type Scanned<T> = std::result::Result<T, Malformed>;

/// A cursor over one value.
#[derive(Clone, Debug)]
pub(crate) struct Scanner<'a> {
    input: &'a [u8],
    at: usize,
    syntax: Syntax,
}

impl<'a> Scanner<'a> {
    pub(crate) fn new(input: &'a [u8], syntax: Syntax) -> Self {
        Self { input, at: 0, syntax }
    }

    /// What is wrong here.
    pub(crate) fn malformed<T>(&self, what: &'static str) -> Scanned<T> {
        Err(Malformed { at: self.at, what })
    }

    #[inline]
    fn peek(&self) -> Option<u8> {
        self.input.get(self.at).copied()
    }

    #[inline]
    fn advance(&mut self) {
        self.at = self.at.saturating_add(1);
    }

    /// Steps over white space: mostly there is none, or one blank.
    #[inline]
    pub(crate) fn skip_space(&mut self) {
        if self.peek() == Some(b' ') {
            self.advance();
        }
        if let Some(0..=b' ' | b'/') = self.peek() {
            self.skip_more_space();
        }
    }

    #[inline(never)]
    fn skip_more_space(&mut self) {
        loop {
            match self.peek() {
                Some(b' ' | b'\n' | b'\r' | b'\t') => self.advance(),
                Some(b'/') if self.syntax.comments => {
                    if !self.skip_comment() {
                        return;
                    }
                }
                _ => return,
            }
        }
    }

    /// Steps over a comment, if it is one and ends.
    fn skip_comment(&mut self) -> bool {
        let rest = self.input.get(self.at.saturating_add(2)..).unwrap_or_default();
        let length = match self.input.get(self.at.saturating_add(1)) {
            Some(b'/') => Some(rest.iter().position(|byte| *byte == b'\n').unwrap_or(rest.len())),
            Some(b'*') => rest
                .windows(2)
                .position(|pair| pair == b"*/")
                .map(|end| end.saturating_add(2)),
            _ => None,
        };
        if let Some(length) = length {
            self.at = self.at.saturating_add(2).saturating_add(length);
        }
        length.is_some()
    }

    /// Whether only white space is left.
    pub(crate) fn is_blank(&mut self) -> bool {
        self.skip_space();
        self.peek().is_none()
    }

    #[inline]
    fn expect(&mut self, byte: u8, what: &'static str) -> Scanned<()> {
        if self.peek() == Some(byte) {
            self.advance();
            return Ok(());
        }
        self.malformed(what)
    }

    /// The bytes that spans are of.
    pub(crate) fn input(&self) -> &'a [u8] {
        self.input
    }

    /// What comes next.
    #[inline]
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.input.get(self.at..).unwrap_or_default()
    }

    /// Steps over bytes that were looked at.
    #[inline]
    pub(crate) fn step(&mut self, count: usize) {
        self.at = self.at.saturating_add(count);
    }

    /// Whether this byte comes next.
    #[inline]
    pub(crate) fn is_at(&self, byte: u8) -> bool {
        self.peek() == Some(byte)
    }

    /// Position in the input.
    pub(crate) fn position(&self) -> usize {
        self.at
    }

    /// Steps over `literal` if that is what comes next.
    #[inline]
    pub(crate) fn eat(&mut self, literal: &[u8]) -> bool {
        let found = lanes::begins_with(self.rest(), literal);
        if found {
            self.at = self.at.saturating_add(literal.len());
        }
        found
    }

    /// Whether the object ends here, right after a value; steps over its end.
    #[inline]
    pub(crate) fn at_object_end(&mut self) -> bool {
        let ends = self.peek() == Some(b'}');
        if ends {
            self.advance();
        }
        ends
    }

    /// Steps over what begins an object, or stands between two fields, and over the name and colon of the next field:
    /// gives the name as a span of text, nothing at the end of the object.
    #[inline(never)]
    pub(crate) fn field_name(&mut self, is_first: bool) -> Scanned<Option<Span>> {
        self.skip_space();
        if is_first {
            self.expect(b'{', "an object expected")?;
            self.skip_space();
        }
        match self.peek() {
            Some(b'}') => {
                self.advance();
                return Ok(None);
            }
            Some(b',') if !is_first => {
                self.advance();
                self.skip_space();
            }
            Some(_) if is_first => {}
            _ => return self.malformed("a comma or the end of the object expected"),
        }
        let name = match self.peek() {
            Some(b'"') => self.text(b'"')?,
            Some(b'\'') if self.syntax.single_quotes => self.single_quoted()?,
            Some(_) if self.syntax.unquoted_names => self.unquoted_name()?,
            _ => return self.malformed("a field name expected"),
        };
        self.skip_space();
        self.expect(b':', "a colon expected")?;
        Ok(Some(name))
    }

    fn unquoted_name(&mut self) -> Scanned<Span> {
        let start = self.at;
        let is_part = |byte: &u8| {
            byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'$' | b'@' | b'#' | b'*' | b'-' | b'+' | 0x80..)
        };
        let rest = self.input.get(start..).unwrap_or_default();
        let length = rest.iter().take_while(|byte| is_part(byte)).count();
        if length == 0 {
            return self.malformed("a field name expected");
        }
        self.at = start.saturating_add(length);
        Ok(Span {
            kind: Kind::Text,
            start,
            end: self.at,
        })
    }

    /// Steps over an object; `field` gets each name (as a span of text) and steps over its value.
    pub(crate) fn object<E: From<Malformed>>(
        &mut self,
        depth: usize,
        mut field: impl FnMut(Span, &mut Self) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        if depth >= NESTING_LIMIT {
            return Ok(self.malformed("nested too deeply")?);
        }
        let mut is_first = true;
        while let Some(name) = self.field_name(is_first)? {
            self.skip_space();
            field(name, self)?;
            is_first = false;
        }
        Ok(())
    }

    /// Steps over a list; `element` steps over each value.
    pub(crate) fn list<E: From<Malformed>>(
        &mut self,
        depth: usize,
        mut element: impl FnMut(&mut Self) -> std::result::Result<(), E>,
    ) -> std::result::Result<(), E> {
        self.skip_space();
        self.expect(b'[', "a list expected")?;
        if depth >= NESTING_LIMIT {
            return Ok(self.malformed("nested too deeply")?);
        }
        self.skip_space();
        if self.peek() == Some(b']') {
            self.advance();
            return Ok(());
        }
        loop {
            self.skip_space();
            element(self)?;
            self.skip_space();
            match self.peek() {
                Some(b',') => self.advance(),
                Some(b']') => {
                    self.advance();
                    return Ok(());
                }
                _ => return Ok(self.malformed("a comma or the end of the list expected")?),
            }
        }
    }

    /// Steps over any value.
    #[inline]
    pub(crate) fn value(&mut self, depth: usize) -> Scanned<Span> {
        self.skip_space();
        match self.peek() {
            Some(b'"') => self.text(b'"'),
            Some(b'\'') if self.syntax.single_quotes => self.single_quoted(),
            Some(b'-' | b'+' | b'0'..=b'9') => self.number(),
            Some(b'{') => {
                let start = self.at;
                let below = depth.saturating_add(1);
                self.object(depth, |_, scanner| scanner.value(below).map(|_| ()))?;
                Ok(Span {
                    kind: Kind::Object,
                    start,
                    end: self.at,
                })
            }
            Some(b'[') => {
                let start = self.at;
                let below = depth.saturating_add(1);
                self.list(depth, |scanner| scanner.value(below).map(|_| ()))?;
                Ok(Span {
                    kind: Kind::List,
                    start,
                    end: self.at,
                })
            }
            Some(b't') => self.word(b"true", Kind::True),
            Some(b'f') => self.word(b"false", Kind::False),
            Some(b'n') => self.word(b"null", Kind::Null),
            Some(b'N') if self.syntax.non_numeric => self.word(b"NaN", Kind::NonFinite),
            Some(b'I') if self.syntax.non_numeric => self.word(b"Infinity", Kind::NonFinite),
            _ => self.malformed("a value expected"),
        }
    }

    fn word(&mut self, word: &'static [u8], kind: Kind) -> Scanned<Span> {
        let start = self.at;
        let end = start.saturating_add(word.len());
        if self.input.get(start..end) != Some(word) {
            return self.malformed("an unknown word");
        }
        self.at = end;
        if self
            .peek()
            .is_some_and(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
        {
            return self.malformed("an unknown word");
        }
        Ok(Span { kind, start, end })
    }

    fn infinity(&mut self, start: usize) -> Scanned<Span> {
        let long = self
            .input
            .get(self.at..)
            .is_some_and(|rest| rest.starts_with(b"Infinity"));
        let span = self.word(if long { b"Infinity" } else { b"INF" }, Kind::NonFinite)?;
        Ok(Span { start, ..span })
    }

    fn number(&mut self) -> Scanned<Span> {
        let start = self.at;
        let sign = self.peek().filter(|byte| matches!(byte, b'-' | b'+'));
        if let Some(sign) = sign {
            self.advance();
            if self.peek() == Some(b'I') && self.syntax.non_numeric {
                return self.infinity(start);
            }
            if sign == b'+' {
                return self.malformed("a number with a plus sign");
            }
        }
        let leading_zero = self.peek() == Some(b'0');
        let digits = self.digits();
        if digits == 0 || (leading_zero && digits > 1 && !self.syntax.leading_zeros) {
            return self.malformed("a number expected");
        }
        let mut kind = Kind::Integer;
        if self.peek() == Some(b'.') {
            self.advance();
            kind = Kind::Float;
            if self.digits() == 0 {
                return self.malformed("digits after the decimal point expected");
            }
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.advance();
            kind = Kind::Float;
            if let Some(b'+' | b'-') = self.peek() {
                self.advance();
            }
            if self.digits() == 0 {
                return self.malformed("digits in the exponent expected");
            }
        }
        match self.peek() {
            None | Some(b',' | b'}' | b']' | b' ' | b'\n' | b'\r' | b'\t') => {}
            Some(b'/') if self.syntax.comments => {}
            Some(_) => return self.malformed("a number expected"),
        }
        let span = Span {
            kind,
            start,
            end: self.at,
        };
        if self.at.saturating_sub(start) > DIGITS_LIMIT
            && span
                .bytes(self.input)
                .iter()
                .filter(|byte| byte.is_ascii_digit())
                .count()
                > DIGITS_LIMIT
        {
            return self.malformed("a number of too many digits");
        }
        Ok(span)
    }

    #[inline]
    fn digits(&mut self) -> usize {
        let count = lanes::count_digits(self.rest());
        self.at = self.at.saturating_add(count);
        count
    }

    /// The rarer kind of string stands apart, so that the common one is part of its callers.
    #[inline(never)]
    fn single_quoted(&mut self) -> Scanned<Span> {
        self.text(b'\'')
    }

    /// Steps over a string and looks for its end sixteen bytes at a time.
    #[inline(always)]
    #[expect(
        clippy::inline_always,
        reason = "the loop that every flat object spends most of its time in"
    )]
    fn text(&mut self, quote: u8) -> Scanned<Span> {
        self.advance();
        let start = self.at;
        let mut kind = Kind::Text;
        loop {
            self.at = self
                .at
                .saturating_add(plain_prefix(self.input.get(self.at..).unwrap_or_default(), quote));
            match self.peek() {
                Some(byte) if byte == quote => {
                    let end = self.at;
                    self.advance();
                    return Ok(Span { kind, start, end });
                }
                Some(b'\\') => {
                    kind = Kind::EscapedText;
                    self.escape()?;
                }
                Some(0..=0x1f) if !self.syntax.control_characters => {
                    return self.malformed("a control character in a string");
                }
                Some(_) => self.advance(),
                None => return self.malformed("the end of a string expected"),
            }
        }
    }

    fn escape(&mut self) -> Scanned<()> {
        self.advance();
        match self.peek() {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => {
                self.advance();
                Ok(())
            }
            Some(b'\'') if self.syntax.single_quotes => {
                self.advance();
                Ok(())
            }
            Some(b'u') => {
                let digits = self.at.saturating_add(1);
                let end = digits.saturating_add(4);
                if !self
                    .input
                    .get(digits..end)
                    .is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
                {
                    return self.malformed("four hexadecimal digits expected");
                }
                self.at = end;
                Ok(())
            }
            Some(_) if self.syntax.any_escape => {
                self.advance();
                Ok(())
            }
            _ => self.malformed("an unknown escape"),
        }
    }
}
