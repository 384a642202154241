//! Splits a line into its fields, as the parser that Spark uses does (univocity, `STOP_AT_DELIMITER`).
//!
//! A quoted field ends at a quote before a separator. One with a quote in it that is not escaped is taken as it is
//! written, quotes included, up to the next separator.

use super::CsvOptions;

/// Where a field's bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    /// Nothing stands between the separators.
    Null,
    /// A pair of quotes with nothing in it.
    Empty,
    /// In the line.
    Line(usize, usize),
    /// In the buffer of those that had to be written anew.
    Buffer(usize, usize),
}

/// Splits one line after the other.
#[derive(Debug)]
pub(crate) struct Splitter {
    separator: Vec<u8>,
    quote: Option<u8>,
    escape: Option<u8>,
    comment: Option<u8>,
    trims_start: bool,
    trims_end: bool,
    columns_max: usize,
    field_bytes_max: usize,
    tokens: Vec<Token>,
    buffer: Vec<u8>,
}

/// How a quoted field ended, and where what follows begins.
enum Quoted {
    /// Before a separator, or at the end of the line.
    Ended(usize),
    /// It is not a quoted field after all: from here it goes on to the next separator as it is written. If it goes on to
    /// the end of the line, univocity closes it where a quote stands second after the white space.
    Open { at: usize, closes_at_end: bool },
}

impl Splitter {
    pub(crate) fn new(options: &CsvOptions) -> Self {
        Self {
            separator: options.separator.clone().into_bytes(),
            quote: options.quote,
            escape: options.escape,
            comment: options.comment,
            trims_start: options.ignores_leading_white_space,
            trims_end: options.ignores_trailing_white_space,
            columns_max: options.columns_max,
            field_bytes_max: options.field_bytes_max,
            tokens: Vec::new(),
            buffer: Vec::new(),
        }
    }

    /// How many fields the last line has.
    pub(crate) fn count(&self) -> usize {
        self.tokens.len()
    }

    /// A field of the last line.
    pub(crate) fn token(&self, position: usize) -> Option<Token> {
        self.tokens.get(position).copied()
    }

    /// The bytes of a field of the last line.
    pub(crate) fn bytes<'a>(&'a self, line: &'a [u8], token: Token) -> &'a [u8] {
        match token {
            Token::Line(start, end) => line.get(start..end).unwrap_or_default(),
            Token::Buffer(start, end) => self.buffer.get(start..end).unwrap_or_default(),
            Token::Null | Token::Empty => &[],
        }
    }

    /// Finds the fields of a line.
    ///
    /// # Errors
    /// What makes it none.
    pub(crate) fn split(&mut self, line: &[u8]) -> Result<(), &'static str> {
        self.tokens.clear();
        self.buffer.clear();
        if line.is_empty() {
            return Err("the line is empty");
        }
        if line.first().is_some_and(|first| Some(*first) == self.comment) {
            return Err("the line is a comment");
        }
        let mut at = 0usize;
        loop {
            if self.tokens.len() >= self.columns_max {
                return Err("the line has too many fields");
            }
            if self.trims_start {
                at = self.skip_space(line, at);
            }
            let (token, end) = match line.get(at) {
                Some(byte) if Some(*byte) == self.quote => self.quoted(line, at.saturating_add(1)),
                _ => self.plain(line, at),
            };
            if let Token::Line(start, end) | Token::Buffer(start, end) = token
                && end.saturating_sub(start) > self.field_bytes_max
            {
                return Err("a field of the line is too long");
            }
            self.tokens.push(token);
            if end >= line.len() {
                return Ok(());
            }
            at = end.saturating_add(self.separator.len());
        }
    }

    #[inline]
    fn is_separator(&self, line: &[u8], at: usize) -> bool {
        match self.separator.as_slice() {
            [byte] => line.get(at) == Some(byte),
            separator => line.get(at..).is_some_and(|rest| rest.starts_with(separator)),
        }
    }

    /// Where the next separator begins, or the line ends.
    #[inline]
    fn next_separator(&self, line: &[u8], at: usize) -> usize {
        let rest = line.get(at..).unwrap_or_default();
        let found = match self.separator.as_slice() {
            [byte] => rest.iter().position(|other| other == byte),
            separator => rest.windows(separator.len()).position(|window| window == separator),
        };
        found.map_or(line.len(), |length| at.saturating_add(length))
    }

    /// The first byte that is no white space, or begins a separator.
    fn skip_space(&self, line: &[u8], mut at: usize) -> usize {
        while line.get(at).is_some_and(|byte| *byte <= b' ') && !self.is_separator(line, at) {
            at = at.saturating_add(1);
        }
        at
    }

    /// A field without quotes, and where it ends.
    #[inline]
    fn plain(&self, line: &[u8], at: usize) -> (Token, usize) {
        let end = self.next_separator(line, at);
        let kept = self.trimmed_end(line, at, end);
        let token = if kept > at { Token::Line(at, kept) } else { Token::Null };
        (token, end)
    }

    fn trimmed_end(&self, line: &[u8], start: usize, end: usize) -> usize {
        if !self.trims_end {
            return end;
        }
        let field = line.get(start..end).unwrap_or_default();
        let kept = field
            .iter()
            .rposition(|byte| *byte > b' ')
            .map_or(0, |last| last.saturating_add(1));
        start.saturating_add(kept)
    }

    /// A field whose first byte after the quote is at `start`, and where it ends.
    fn quoted(&mut self, line: &[u8], start: usize) -> (Token, usize) {
        if let Some(end) = self.simple_end(line, start) {
            let token = if end > start {
                Token::Line(start, end)
            } else {
                Token::Empty
            };
            return (token, end.saturating_add(1));
        }
        let begin = self.buffer.len();
        match self.unescape(line, start) {
            Quoted::Ended(end) => {
                let kept = self.buffer.len();
                let token = if kept > begin {
                    Token::Buffer(begin, kept)
                } else {
                    Token::Empty
                };
                (token, end)
            }
            Quoted::Open { at, closes_at_end } => {
                if let Some(quote) = self.quote {
                    self.buffer.insert(begin, quote);
                }
                let end = self.next_separator(line, at);
                let kept = self.trimmed_end(line, at, end);
                self.buffer.extend_from_slice(line.get(at..kept).unwrap_or_default());
                if closes_at_end && end == line.len() {
                    self.buffer.extend(self.quote);
                }
                (Token::Buffer(begin, self.buffer.len()), end)
            }
        }
    }

    /// Where the closing quote is, if a separator follows it and no escape stands before it.
    fn simple_end(&self, line: &[u8], start: usize) -> Option<usize> {
        let rest = line.get(start..)?;
        let length = rest.iter().position(|byte| Some(*byte) == self.quote)?;
        let end = start.saturating_add(length);
        let before = line.get(end.checked_sub(1)?).copied();
        (before != self.escape && self.is_separator(line, end.saturating_add(1))).then_some(end)
    }

    /// Writes a quoted field to the buffer, byte by byte.
    fn unescape(&mut self, line: &[u8], start: usize) -> Quoted {
        let quote = self.quote;
        let escape = self.escape;
        // The byte before, as far as it may still mean something.
        let mut previous: Option<u8> = None;
        let mut at = start;
        while let Some(byte) = line.get(at).copied() {
            let after_quote = previous.is_some() && previous == quote;
            if after_quote && (byte <= b' ' || self.is_separator(line, at)) {
                return self.close(line, at);
            }
            let is_quote = Some(byte) == quote;
            let after_escape = previous.is_some() && previous == escape;
            previous = Some(byte);
            if is_quote && after_escape {
                self.buffer.push(byte);
                previous = None;
            } else if Some(byte) == escape && !is_quote {
                if after_escape {
                    self.buffer.push(byte);
                    previous = None;
                } else if after_quote {
                    self.buffer.extend(quote);
                }
            } else if is_quote {
                if after_quote {
                    self.buffer.push(byte);
                }
            } else if after_quote {
                self.buffer.extend(quote);
                return Quoted::Open {
                    at,
                    closes_at_end: false,
                };
            } else {
                if after_escape {
                    self.buffer.extend(escape);
                }
                self.buffer.push(byte);
            }
            at = at.saturating_add(1);
        }
        // A field that is nothing but the quote that opens it.
        if start >= line.len() {
            self.buffer.extend(quote);
        }
        Quoted::Ended(line.len())
    }

    /// After a closing quote: white space is left out before a separator; before anything else the field is open.
    fn close(&mut self, line: &[u8], at: usize) -> Quoted {
        let next = self.skip_space(line, at);
        if next >= line.len() || self.is_separator(line, next) {
            return Quoted::Ended(next);
        }
        self.buffer.extend(self.quote);
        let second = line.get(next.saturating_add(1)).copied();
        Quoted::Open {
            at,
            closes_at_end: second.is_some() && second == self.quote,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn split_with(options: &CsvOptions, line: &str) -> Vec<Option<String>> {
        let mut splitter = Splitter::new(options);
        splitter.split(line.as_bytes()).unwrap();
        (0..splitter.count())
            .map(|index| {
                let token = splitter.token(index).unwrap();
                let bytes = splitter.bytes(line.as_bytes(), token).to_vec();
                (token != Token::Null).then(|| String::from_utf8(bytes).unwrap())
            })
            .collect()
    }

    /// What univocity makes of each line, through Spark's `from_csv`.
    const LINES: [(&str, &[&str]); 44] = [
        ("1,x,2", &["1", "x", "2"]),
        (r#"1,"x,y",2"#, &["1", "x,y", "2"]),
        (r#"1,"x""y",2"#, &["1", r#""x""y""#, "2"]),
        (r#"1,"x\"y",2"#, &["1", r#"x"y"#, "2"]),
        (r#"1, "x",2"#, &["1", r#" "x""#, "2"]),
        (r#"1,"x" ,2"#, &["1", "x", "2"]),
        (r#"1,"x"z,2"#, &["1", r#""x"z"#, "2"]),
        (r#"1,x"y"z,2"#, &["1", r#"x"y"z"#, "2"]),
        (r#"1,"unclosed,2"#, &["1", "unclosed,2"]),
        ("1,\"a\nb\",2", &["1", "a\nb", "2"]),
        (r"1,x\,y,2", &["1", r"x\", "y", "2"]),
        (r#"1,"x\\",2"#, &["1", r"x\", "2"]),
        (r#"1,"x\n",2"#, &["1", r"x\n", "2"]),
        (r#"1,"x""",2"#, &["1", r#"x"""#, "2"]),
        (r#"1,"""x""",2"#, &["1", r#""""x""""#, "2"]),
        (r#"1,"x"",2"#, &["1", r#"x""#, "2"]),
        (r#"1,"a","b"c"#, &["1", "a", r#""b"c"#]),
        (r#"1,"x" y",2"#, &["1", r#""x" y""#, "2"]),
        (r#"1,"a,b" x "c,d",2"#, &["1", r#""a,b" x "c"#, r#"d""#, "2"]),
        (r#"1,"x\""y",2"#, &["1", r#""x""y""#, "2"]),
        (r#"1,"x\\"y",2"#, &["1", r#""x\"y""#, "2"]),
        (r#"1,"x\"#, &["1", "x"]),
        (r#"1,""#, &["1", "\""]),
        (r#"1,"x"""#, &["1", r#"x""#]),
        ("\"a\"\u{1},b", &["a", "b"]),
        (r#""a"  x,b"#, &[r#""a"  x"#, "b"]),
        (r#""a" "b",c"#, &[r#""a" "b""#, "c"]),
        (r#""a" , "b",c"#, &["a", r#" "b""#, "c"]),
        (r#""a\","b",c"#, &[r#""a","b""#, "c"]),
        (r#""a\\\"b",c"#, &[r#"a\"b"#, "c"]),
        (r#""a\b\"c",d"#, &[r#"a\b"c"#, "d"]),
        (r#""a\\b\"c",d"#, &[r#"a\b"c"#, "d"]),
        (r#""a"b"c",d"#, &[r#""a"b"c""#, "d"]),
        (r#""a,"b,c",d"#, &[r#""a,"b"#, r#"c""#, "d"]),
        (r#"""a,b"#, &[r#"""a"#, "b"]),
        ("\"a\n\"b,c", &["\"a\n\"b", "c"]),
        (r#""""","b""#, &[r#""""#, "b"]),
        (r#""a\"\"b",c"#, &[r#"a""b"#, "c"]),
        (r#""a\"b"#, &[r#"a"b"#]),
        (r#"""""#, &[r#"""#]),
        (r#""""""#, &[r#""""#]),
        (r#""a" "#, &["a"]),
        (r#""a"b""#, &[r#""a"b""#]),
        (r#"1,"a" b""#, &["1", r#""a" b"""#]),
    ];

    #[test]
    fn lines_are_split_as_univocity_splits_them() {
        for (line, expected) in LINES {
            let found = split_with(&CsvOptions::default(), line);
            let found: Vec<&str> = found.iter().map(|field| field.as_deref().unwrap_or("NULL")).collect();
            assert_eq!(found, expected, "{line}");
        }
    }

    #[test]
    fn a_quote_may_be_its_own_escape() {
        let options = CsvOptions {
            escape: Some(b'"'),
            ..CsvOptions::default()
        };
        let field = |line: &str| split_with(&options, line).swap_remove(1).unwrap();
        assert_eq!(field(r#"1,"x""y",2"#), r#"x"y"#);
        assert_eq!(field(r#"1,"x\"y",2"#), r#""x\"y""#);
        assert_eq!(field(r#"1,"x""",2"#), r#"x""#);
        assert_eq!(field(r#"1,"",2"#), "");
    }

    #[test]
    fn separators_may_have_several_characters() {
        let options = CsvOptions {
            separator: "||".to_owned(),
            ..CsvOptions::default()
        };
        let found = split_with(&options, r#"1||"x||y"||||z|"#);
        assert_eq!(
            found,
            [
                Some("1".to_owned()),
                Some("x||y".to_owned()),
                None,
                Some("z|".to_owned())
            ]
        );
    }

    #[test]
    fn white_space_is_left_out_on_request() {
        let options = CsvOptions {
            ignores_leading_white_space: true,
            ignores_trailing_white_space: true,
            ..CsvOptions::default()
        };
        let found = split_with(&options, " 1 ,\"  x  \" ,  ,");
        assert_eq!(found, [Some("1".to_owned()), Some("  x  ".to_owned()), None, None]);
    }

    #[test]
    fn limits_are_kept() {
        let mut splitter = Splitter::new(&CsvOptions {
            columns_max: 2,
            field_bytes_max: 3,
            ..CsvOptions::default()
        });
        assert_eq!(splitter.split(b"1,2,3"), Err("the line has too many fields"));
        assert_eq!(splitter.split(b"abcd,2"), Err("a field of the line is too long"));
        assert_eq!(splitter.split(b""), Err("the line is empty"));
        assert_eq!(splitter.split(b"abc,"), Ok(()));
        assert_eq!(splitter.count(), 2);
    }
}
