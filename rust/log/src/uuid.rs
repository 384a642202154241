//! Kafka's 16-byte ids: random ones, and their text, URL-safe base64 without padding.

use std::hash::{BuildHasher, RandomState};

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A random id of version 4.
pub(crate) fn random() -> [u8; 16] {
    // The standard library keys its hash maps from the system's random source; an id needs no more than to be unique.
    let [high, low] = [(); 2].map(|()| RandomState::new().hash_one(std::process::id()));
    let bits = (u128::from(high) << 64 | u128::from(low)) & !(0xf << 76) & !(0x3 << 62) | (4 << 76) | (2 << 62);
    bits.to_be_bytes()
}

pub(crate) fn to_text(id: [u8; 16]) -> String {
    let bits = u128::from_be_bytes(id);
    (0..22)
        .map(|index| {
            let six = if index < 21 {
                bits >> (122 - 6 * index)
            } else {
                bits << 4
            };
            let [low, ..] = six.to_le_bytes();
            char::from(ALPHABET.get(usize::from(low & 63)).copied().unwrap_or_default())
        })
        .collect()
}

pub(crate) fn from_text(text: &str) -> Option<[u8; 16]> {
    let text = text.trim_end_matches('=');
    if text.len() != 22 {
        return None;
    }
    let mut bits: u128 = 0;
    for (index, byte) in text.bytes().enumerate() {
        let six = ALPHABET.iter().position(|letter| *letter == byte)? as u128;
        // The last letter carries two bits of the id and four zeros.
        bits = if index < 21 {
            bits << 6 | six
        } else {
            bits << 2 | six >> 4
        };
    }
    Some(bits.to_be_bytes())
}

pub(crate) fn to_hex(id: [u8; 16]) -> String {
    format!("{:032x}", u128::from_be_bytes(id))
}
