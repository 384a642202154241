//! The Python extension module `barnabas._core`: the only crate that may name `PyO3`.
//!
//! One file per noun of the data plane. Every class is frozen with its own interior locking; every call that may
//! block goes through `enter` in `door.rs`, which detaches from the interpreter and checks signals every 100 ms.

mod broker;
mod broker_hooks;
mod buffer;
mod client;
mod codecs;
mod columns;
mod door;
mod error;
mod fetched;
mod lines;
mod pickling;
mod protocol;
mod record;
mod records;
mod regex;
mod scan;

use pyo3::prelude::*;

/// The extension module.
#[pymodule]
fn _core(m: &Bound<'_, PyModule>) -> PyResult<()> {
    protocol::register(m)?;
    codecs::register(m)?;
    columns::register(m)?;
    client::register(m)?;
    scan::register(m)?;
    regex::register(m)?;
    lines::register(m)?;
    pickling::register(m)?;
    broker::register(m)
}
