//! Zigzag varints of the record format. Overlong, overflowing and cut-off encodings are refused.

/// Longest encoding of a 32-bit varint.
pub const VARINT_LEN_MAX: usize = 5;
/// Longest encoding of a 64-bit varint.
pub const VARLONG_LEN_MAX: usize = 10;

/// Bytes that `value` takes as a zigzag varint.
#[inline]
pub const fn varint_len(value: i32) -> usize {
    uvarlong_len(zigzag32(value) as u64)
}

/// Bytes that `value` takes as a zigzag varlong.
#[inline]
pub const fn varlong_len(value: i64) -> usize {
    uvarlong_len(zigzag64(value))
}

/// Bytes that `value` takes as an unsigned varlong.
#[inline]
pub const fn uvarlong_len(value: u64) -> usize {
    // ceil(bits / 7) without a division; a zero still takes one byte.
    let bits = 64 - (value | 1).leading_zeros();
    ((bits * 9 + 64) / 64) as usize
}

/// Zigzag of a 32-bit value.
#[inline]
pub const fn zigzag32(value: i32) -> u32 {
    (value.cast_unsigned() << 1) ^ (value >> 31).cast_unsigned()
}

/// Zigzag of a 64-bit value.
#[inline]
pub const fn zigzag64(value: i64) -> u64 {
    (value.cast_unsigned() << 1) ^ (value >> 63).cast_unsigned()
}

const fn unzigzag32(raw: u32) -> i32 {
    (raw >> 1).cast_signed() ^ -((raw & 1).cast_signed())
}

const fn unzigzag64(raw: u64) -> i64 {
    (raw >> 1).cast_signed() ^ -((raw & 1).cast_signed())
}

/// Appends `value` as a zigzag varint.
pub fn write_varint(out: &mut Vec<u8>, value: i32) {
    write_uvarlong(out, u64::from(zigzag32(value)));
}

/// Appends `value` as a zigzag varlong.
pub fn write_varlong(out: &mut Vec<u8>, value: i64) {
    write_uvarlong(out, zigzag64(value));
}

/// Appends `raw` as an unsigned varlong.
pub fn write_uvarlong(out: &mut Vec<u8>, mut raw: u64) {
    loop {
        let low = raw.to_le_bytes()[0] & 0x7f;
        raw >>= 7;
        if raw == 0 {
            out.push(low);
            return;
        }
        out.push(low | 0x80);
    }
}

/// Takes a zigzag varint from the front of `input`; `None` (and `input` as it was) if there is no valid one.
#[inline]
pub fn read_varint(input: &mut &[u8]) -> Option<i32> {
    let (raw, rest) = match **input {
        [a, ref rest @ ..] if a < 0x80 => (u32::from(a), rest),
        [a, b, ref rest @ ..] if b < 0x80 => (u32::from(a & 0x7f) | u32::from(b) << 7, rest),
        _ => {
            let (raw, rest) = read_long(input, VARINT_LEN_MAX)?;
            (u32::try_from(raw).ok()?, rest)
        }
    };
    *input = rest;
    Some(unzigzag32(raw))
}

/// Takes a zigzag varlong from the front of `input`; `None` (and `input` as it was) if there is no valid one.
#[inline]
pub fn read_varlong(input: &mut &[u8]) -> Option<i64> {
    let (raw, rest) = match **input {
        [a, ref rest @ ..] if a < 0x80 => (u64::from(a), rest),
        [a, b, ref rest @ ..] if b < 0x80 => (u64::from(a & 0x7f) | u64::from(b) << 7, rest),
        _ => read_long(input, VARLONG_LEN_MAX)?,
    };
    *input = rest;
    Some(unzigzag64(raw))
}

fn read_long(input: &[u8], len_max: usize) -> Option<(u64, &[u8])> {
    let mut raw = 0u64;
    let mut rest = input;
    for position in 0..len_max {
        let (&byte, after) = rest.split_first()?;
        rest = after;
        let shift = 7 * u32::try_from(position).ok()?;
        let bits = u64::from(byte & 0x7f);
        // The tenth byte of a varlong has room for one bit only.
        if bits.leading_zeros() < shift {
            return None;
        }
        raw |= bits << shift;
        if byte < 0x80 {
            return Some((raw, rest));
        }
    }
    None
}
