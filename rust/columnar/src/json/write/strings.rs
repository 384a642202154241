//! Strings with the escapes that Jackson writes, and base64.

use std::io::Write;

use crate::lanes::plain_prefix;

/// Appends a string with its quotes; what is not UTF-8 is replaced.
pub(super) fn write_string(text: &[u8], ascii_only: bool, out: &mut Vec<u8>) {
    if std::str::from_utf8(text).is_err() {
        return write_string(String::from_utf8_lossy(text).as_bytes(), ascii_only, out);
    }
    out.push(b'"');
    if ascii_only && !text.is_ascii() {
        write_ascii(text, out);
    } else {
        write_escaped(text, out);
    }
    out.push(b'"');
}

fn write_escaped(text: &[u8], out: &mut Vec<u8>) {
    let mut rest = text;
    loop {
        let (plain, special) = rest.split_at(plain_prefix(rest, b'"').min(rest.len()));
        out.extend_from_slice(plain);
        let Some((byte, after)) = special.split_first() else {
            return;
        };
        write_special(*byte, out);
        rest = after;
    }
}

fn write_special(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        b'"' | b'\\' => byte,
        0x08 => b'b',
        0x0c => b'f',
        b'\n' => b'n',
        b'\r' => b'r',
        b'\t' => b't',
        0..=0x1f => {
            write_unit(u16::from(byte), out);
            return;
        }
        _ => {
            out.push(byte);
            return;
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}

fn write_unit(unit: u16, out: &mut Vec<u8>) {
    // Writing to a vector does not fail.
    let _ = write!(out, "\\u{unit:04X}");
}

fn write_ascii(text: &[u8], out: &mut Vec<u8>) {
    for character in String::from_utf8_lossy(text).chars() {
        if let Ok(byte) = u8::try_from(character)
            && byte.is_ascii()
        {
            write_special(byte, out);
        } else {
            for unit in character.encode_utf16(&mut [0; 2]) {
                write_unit(*unit, out);
            }
        }
    }
}

const BASE64: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Appends bytes as a string of padded base64.
pub(super) fn write_base64(bytes: &[u8], out: &mut Vec<u8>) {
    out.push(b'"');
    for group in bytes.chunks(3) {
        let mut wide = [0u8; 4];
        for (to, from) in wide.iter_mut().skip(1).zip(group) {
            *to = *from;
        }
        let bits = u32::from_be_bytes(wide);
        for index in 0..4u32 {
            let six = (bits >> (18 - 6 * index)) & 63;
            let is_padding = index as usize > group.len();
            let character = BASE64.get(six as usize).copied().unwrap_or(b'=');
            out.push(if is_padding { b'=' } else { character });
        }
    }
    out.push(b'"');
}

#[cfg(test)]
mod tests {
    use super::*;

    fn string(text: &str, ascii_only: bool) -> String {
        let mut out = Vec::new();
        write_string(text.as_bytes(), ascii_only, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn strings_are_escaped_as_jackson_escapes_them() {
        assert_eq!(
            string("a\"b\\/\n\t\u{8}\u{c}\r\u{1}\u{1f}\u{7f}é\u{2028}😀", false),
            "\"a\\\"b\\\\/\\n\\t\\b\\f\\r\\u0001\\u001F\u{7f}é\u{2028}😀\""
        );
        assert_eq!(string("é\"😀", true), "\"\\u00E9\\\"\\uD83D\\uDE00\"");
        assert_eq!(string("a much longer text without any of them", true).len(), 40);
    }

    #[test]
    fn bytes_are_padded_base64() {
        for (bytes, text) in [
            (&[][..], "\"\""),
            (&[1], "\"AQ==\""),
            (&[1, 2], "\"AQI=\""),
            (&[1, 2, 3], "\"AQID\""),
            (&[255, 254, 253, 0], "\"//79AA==\""),
        ] {
            let mut out = Vec::new();
            write_base64(bytes, &mut out);
            assert_eq!(String::from_utf8(out).unwrap(), text);
        }
    }
}
