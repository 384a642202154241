//! A reader of variants, written from `VariantEncoding.md` alone, that looks at every byte.

/// Little-endian number of the first `width` bytes, and what follows them.
fn number(bytes: &[u8], width: usize) -> Option<(usize, &[u8])> {
    let (number, rest) = bytes.split_at_checked(width)?;
    let value = number
        .iter()
        .rev()
        .fold(0, |value, byte| value << 8 | usize::from(*byte));
    Some((value, rest))
}

/// So many numbers, and what follows them.
fn numbers(mut bytes: &[u8], count: usize, width: usize) -> Option<(Vec<usize>, &[u8])> {
    let mut found = Vec::new();
    for _ in 0..count {
        let (value, rest) = number(bytes, width)?;
        found.push(value);
        bytes = rest;
    }
    Some((found, bytes))
}

/// The pieces between offsets that begin with 0, rise, and end where the bytes end.
fn pieces<'a>(bytes: &'a [u8], offsets: &[usize]) -> Option<Vec<&'a [u8]>> {
    if offsets.first() != Some(&0) || offsets.last() != Some(&bytes.len()) {
        return None;
    }
    let ends = offsets.iter().skip(1);
    offsets
        .iter()
        .zip(ends)
        .map(|(start, end)| bytes.get(*start..*end))
        .collect()
}

fn width(bits: u8) -> usize {
    usize::from(bits & 3).saturating_add(1)
}

fn names(dictionary: &[u8]) -> Option<Vec<&str>> {
    let (head, rest) = dictionary.split_first()?;
    if head & 0x3f != 1 {
        return None;
    }
    let width = width(head >> 6);
    let (count, rest) = number(rest, width)?;
    let (offsets, text) = numbers(rest, count.checked_add(1)?, width)?;
    let texts = pieces(text, &offsets)?;
    texts.into_iter().map(|text| std::str::from_utf8(text).ok()).collect()
}

fn is_value(bytes: &[u8], names: &[&str]) -> Option<bool> {
    let (head, rest) = bytes.split_first()?;
    let (kind, more) = (head & 3, head >> 2);
    Some(match kind {
        1 => rest.len() == usize::from(more) && std::str::from_utf8(rest).is_ok(),
        2 => {
            let (count, rest) = number(rest, if more & 0x10 == 0 { 1 } else { 4 })?;
            let (ids, rest) = numbers(rest, count, width(more >> 2))?;
            let (offsets, rest) = numbers(rest, count.checked_add(1)?, width(more))?;
            let fields: Option<Vec<&str>> = ids.iter().map(|id| names.get(*id).copied()).collect();
            let fields = fields?;
            let mut pairs = fields.iter().zip(fields.iter().skip(1));
            let is_ordered = pairs.all(|(one, next)| one.encode_utf16().lt(next.encode_utf16()));
            // Fields lie in the order in which they came, which is another one than that of their names.
            let mut ends = offsets;
            ends.sort_unstable();
            is_ordered && are_values(&pieces(rest, &ends)?, names)
        }
        3 => {
            let (count, rest) = number(rest, if more & 4 == 0 { 1 } else { 4 })?;
            let (offsets, rest) = numbers(rest, count.checked_add(1)?, width(more))?;
            are_values(&pieces(rest, &offsets)?, names)
        }
        _ => match more {
            0..=2 => rest.is_empty(),
            3 => rest.len() == 1,
            4 => rest.len() == 2,
            5 => rest.len() == 4,
            6 | 7 => rest.len() == 8,
            8 => rest.len() == 5 && rest.first()? <= &9,
            9 => rest.len() == 9 && rest.first()? <= &18,
            10 => rest.len() == 17 && rest.first()? <= &38,
            16 => {
                let (length, text) = number(rest, 4)?;
                text.len() == length && length > 63 && std::str::from_utf8(text).is_ok()
            }
            _ => false,
        },
    })
}

fn are_values(values: &[&[u8]], names: &[&str]) -> bool {
    values.iter().all(|value| is_value(value, names) == Some(true))
}

/// Whether these are a variant's value and dictionary, to the last byte.
pub(super) fn is_well_formed(value: &[u8], dictionary: &[u8]) -> bool {
    names(dictionary).is_some_and(|names| is_value(value, &names) == Some(true))
}
