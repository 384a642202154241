//! Dates, timestamps and intervals as strings.

use crate::scalar::pattern::{Pattern, write_padded, write_year};
use crate::scalar::time::{MICROS_PER_SECOND, SECONDS_PER_DAY, civil_from_days};

use super::numbers::write_integer;

/// Appends `yyyy-MM-dd`, or what a pattern says, in quotes.
pub(super) fn write_date(days: i64, format: Option<&Pattern>, out: &mut Vec<u8>) {
    out.push(b'"');
    match format {
        None => write_day(days, out),
        Some(format) => format.write(days.saturating_mul(SECONDS_PER_DAY), 0, 0, out),
    }
    out.push(b'"');
}

fn write_day(days: i64, out: &mut Vec<u8>) {
    let (year, month, day) = civil_from_days(days);
    write_year(year, 4, out);
    out.push(b'-');
    write_padded(month, 2, out);
    out.push(b'-');
    write_padded(day, 2, out);
}

/// Appends `yyyy-MM-dd'T'HH:mm:ss.SSS` and the offset if there is one, or what a pattern says, in quotes.
pub(super) fn write_timestamp(micros: i64, offset_seconds: Option<i64>, format: Option<&Pattern>, out: &mut Vec<u8>) {
    let offset = offset_seconds.unwrap_or(0);
    // Whole seconds have room for an offset; at the ends of the range microseconds have none.
    let seconds = micros.div_euclid(MICROS_PER_SECOND).saturating_add(offset);
    let fraction = micros.rem_euclid(MICROS_PER_SECOND);
    out.push(b'"');
    if let Some(format) = format {
        format.write(seconds, fraction, offset, out);
    } else {
        let in_day = seconds.rem_euclid(SECONDS_PER_DAY);
        write_day(seconds.div_euclid(SECONDS_PER_DAY), out);
        for (before, number) in [(b'T', in_day / 3600), (b':', in_day / 60 % 60), (b':', in_day % 60)] {
            out.push(before);
            write_padded(number, 2, out);
        }
        out.push(b'.');
        write_padded(fraction / 1_000, 3, out);
        match offset_seconds {
            None => {}
            Some(0) => out.push(b'Z'),
            Some(offset) => {
                out.push(if offset < 0 { b'-' } else { b'+' });
                write_padded(offset.abs() / 3600, 2, out);
                out.push(b':');
                write_padded(offset.abs() / 60 % 60, 2, out);
            }
        }
    }
    out.push(b'"');
}

/// Appends `INTERVAL 'd hh:mm:ss.n' DAY TO SECOND` in quotes.
pub(super) fn write_duration(micros: i64, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"INTERVAL '");
    if micros < 0 {
        out.push(b'-');
    }
    let micros = micros.unsigned_abs();
    let part = |divisor: u64, modulus: u64| i64::try_from(micros / divisor % modulus).unwrap_or(0);
    write_integer(part(86_400_000_000, u64::MAX), out);
    for (before, number) in [
        (b' ', part(3_600_000_000, 24)),
        (b':', part(60_000_000, 60)),
        (b':', part(1_000_000, 60)),
    ] {
        out.push(before);
        write_padded(number, 2, out);
    }
    let mut fraction = part(1, 1_000_000);
    let mut width = 6;
    if fraction > 0 {
        while fraction % 10 == 0 {
            fraction /= 10;
            width -= 1;
        }
        out.push(b'.');
        write_padded(fraction, width, out);
    }
    out.extend_from_slice(b"' DAY TO SECOND\"");
}

/// Appends `INTERVAL 'y-m' YEAR TO MONTH` in quotes.
pub(super) fn write_months(months: i32, out: &mut Vec<u8>) {
    out.extend_from_slice(b"\"INTERVAL '");
    if months < 0 {
        out.push(b'-');
    }
    let months = i64::from(months.unsigned_abs());
    write_integer(months / 12, out);
    out.push(b'-');
    write_integer(months % 12, out);
    out.extend_from_slice(b"' YEAR TO MONTH\"");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl Fn(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn times_have_spark_s_form() {
        assert_eq!(written(|out| write_date(15_736, None, out)), "\"2013-01-31\"");
        assert_eq!(written(|out| write_date(-719_893, None, out)), "\"-0001-01-01\"");
        assert_eq!(written(|out| write_date(3_668_131, None, out)), "\"+12013-01-01\"");
        let micros = 1_359_608_767_123_456;
        let timestamp = |offset| written(|out| write_timestamp(micros, offset, None, out));
        assert_eq!(timestamp(Some(0)), "\"2013-01-31T05:06:07.123Z\"");
        assert_eq!(timestamp(Some(7_200)), "\"2013-01-31T07:06:07.123+02:00\"");
        assert_eq!(timestamp(Some(-5_400)), "\"2013-01-31T03:36:07.123-01:30\"");
        assert_eq!(timestamp(None), "\"2013-01-31T05:06:07.123\"");
        assert_eq!(
            written(|out| write_timestamp(-1, None, None, out)),
            "\"1969-12-31T23:59:59.999\""
        );
        assert_eq!(
            written(|out| write_timestamp(i64::MAX, Some(3_600), None, out)),
            "\"+294247-01-10T05:00:54.775+01:00\""
        );
        assert_eq!(
            written(|out| write_timestamp(i64::MIN, Some(-3_600), None, out)),
            "\"-290308-12-21T18:59:05.224-01:00\""
        );
        for (micros, text) in [
            (93_784_500_000, "1 02:03:04.5"),
            (-93_784_000_000, "-1 02:03:04"),
            (1, "0 00:00:00.000001"),
            (i64::MIN, "-106751991 04:00:54.775808"),
        ] {
            assert_eq!(
                written(|out| write_duration(micros, out)),
                format!("\"INTERVAL '{text}' DAY TO SECOND\"")
            );
        }
        assert_eq!(written(|out| write_months(14, out)), "\"INTERVAL '1-2' YEAR TO MONTH\"");
        assert_eq!(
            written(|out| write_months(-1, out)),
            "\"INTERVAL '-0-1' YEAR TO MONTH\""
        );
    }
}
