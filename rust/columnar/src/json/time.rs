//! Dates and timestamps as Spark's casts from strings read them.

const MICROS_PER_SECOND: i64 = 1_000_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Days since the epoch of `[+-]yyyy[-[m]m[-[d]d]]`; a time of day after it is left out of account.
pub(crate) fn date(text: &[u8]) -> Option<i32> {
    let mut cursor = Cursor(text.trim_ascii());
    let days = cursor.date()?;
    let is_whole = cursor.is_done() || matches!(cursor.0.first(), Some(b'T' | b' '));
    is_whole.then(|| i32::try_from(days).ok())?
}

/// Microseconds since the epoch of a date and time; without a zone it is taken as UTC.
pub(crate) fn timestamp(text: &[u8]) -> Option<i64> {
    if let Some(micros) = common_form(text) {
        return Some(micros);
    }
    let (micros, offset_seconds) = parse(text)?;
    micros.checked_sub(offset_seconds.checked_mul(MICROS_PER_SECOND)?)
}

/// Microseconds of a local date and time; a zone in the text is left out of account.
pub(crate) fn local_timestamp(text: &[u8]) -> Option<i64> {
    parse(text).map(|(micros, _)| micros)
}

/// The form that most writers use, `yyyy-mm-ddThh:mm:ss` with `Z` or nothing after it; nothing for all others.
fn common_form(text: &[u8]) -> Option<i64> {
    let text = text.strip_suffix(b"Z").unwrap_or(text);
    let text: &[u8; 19] = text.try_into().ok()?;
    let [
        y1,
        y2,
        y3,
        y4,
        b'-',
        m1,
        m2,
        b'-',
        d1,
        d2,
        b'T' | b' ',
        h1,
        h2,
        b':',
        i1,
        i2,
        b':',
        s1,
        s2,
    ] = *text
    else {
        return None;
    };
    let two = |tens: u8, ones: u8| {
        let is_number = tens.is_ascii_digit() && ones.is_ascii_digit();
        is_number.then(|| i64::from(tens & 0x0f) * 10 + i64::from(ones & 0x0f))
    };
    let year = two(y1, y2)? * 100 + two(y3, y4)?;
    let days = days_from_civil(year, two(m1, m2)?, two(d1, d2)?)?;
    let (hour, minute, second) = (two(h1, h2)?, two(i1, i2)?, two(s1, s2)?);
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    Some((days * SECONDS_PER_DAY + hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND)
}

/// Local microseconds and the zone's offset in seconds.
fn parse(text: &[u8]) -> Option<(i64, i64)> {
    let mut cursor = Cursor(text.trim_ascii());
    let days = cursor.date()?;
    let midnight = days.checked_mul(SECONDS_PER_DAY)?.checked_mul(MICROS_PER_SECOND)?;
    if cursor.is_done() {
        return Some((midnight, 0));
    }
    if !(cursor.eat(b'T') || cursor.eat(b' ')) {
        return None;
    }
    let in_day = cursor.time_of_day()?;
    let zone = cursor.zone()?;
    Some((midnight.checked_add(in_day)?, zone))
}

struct Cursor<'a>(&'a [u8]);

impl Cursor<'_> {
    fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// A number of at least `min` and at most `max` digits, and how many it has.
    fn number(&mut self, min: usize, max: usize) -> Option<(i64, usize)> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count < min || count > max {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let value = digits
            .iter()
            .fold(0i64, |value, digit| value * 10 + i64::from(digit & 0x0f));
        Some((value, count))
    }

    fn date(&mut self) -> Option<i64> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let (year, _) = self.number(4, 6)?;
        let year = if negative { -year } else { year };
        let mut month = 1;
        let mut day = 1;
        if self.eat(b'-') {
            month = self.number(1, 2)?.0;
            if self.eat(b'-') {
                day = self.number(1, 2)?.0;
            }
        }
        days_from_civil(year, month, day)
    }

    fn time_of_day(&mut self) -> Option<i64> {
        let (hour, _) = self.number(1, 2)?;
        if !self.eat(b':') {
            return None;
        }
        let (minute, _) = self.number(1, 2)?;
        let mut second = 0;
        let mut micros = 0;
        if self.eat(b':') {
            second = self.number(1, 2)?.0;
            if self.eat(b'.') {
                micros = self.fraction()?;
            }
        }
        if hour > 23 || minute > 59 || second > 59 {
            return None;
        }
        Some((hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND + micros)
    }

    /// Microseconds of a fraction of up to nine digits; what is finer is cut off.
    fn fraction(&mut self) -> Option<i64> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count > 9 {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let micros = digits
            .iter()
            .take(6)
            .fold(0i64, |value, digit| value * 10 + i64::from(digit & 0x0f));
        let missing = u32::try_from(6usize.saturating_sub(count)).unwrap_or(0);
        Some(micros * 10i64.pow(missing))
    }

    /// The offset in seconds of `Z`, `UTC`, `GMT`, `UT` or `±h[h][:mm[:ss]]` with or without such a word before it;
    /// nothing means UTC.
    fn zone(&mut self) -> Option<i64> {
        self.0 = self.0.trim_ascii_start();
        if self.is_done() {
            return Some(0);
        }
        if self.0 == b"Z" || self.0 == b"z" {
            return Some(0);
        }
        for word in [&b"UTC"[..], b"GMT", b"UT"] {
            if let Some(rest) = self.0.strip_prefix(word) {
                if rest.is_empty() {
                    return Some(0);
                }
                self.0 = rest;
                break;
            }
        }
        let negative = self.eat(b'-');
        if !negative && !self.eat(b'+') {
            return None;
        }
        let (hours, digits) = self.number(1, 4)?;
        let (hours, minutes) = match digits {
            1 | 2 if self.eat(b':') => (hours, self.number(1, 2)?.0),
            1 | 2 => (hours, 0),
            4 => (hours / 100, hours % 100),
            _ => return None,
        };
        let seconds = if self.eat(b':') { self.number(2, 2)?.0 } else { 0 };
        let offset = hours * 3600 + minutes * 60 + seconds;
        if !self.is_done() || minutes > 59 || seconds > 59 || offset > 18 * 3600 {
            return None;
        }
        Some(if negative { -offset } else { offset })
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar; nothing for a day that does not exist.
fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
    let leap = year.rem_euclid(4) == 0 && (year.rem_euclid(100) != 0 || year.rem_euclid(400) == 0);
    let days_in_month = match month {
        1 | 3 | 5 | 7 | 8 | 10 | 12 => 31,
        4 | 6 | 9 | 11 => 30,
        2 if leap => 29,
        2 => 28,
        _ => return None,
    };
    if !(1..=days_in_month).contains(&day) {
        return None;
    }
    // Years begin in March, so that the leap day is a year's last.
    let shifted = if month <= 2 { year - 1 } else { year };
    let era = shifted.div_euclid(400);
    let year_of_era = shifted.rem_euclid(400);
    let month_from_march = (month + 9) % 12;
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    Some(era * 146_097 + day_of_era - 719_468)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_days_since_the_epoch() {
        for (text, days) in [
            ("1970-01-01", Some(0)),
            ("1969-12-31", Some(-1)),
            ("2013-1-1", Some(15_706)),
            ("2000-02-29", Some(11_016)),
            ("2013", Some(15_706)),
            ("2013-01", Some(15_706)),
            ("2013-01-01T05:00:00Z", Some(15_706)),
            (" 2013-01-01 ", Some(15_706)),
            ("0001-01-01", Some(-719_162)),
            ("1900-02-29", None),
            ("2013-13-01", None),
            ("2013-01-01x", None),
            ("13-01-01", None),
            ("", None),
            ("20130101", None),
        ] {
            assert_eq!(date(text.as_bytes()), days, "{text}");
        }
    }

    #[test]
    fn timestamps_are_microseconds_in_utc() {
        for (text, micros) in [
            ("1970-01-01T00:00:00Z", Some(0)),
            ("1970-01-01 00:00:01.5", Some(1_500_000)),
            ("1970-01-01T00:00:00.123456789Z", Some(123_456)),
            ("1970-01-01T01:00:00+01:00", Some(0)),
            ("1970-01-01T01:00:00+0100", Some(0)),
            ("1970-01-01T01:00:00 GMT+1", Some(0)),
            ("1969-12-31T19:00-5", Some(0)),
            ("1970-01-01 UTC", None),
            ("1970-01-02", Some(86_400_000_000)),
            ("2013-01-01T05:00:00Z", Some(1_357_016_400_000_000)),
            ("1970-01-01T24:00:00Z", None),
            ("1970-01-01T00:60:00Z", None),
            ("1970-01-01T05Z", None),
            ("1970-01-01T00:00:00+19:00", None),
            ("1970-01-01T00:00:00 Europe", None),
            ("yesterday", None),
        ] {
            assert_eq!(timestamp(text.as_bytes()), micros, "{text}");
        }
        assert_eq!(local_timestamp(b"1970-01-01T01:00:00+01:00"), Some(3_600_000_000));
    }
}
