//! Plain text.

use super::{check_policies, leaves, values};
use crate::{PayloadFormat, PayloadOptions};

/// Decodes the texts in `data`, whose first byte chooses the column's type, under every policy. It must not panic,
/// hang or allocate beyond bounds.
///
/// # Panics
/// If one of these rules is broken.
pub fn text(data: &[u8]) {
    let Some((choice, data)) = data.split_first() else {
        return;
    };
    let leaves = leaves();
    let Some(field) = leaves.get(usize::from(*choice) % leaves.len()) else {
        return;
    };
    check_policies(
        std::slice::from_ref(field),
        &values(data),
        &PayloadOptions::new(PayloadFormat::Text),
    );
}
