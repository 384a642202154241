//! Patterns of dates and times in Java's letters, for reading and for writing.
//!
//! The letters are those that stand for numbers, English month names, halves of days and offsets:
//! `y u M L d D H h m s S a X x Z`, quotes, and brackets around what may be missing. Others are refused by name.

use std::io::Write;

use super::time::{Cursor, MICROS_PER_SECOND, SECONDS_PER_DAY, civil_from_days, days_from_civil};
use crate::Result;
use crate::options::invalid;

/// Longest pattern.
const PATTERN_BYTES_MAX: usize = 128;
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// A number of a date or time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Number {
    Month,
    Day,
    DayOfYear,
    Hour,
    /// 1 to 12, beside a half of the day.
    HalfHour,
    Minute,
    Second,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Item {
    Literal(Vec<u8>),
    /// This many digits, or one or more if it is one.
    Number(Number, usize),
    /// At least this many digits.
    Year(usize),
    /// Two digits of 2000 to 2099.
    ShortYear,
    MonthName {
        is_long: bool,
    },
    HalfDay,
    /// Up to this many digits.
    Fraction(usize),
    Offset {
        has_colon: bool,
        z_is_zero: bool,
        minutes_may_miss: bool,
    },
    /// May be missing.
    Optional(Vec<Item>),
}

impl Item {
    fn is_number(&self) -> bool {
        matches!(
            self,
            Self::Number(..) | Self::Year(_) | Self::ShortYear | Self::Fraction(_)
        )
    }
}

/// A pattern that was understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pattern {
    items: Vec<Item>,
}

/// What was read so far.
#[derive(Clone, Copy, Debug)]
struct Fields {
    year: i64,
    month: i64,
    day: i64,
    day_of_year: Option<i64>,
    hour: i64,
    half_hour: Option<i64>,
    is_afternoon: bool,
    minute: i64,
    second: i64,
    micros: i64,
    offset: Option<i64>,
}

/// A local date and time, and seconds from UTC if the text says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Read {
    pub(crate) days: i64,
    pub(crate) micros_of_day: i64,
    pub(crate) offset: Option<i64>,
}

impl Pattern {
    /// Understands a pattern; `option` is named where it cannot.
    pub(crate) fn new(option: &str, text: &str) -> Result<Self> {
        if text.is_empty() || text.len() > PATTERN_BYTES_MAX {
            return Err(invalid(option, text, "a pattern of 1 to 128 characters"));
        }
        let mut rest = text.as_bytes();
        let items = compile(&mut rest).map_err(|reason| invalid(option, text, &reason))?;
        if !rest.is_empty() {
            return Err(invalid(option, text, "a closing bracket without an opening one"));
        }
        Ok(Self { items })
    }

    /// Reads a whole text; what the pattern does not say is that of 1970-01-01T00:00:00.
    pub(crate) fn read(&self, text: &[u8]) -> Option<Read> {
        let mut cursor = Cursor(text);
        let mut fields = Fields {
            year: 1970,
            month: 1,
            day: 1,
            day_of_year: None,
            hour: 0,
            half_hour: None,
            is_afternoon: false,
            minute: 0,
            second: 0,
            micros: 0,
            offset: None,
        };
        read_items(&self.items, &mut cursor, &mut fields)?;
        if !cursor.is_done() {
            return None;
        }
        fields.resolve()
    }

    /// Appends a local date and time: whole seconds, and the microseconds of the last one.
    pub(crate) fn write(&self, seconds: i64, fraction: i64, offset_seconds: i64, out: &mut Vec<u8>) {
        let moment = Moment {
            days: seconds.div_euclid(SECONDS_PER_DAY),
            micros_of_day: seconds
                .rem_euclid(SECONDS_PER_DAY)
                .saturating_mul(MICROS_PER_SECOND)
                .saturating_add(fraction),
            offset_seconds,
        };
        write_items(&self.items, &moment, out);
    }
}

impl Read {
    /// Microseconds since the epoch; without a zone the text is in that of `offset_seconds`.
    pub(crate) fn micros(self, offset_seconds: i64) -> Option<i64> {
        let seconds =
            i128::from(self.days) * i128::from(SECONDS_PER_DAY) - i128::from(self.offset.unwrap_or(offset_seconds));
        i64::try_from(seconds * i128::from(MICROS_PER_SECOND) + i128::from(self.micros_of_day)).ok()
    }
}

impl Fields {
    fn resolve(self) -> Option<Read> {
        let days = match self.day_of_year {
            Some(day) => {
                let first = days_from_civil(self.year, 1, 1)?;
                let next = days_from_civil(self.year + 1, 1, 1)?;
                let days = first + day - 1;
                (day >= 1 && days < next).then_some(days)?
            }
            None => days_from_civil(self.year, self.month, self.day)?,
        };
        let hour = match self.half_hour {
            Some(hour @ 1..=12) => hour % 12 + if self.is_afternoon { 12 } else { 0 },
            Some(_) => return None,
            None => self.hour,
        };
        if hour > 23 || self.minute > 59 || self.second > 59 {
            return None;
        }
        let seconds = hour * 3600 + self.minute * 60 + self.second;
        Some(Read {
            days,
            micros_of_day: seconds * MICROS_PER_SECOND + self.micros,
            offset: self.offset,
        })
    }
}

/// Items up to the end or, inside of brackets, to the closing one.
fn compile(rest: &mut &[u8]) -> std::result::Result<Vec<Item>, String> {
    let mut items = Vec::new();
    while let Some((first, after)) = rest.split_first() {
        match first {
            b'[' => {
                *rest = after;
                items.push(Item::Optional(compile(rest)?));
                *rest = rest
                    .strip_prefix(b"]")
                    .ok_or("an opening bracket without a closing one")?;
            }
            b']' => return Ok(items),
            b'\'' => items.push(Item::Literal(quoted(rest)?)),
            b'a'..=b'z' | b'A'..=b'Z' => {
                let count = rest.iter().take_while(|byte| *byte == first).count();
                *rest = rest.get(count..).unwrap_or_default();
                items.push(letter(*first, count)?);
            }
            b'#' | b'{' | b'}' => return Err(format!("{:?} is reserved", char::from(*first))),
            _ => {
                *rest = after;
                items.push(Item::Literal(vec![*first]));
            }
        }
    }
    Ok(items)
}

/// What stands between quotes; two quotes are one, inside and out.
fn quoted(rest: &mut &[u8]) -> std::result::Result<Vec<u8>, String> {
    let mut text = Vec::new();
    let mut tail = rest.get(1..).unwrap_or_default();
    if let Some(after) = tail.strip_prefix(b"'") {
        *rest = after;
        return Ok(vec![b'\'']);
    }
    loop {
        tail = match tail {
            [b'\'', b'\'', after @ ..] => {
                text.push(b'\'');
                after
            }
            [b'\'', after @ ..] => {
                *rest = after;
                return Ok(text);
            }
            [byte, after @ ..] => {
                text.push(*byte);
                after
            }
            [] => return Err("a quote without its end".to_owned()),
        };
    }
}

fn letter(letter: u8, count: usize) -> std::result::Result<Item, String> {
    let number = |number| Item::Number(number, count);
    Ok(match (letter, count) {
        (b'y' | b'u', 2) => Item::ShortYear,
        (b'y' | b'u', 1..=9) => Item::Year(count),
        (b'M' | b'L', 1 | 2) => number(Number::Month),
        (b'M' | b'L', 3 | 4) => Item::MonthName { is_long: count == 4 },
        (b'd', 1 | 2) => number(Number::Day),
        (b'D', 1..=3) => number(Number::DayOfYear),
        (b'H', 1 | 2) => number(Number::Hour),
        (b'h', 1 | 2) => number(Number::HalfHour),
        (b'm', 1 | 2) => number(Number::Minute),
        (b's', 1 | 2) => number(Number::Second),
        (b'S', 1..=9) => Item::Fraction(count),
        (b'a', 1) => Item::HalfDay,
        (b'X' | b'x', 1..=3) => Item::Offset {
            has_colon: count == 3,
            z_is_zero: letter == b'X',
            minutes_may_miss: count == 1,
        },
        (b'Z', 1..=3) => Item::Offset {
            has_colon: false,
            z_is_zero: false,
            minutes_may_miss: false,
        },
        _ => {
            return Err(format!(
                "{:?} is not supported in a pattern",
                char::from(letter).to_string().repeat(count)
            ));
        }
    })
}

fn read_items(items: &[Item], cursor: &mut Cursor<'_>, fields: &mut Fields) -> Option<()> {
    for (index, item) in items.iter().enumerate() {
        let before_number = items.get(index.saturating_add(1)).is_some_and(Item::is_number);
        match item {
            Item::Literal(text) => cursor.0 = cursor.0.strip_prefix(text.as_slice())?,
            Item::Number(number, width) => {
                let (min, max) = if *width == 1 { (1, 2) } else { (*width, *width) };
                let max = if *number == Number::DayOfYear { 3 } else { max };
                fields.set(*number, cursor.digits(min, max)?.0);
            }
            Item::Year(width) => fields.year = read_year(cursor, *width, before_number)?,
            Item::ShortYear => fields.year = 2000 + cursor.digits(2, 2)?.0,
            Item::MonthName { is_long } => fields.month = read_month(cursor, *is_long)?,
            Item::HalfDay => {
                let (word, rest) = cursor.0.split_at_checked(2)?;
                cursor.0 = rest;
                fields.is_afternoon = match word.to_ascii_uppercase().as_slice() {
                    b"AM" => false,
                    b"PM" => true,
                    _ => return None,
                };
            }
            Item::Fraction(width) => {
                let (head, tail) = cursor.0.split_at(cursor.0.len().min(*width));
                let mut digits = Cursor(head);
                fields.micros = digits.fraction();
                if digits.0.len() == head.len() {
                    return None;
                }
                let read = head.len().saturating_sub(digits.0.len());
                cursor.0 = if read == head.len() {
                    tail
                } else {
                    cursor.0.get(read..)?
                };
            }
            Item::Offset {
                has_colon,
                z_is_zero,
                minutes_may_miss,
            } => fields.offset = Some(read_offset(cursor, *has_colon, *z_is_zero, *minutes_may_miss)?),
            Item::Optional(inner) => {
                let (kept, position) = (*fields, cursor.0);
                if read_items(inner, cursor, fields).is_none() {
                    *fields = kept;
                    cursor.0 = position;
                }
            }
        }
    }
    Some(())
}

impl Fields {
    fn set(&mut self, number: Number, value: i64) {
        match number {
            Number::Month => self.month = value,
            Number::Day => self.day = value,
            Number::DayOfYear => self.day_of_year = Some(value),
            Number::Hour => self.hour = value,
            Number::HalfHour => self.half_hour = Some(value),
            Number::Minute => self.minute = value,
            Number::Second => self.second = value,
        }
    }
}

/// A year; a plus sign stands, and only stands, before one that is longer than its width.
fn read_year(cursor: &mut Cursor<'_>, width: usize, before_number: bool) -> Option<i64> {
    if before_number {
        return Some(cursor.digits(width, width)?.0);
    }
    let negative = cursor.eat(b'-');
    let plus = !negative && cursor.eat(b'+');
    let (year, digits) = cursor.number(width, 9)?;
    let needs_plus = width >= 4 && digits > width && !negative;
    (plus == needs_plus).then_some(if negative { -year } else { year })
}

fn read_month(cursor: &mut Cursor<'_>, is_long: bool) -> Option<i64> {
    for (month, name) in (1..).zip(MONTHS) {
        let name = if is_long { name } else { name.get(..3).unwrap_or(name) };
        if let Some((word, rest)) = cursor.0.split_at_checked(name.len())
            && word.eq_ignore_ascii_case(name.as_bytes())
        {
            cursor.0 = rest;
            return Some(month);
        }
    }
    None
}

fn read_offset(cursor: &mut Cursor<'_>, has_colon: bool, z_is_zero: bool, minutes_may_miss: bool) -> Option<i64> {
    if z_is_zero && (cursor.eat(b'Z') || cursor.eat(b'z')) {
        return Some(0);
    }
    let negative = cursor.eat(b'-');
    if !negative && !cursor.eat(b'+') {
        return None;
    }
    let (hours, _) = cursor.digits(2, 2)?;
    let has_minutes = if has_colon {
        cursor.eat(b':').then_some(true)?
    } else {
        !minutes_may_miss || cursor.0.first().is_some_and(u8::is_ascii_digit)
    };
    let minutes = if has_minutes { cursor.digits(2, 2)?.0 } else { 0 };
    let offset = hours * 3600 + minutes * 60;
    (minutes <= 59 && offset <= 18 * 3600).then_some(if negative { -offset } else { offset })
}

/// A date and time to write.
struct Moment {
    days: i64,
    micros_of_day: i64,
    offset_seconds: i64,
}

fn write_items(items: &[Item], moment: &Moment, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(moment.days);
    let seconds = moment.micros_of_day / MICROS_PER_SECOND;
    for item in items {
        match item {
            Item::Literal(text) => out.extend_from_slice(text),
            Item::Number(number, width) => {
                let value = match number {
                    Number::Month => month,
                    Number::Day => day,
                    Number::DayOfYear => moment.days - days_from_civil(year, 1, 1).unwrap_or(moment.days) + 1,
                    Number::Hour => seconds / 3600,
                    Number::HalfHour => (seconds / 3600 + 11) % 12 + 1,
                    Number::Minute => seconds / 60 % 60,
                    Number::Second => seconds % 60,
                };
                write_padded(value, *width, out);
            }
            Item::Year(width) => write_year(year, *width, out),
            Item::ShortYear => write_padded(year.rem_euclid(100), 2, out),
            Item::MonthName { is_long } => {
                let name = usize::try_from(month - 1).ok().and_then(|index| MONTHS.get(index));
                let name = name.copied().unwrap_or_default();
                let name = if *is_long { name } else { name.get(..3).unwrap_or(name) };
                out.extend_from_slice(name.as_bytes());
            }
            Item::HalfDay => out.extend_from_slice(if seconds < SECONDS_PER_DAY / 2 { b"AM" } else { b"PM" }),
            Item::Fraction(width) => {
                let micros = moment.micros_of_day % MICROS_PER_SECOND;
                let missing = u32::try_from(6usize.saturating_sub(*width)).unwrap_or(0);
                write_padded(micros / 10i64.pow(missing), (*width).min(6), out);
                out.extend(std::iter::repeat_n(b'0', width.saturating_sub(6)));
            }
            Item::Offset {
                has_colon,
                z_is_zero,
                minutes_may_miss,
            } => {
                let offset = moment.offset_seconds;
                if *z_is_zero && offset == 0 {
                    out.push(b'Z');
                    continue;
                }
                out.push(if offset < 0 { b'-' } else { b'+' });
                write_padded(offset.abs() / 3600, 2, out);
                let minutes = offset.abs() / 60 % 60;
                if *minutes_may_miss && minutes == 0 {
                    continue;
                }
                if *has_colon {
                    out.push(b':');
                }
                write_padded(minutes, 2, out);
            }
            Item::Optional(inner) => write_items(inner, moment, out),
        }
    }
}

/// A year with the sign that tells it from a shorter one.
pub(crate) fn write_year(year: i64, width: usize, out: &mut Vec<u8>) {
    let limit = u32::try_from(width)
        .ok()
        .and_then(|width| 10i64.checked_pow(width))
        .unwrap_or(i64::MAX);
    if year < 0 {
        out.push(b'-');
    } else if width >= 4 && year >= limit {
        out.push(b'+');
    }
    write_padded(year.abs(), width, out);
}

/// A number that is not negative, with zeros before it.
pub(crate) fn write_padded(value: i64, width: usize, out: &mut Vec<u8>) {
    if width == 2 && (0..100).contains(&value) {
        let digit = |digit: i64| b'0'.saturating_add(u8::try_from(digit).unwrap_or(0));
        out.extend_from_slice(&[digit(value / 10), digit(value % 10)]);
        return;
    }
    // Writing to a vector does not fail.
    let _ = write!(out, "{value:0width$}");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pattern: &str, text: &str) -> Option<i64> {
        Pattern::new("timestampFormat", pattern)
            .unwrap()
            .read(text.as_bytes())?
            .micros(0)
    }

    const MOMENT: i64 = 1_359_695_167_000_000;

    #[test]
    fn texts_are_read_as_java_reads_them() {
        for (pattern, text, micros) in [
            ("yyyy-MM-dd HH:mm:ss", "2013-02-01 05:06:07", Some(MOMENT)),
            ("yyyy-MM-dd HH:mm:ss", "2013-2-1 5:6:7", None),
            ("yyyy-MM-dd HH:mm:ss", "2013-02-01 05:06:07.5", None),
            ("yyyy-MM-dd HH:mm:ss", "2013-02-30 05:06:07", None),
            ("yyyy-MM-dd HH:mm:ss", "02013-02-01 05:06:07", None),
            (
                "yyyy-MM-dd HH:mm:ss",
                "+12013-02-01 05:06:07",
                Some(316_929_215_167_000_000),
            ),
            (
                "yyyy-MM-dd HH:mm:ss",
                "-2013-02-01 05:06:07",
                Some(-125_688_653_633_000_000),
            ),
            ("yyyy-M-d H:m:s", "2013-2-1 5:6:7", Some(MOMENT)),
            (
                "yyyy-MM-dd HH:mm:ss.SSS",
                "2013-02-01 05:06:07.5",
                Some(MOMENT + 500_000),
            ),
            ("yyyy-MM-dd HH:mm:ss.SSS", "2013-02-01 05:06:07.1234", None),
            ("dd/MMM/yyyy:HH:mm:ss Z", "01/Feb/2013:06:06:07 +0100", Some(MOMENT)),
            ("M/d/yy h:mm a", "2/1/13 5:06 pm", Some(1_359_738_360_000_000)),
            ("yyyy-MM-dd'T'HH:mm:ssXXX", "2013-02-01T06:06:07+01:00", Some(MOMENT)),
            ("yyyy-MM-dd'T'HH:mm:ssXXX", "2013-02-01T05:06:07Z", Some(MOMENT)),
            ("yyyyMMdd'T'HHmmssX", "20130201T060607+01", Some(MOMENT)),
            ("yyyy-DDD", "2013-032", Some(1_359_676_800_000_000)),
            ("yyyy", "2013", Some(1_356_998_400_000_000)),
            ("HH:mm", "05:06", Some(18_360_000_000)),
            ("yyyy-MM-dd HH:mm:ss[.SSSSSS][XXX]", "2013-02-01 05:06:07", Some(MOMENT)),
            (
                "yyyy-MM-dd HH:mm:ss[.SSSSSS][XXX]",
                "2013-02-01 05:06:07.12-01:00",
                Some(MOMENT + 3_600_120_000),
            ),
            ("''yy''", "'13'", Some(1_356_998_400_000_000)),
        ] {
            assert_eq!(read(pattern, text), micros, "{pattern} {text}");
        }
    }

    #[test]
    fn times_are_written_as_java_writes_them() {
        for (pattern, micros, offset, text) in [
            (
                "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]",
                MOMENT + 123_456,
                0,
                "2013-02-01T05:06:07.123Z",
            ),
            (
                "yyyy-MM-dd'T'HH:mm:ss[.SSS][XXX]",
                MOMENT,
                -5400,
                "2013-02-01T05:06:07.000-01:30",
            ),
            ("dd/MM/yy h:m a", MOMENT, 0, "01/02/13 5:6 AM"),
            ("d MMMM y SSSSSSSSS X", 0, 3600, "1 January 1970 000000000 +01"),
            ("yyyy", -93_692_592_000_000_000, 0, "-0999"),
            ("yyyy D", 316_929_215_167_000_000, 0, "+12013 32"),
        ] {
            let mut out = Vec::new();
            Pattern::new("timestampFormat", pattern).unwrap().write(
                micros.div_euclid(MICROS_PER_SECOND),
                micros.rem_euclid(MICROS_PER_SECOND),
                offset,
                &mut out,
            );
            assert_eq!(String::from_utf8(out).unwrap(), text, "{pattern}");
        }
    }

    #[test]
    fn what_is_not_understood_is_named() {
        for pattern in ["", "EEE", "VV", "[yyyy", "yyyy]", "'T", "yyyy#", "G"] {
            assert!(Pattern::new("dateFormat", pattern).is_err(), "{pattern}");
        }
        let error = Pattern::new("dateFormat", "EEE, d").unwrap_err().to_string();
        assert_eq!(
            error,
            "option dateFormat=\"EEE, d\": \"EEE\" is not supported in a pattern"
        );
    }
}
