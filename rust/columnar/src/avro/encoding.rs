//! Writing Avro's binary encoding.

/// Appends an int or a long.
#[inline]
pub(crate) fn put_long(value: i64, out: &mut Vec<u8>) {
    let mut rest = ((value << 1) ^ (value >> 63)).cast_unsigned();
    while rest >= 0x80 {
        out.push((rest & 0x7f).to_le_bytes()[0] | 0x80);
        rest >>= 7;
    }
    out.push(rest.to_le_bytes()[0]);
}

/// Appends bytes, or text, with their length before them.
#[inline]
pub(crate) fn put_bytes(bytes: &[u8], out: &mut Vec<u8>) {
    put_long(i64::try_from(bytes.len()).unwrap_or(i64::MAX), out);
    out.extend_from_slice(bytes);
}
