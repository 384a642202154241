//! Dates and timestamps as Spark's casts from strings read them.
//!
//! Not read: a time of day alone, which Spark takes for one of today, and zones by the name of a place.

use crate::lanes;

pub(crate) const MICROS_PER_SECOND: i64 = 1_000_000;
pub(crate) const SECONDS_PER_DAY: i64 = 86_400;
/// Most seconds that a zone is from UTC.
const ZONE_SECONDS_MAX: i64 = 18 * 3600;

/// Days since the epoch of `[+-]yyyy[-[m]m[-[d]d]]`; a time of day after a whole date is left out of account.
pub(crate) fn date(text: &[u8]) -> Option<i32> {
    plain_date(text).or_else(|| plain_date(&without_gmt(text)?))
}

fn plain_date(text: &[u8]) -> Option<i32> {
    let mut cursor = Cursor(trim(text));
    let (days, is_whole) = cursor.date(7)?;
    let ends = cursor.is_done() || (is_whole && matches!(cursor.0.first(), Some(b'T' | b' ')));
    ends.then(|| i32::try_from(days).ok())?
}

/// Microseconds since the epoch of a date and time; without a zone it is in the zone of `offset_seconds`.
#[inline]
pub(crate) fn timestamp(text: &[u8], offset_seconds: i64) -> Option<i64> {
    common_form(text, offset_seconds).or_else(|| {
        parse(text)
            .or_else(|| parse(&without_gmt(text)?))
            .and_then(|parsed| parsed.micros(offset_seconds))
    })
}

/// Microseconds of a local date and time; one with a zone is none.
pub(crate) fn local_timestamp(text: &[u8]) -> Option<i64> {
    let parsed = parse(text)?;
    parsed.zone.is_none().then(|| parsed.micros(0))?
}

/// The zone of this name as seconds from UTC: `UTC`, `GMT`, `UT`, `Z`, `EST`, `MST`, `HST`, or an offset, after the
/// first three or alone.
pub(crate) fn zone_offset(name: &[u8]) -> Option<i64> {
    match name {
        b"Z" | b"GMT0" => return Some(0),
        b"EST" => return Some(-5 * 3600),
        b"MST" => return Some(-7 * 3600),
        b"HST" => return Some(-10 * 3600),
        _ => {}
    }
    let mut cursor = Cursor(name);
    for word in [&b"UTC"[..], b"GMT", b"UT"] {
        if let Some(rest) = name.strip_prefix(word) {
            if rest.is_empty() {
                return Some(0);
            }
            cursor = Cursor(rest);
            break;
        }
    }
    let negative = cursor.eat(b'-');
    if !negative && !cursor.eat(b'+') {
        return None;
    }
    let (number, digits) = cursor.number(1, 6)?;
    let (hours, minutes, seconds) = match digits {
        1 | 2 if cursor.eat(b':') => {
            let (minutes, digits) = cursor.number(1, 2)?;
            let seconds = if digits == 2 && cursor.eat(b':') {
                cursor.number(2, 2)?.0
            } else {
                0
            };
            (number, minutes, seconds)
        }
        1 | 2 => (number, 0, 0),
        4 => (number / 100, number % 100, 0),
        6 => (number / 10_000, number / 100 % 100, number % 100),
        _ => return None,
    };
    let offset = hours * 3600 + minutes * 60 + seconds;
    if !cursor.is_done() || minutes > 59 || seconds > 59 || offset > ZONE_SECONDS_MAX {
        return None;
    }
    Some(if negative { -offset } else { offset })
}

/// What Spark makes of the text when it cannot be read: the first `GMT` in it is left out.
fn without_gmt(text: &[u8]) -> Option<Vec<u8>> {
    let at = text.windows(3).position(|word| word == b"GMT")?;
    let (before, after) = text.split_at(at);
    Some([before, after.get(3..).unwrap_or_default()].concat())
}

/// Without the white space and control characters around it.
fn trim(text: &[u8]) -> &[u8] {
    let is_kept = |byte: &u8| *byte > b' ' && *byte != 0x7f;
    match (text.iter().position(is_kept), text.iter().rposition(is_kept)) {
        (Some(start), Some(end)) => text.get(start..=end).unwrap_or_default(),
        _ => &[],
    }
}

/// The form that most writers use, `yyyy-mm-ddThh:mm:ss` with `Z` or nothing after it; nothing for all others.
#[inline]
fn common_form(text: &[u8], offset_seconds: i64) -> Option<i64> {
    let (text, offset_seconds) = match text.strip_suffix(b"Z") {
        Some(text) => (text, 0),
        None => (text, offset_seconds),
    };
    common_micros(text.try_into().ok()?, offset_seconds)
}

/// Microseconds since the epoch of `yyyy-mm-ddThh:mm:ss`, looked at eight characters at a time.
#[inline]
pub(crate) fn common_micros(text: &[u8; 19], offset_seconds: i64) -> Option<i64> {
    let [
        y1,
        y2,
        y3,
        y4,
        b1,
        m1,
        m2,
        b2,
        d1,
        d2,
        b'T' | b' ',
        h1,
        h2,
        c1,
        i1,
        i2,
        c2,
        s1,
        s2,
    ] = *text
    else {
        return None;
    };
    let [century, _, year, _, _, month, ..] = lanes::shaped_pairs([y1, y2, y3, y4, b1, m1, m2, b2], *b"0000-00-")?;
    let [hour, _, _, minute, _, _, second, _] = lanes::shaped_pairs([h1, h2, c1, i1, i2, c2, s1, s2], *b"00:00:00")?;
    if !(d1.is_ascii_digit() && d2.is_ascii_digit()) || hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    let day = i64::from(d1 & 0x0f) * 10 + i64::from(d2 & 0x0f);
    let days = days_from_civil(i64::from(century) * 100 + i64::from(year), month.into(), day)?;
    let seconds = i64::from(hour) * 3600 + i64::from(minute) * 60 + i64::from(second);
    Some((days * SECONDS_PER_DAY + seconds - offset_seconds) * MICROS_PER_SECOND)
}

/// A date and time as it stands in a text.
#[derive(Clone, Copy, Debug)]
struct Parsed {
    days: i64,
    micros_of_day: i64,
    /// Seconds from UTC, if it says.
    zone: Option<i64>,
}

impl Parsed {
    /// Microseconds since the epoch; the sum is wide because a day may begin before the first microsecond there is.
    fn micros(self, offset_seconds: i64) -> Option<i64> {
        let seconds =
            i128::from(self.days) * i128::from(SECONDS_PER_DAY) - i128::from(self.zone.unwrap_or(offset_seconds));
        i64::try_from(seconds * i128::from(MICROS_PER_SECOND) + i128::from(self.micros_of_day)).ok()
    }
}

fn parse(text: &[u8]) -> Option<Parsed> {
    let mut cursor = Cursor(trim(text));
    let (days, is_whole) = cursor.date(6)?;
    let mut parsed = Parsed {
        days,
        micros_of_day: 0,
        zone: None,
    };
    if cursor.is_done() {
        return Some(parsed);
    }
    if !is_whole || !(cursor.eat(b'T') || cursor.eat(b' ')) {
        return None;
    }
    let (hour, _) = cursor.number(1, 2)?;
    let mut minute = 0;
    let mut second = 0;
    let mut micros = 0;
    if !cursor.is_done() {
        if !cursor.eat(b':') {
            return None;
        }
        minute = cursor.number(1, 2)?.0;
    }
    // A zone is looked for only after seconds.
    if !cursor.is_done() {
        if !cursor.eat(b':') {
            return None;
        }
        second = cursor.number(1, 2)?.0;
        if cursor.eat(b'.') {
            micros = cursor.fraction();
        }
        let zone = trim(cursor.0);
        if !zone.is_empty() {
            parsed.zone = Some(zone_offset(zone)?);
        }
    }
    if hour > 23 || minute > 59 || second > 59 {
        return None;
    }
    parsed.micros_of_day = (hour * 3600 + minute * 60 + second) * MICROS_PER_SECOND + micros;
    Some(parsed)
}

/// What is left of a text.
#[derive(Debug)]
pub(crate) struct Cursor<'a>(pub(crate) &'a [u8]);

impl Cursor<'_> {
    pub(crate) fn is_done(&self) -> bool {
        self.0.is_empty()
    }

    /// Steps over a byte if that is what comes next.
    pub(crate) fn eat(&mut self, byte: u8) -> bool {
        match self.0.split_first() {
            Some((first, rest)) if *first == byte => {
                self.0 = rest;
                true
            }
            _ => false,
        }
    }

    /// A number of at least `min` and at most `max` digits, no digit after it, and how many it has.
    pub(crate) fn number(&mut self, min: usize, max: usize) -> Option<(i64, usize)> {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        if count > max {
            return None;
        }
        self.digits(min, count)
    }

    /// A number of at least `min` digits, `max` (at most 18) looked at, and how many it has.
    pub(crate) fn digits(&mut self, min: usize, max: usize) -> Option<(i64, usize)> {
        let count = self.0.iter().take(max).take_while(|byte| byte.is_ascii_digit()).count();
        if count < min || count > 18 {
            return None;
        }
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let value = digits
            .iter()
            .fold(0i64, |value, digit| value * 10 + i64::from(digit & 0x0f));
        Some((value, count))
    }

    /// Days since the epoch of `[+-]yyyy[-[m]m[-[d]d]]`, and whether it has a day.
    fn date(&mut self, year_digits_max: usize) -> Option<(i64, bool)> {
        let negative = self.eat(b'-');
        if !negative {
            self.eat(b'+');
        }
        let (year, _) = self.number(4, year_digits_max)?;
        let year = if negative { -year } else { year };
        let mut month = 1;
        let mut day = 1;
        let mut is_whole = false;
        if self.eat(b'-') {
            month = self.number(1, 2)?.0;
            if self.eat(b'-') {
                day = self.number(1, 2)?.0;
                is_whole = true;
            }
        }
        Some((days_from_civil(year, month, day)?, is_whole))
    }

    /// Microseconds of a fraction of any number of digits; what is finer is cut off.
    pub(crate) fn fraction(&mut self) -> i64 {
        let count = self.0.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let (digits, rest) = self.0.split_at(count);
        self.0 = rest;
        let micros = digits
            .iter()
            .take(6)
            .fold(0i64, |value, digit| value * 10 + i64::from(digit & 0x0f));
        let missing = u32::try_from(6usize.saturating_sub(count)).unwrap_or(0);
        micros * 10i64.pow(missing)
    }
}

/// Days since 1970-01-01 in the proleptic Gregorian calendar; nothing for a day that does not exist.
#[inline]
pub(crate) fn days_from_civil(year: i64, month: i64, day: i64) -> Option<i64> {
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

/// Year, month and day of days since 1970-01-01 in the proleptic Gregorian calendar.
pub(crate) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let shifted = days + 719_468;
    let era = shifted.div_euclid(146_097);
    let day_of_era = shifted.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1_460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = if month_from_march < 10 {
        month_from_march + 3
    } else {
        month_from_march - 9
    };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

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
            ("2013-01-01T", Some(15_706)),
            ("2013-01-01GMT", Some(15_706)),
            ("\u{1} 2013-01-01 ", Some(15_706)),
            ("0001-01-01", Some(-719_162)),
            ("5881580-07-11", Some(i32::MAX)),
            ("5881580-07-12", None),
            ("1900-02-29", None),
            ("2013-13-01", None),
            ("2013-01-01x", None),
            ("2013-01T05", None),
            ("2013-", None),
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
            ("1970-01-01T00:00:00.123456789012Z", Some(123_456)),
            ("1970-01-01T00:00:00.Z", Some(0)),
            ("1970-01-01T01:00:00+01:00", Some(0)),
            ("1970-01-01T01:00:00+0100", Some(0)),
            ("1970-01-01T01:00:00+010000", Some(0)),
            ("1970-01-01T01:02:00+1:2", Some(0)),
            ("1970-01-01T01:00:00 GMT+1", Some(0)),
            ("1970-01-01T01:00:00GMT+01:00", Some(0)),
            ("1969-12-31T19:00:00-5", Some(0)),
            ("1969-12-31T19:00:00EST", Some(0)),
            ("1970-01-01T01", Some(3_600_000_000)),
            ("1970-01-01GMT", Some(0)),
            ("1970-01-02", Some(86_400_000_000)),
            ("2013-01-01T05:00:00Z", Some(1_357_016_400_000_000)),
            ("-290308-12-21T19:59:05.224192Z", Some(i64::MIN)),
            ("-290308-12-21T19:59:05.224191Z", None),
            ("+294247-01-10T04:00:54.775807Z", Some(i64::MAX)),
            ("+294247-01-10T04:00:54.775808Z", None),
            ("1970-01-01 UTC", None),
            ("1970-01-01T19:00-5", None),
            ("1970-01-01T24:00:00Z", None),
            ("1970-01-01T00:60:00Z", None),
            ("1970-01-01T05Z", None),
            ("1970-01-01T00:00:00z", None),
            ("1970-01-01T00:00:00+123", None),
            ("1970-01-01T00:00:00+01:02:3", None),
            ("1970-01-01T00:00:00+1:", None),
            ("1970-01-01T00:00:00+19:00", None),
            ("1970-01-01T00:00:00 Europe", None),
            ("yesterday", None),
        ] {
            assert_eq!(timestamp(text.as_bytes(), 0), micros, "{text}");
        }
        assert_eq!(timestamp(b"1970-01-01T01:00:00", 3600), Some(0));
        assert_eq!(timestamp(b"1970-01-01T01:00:00Z", 3600), Some(3_600_000_000));
        assert_eq!(timestamp(b"1970-01-01T01:00", 3600), Some(0));
    }

    #[test]
    fn a_local_time_has_no_zone() {
        assert_eq!(local_timestamp(b"1970-01-01T01:00:00"), Some(3_600_000_000));
        assert_eq!(local_timestamp(b"1970-01-01T01:00:00Z"), None);
        assert_eq!(local_timestamp(b"1970-01-01GMT"), None);
    }

    proptest! {
        #[test]
        fn days_come_back(days in -150_000_000i64..150_000_000) {
            let (year, month, day) = civil_from_days(days);
            prop_assert_eq!(days_from_civil(year, month, day), Some(days));
        }
    }
}
