//! Checksum, key hash and codecs as functions: for tools, and to be judged against other implementations.

use barnabas_records::{Compression, compress_over, crc32c as checksum, decompress_over, murmur2 as hash};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::cell::RefCell;

/// Work from which a call lets other Python threads run.
const DETACH_BYTES_MIN: usize = 256 << 10;
/// Space beyond this is given back after a call.
const SCRATCH_BYTES_KEPT: usize = 4 << 20;

thread_local! {
    static SCRATCH: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_function(wrap_pyfunction!(crc32c, m)?)?;
    m.add_function(wrap_pyfunction!(murmur2, m)?)?;
    m.add_function(wrap_pyfunction!(compress, m)?)?;
    m.add_function(wrap_pyfunction!(decompress, m)?)
}

/// CRC32C (Castagnoli), the checksum of record batches.
#[pyfunction]
fn crc32c(data: &[u8]) -> u32 {
    checksum(data)
}

/// The hash by which Kafka's Java client spreads keys over partitions: 32 bits, signed.
#[pyfunction]
fn murmur2(key: &[u8]) -> i32 {
    hash(key)
}

/// `data` in Kafka's framing of the codec `name`; `level` as in `compression.<codec>.level`.
#[pyfunction]
#[pyo3(signature = (name, data, level=None))]
fn compress<'py>(py: Python<'py>, name: &str, data: &[u8], level: Option<i32>) -> PyResult<Bound<'py, PyBytes>> {
    let codec = codec(name)?;
    with_scratch(py, data.len(), |scratch| compress_over(codec, level, data, scratch))
}

/// What `data` decompresses to, in Kafka's framing of the codec `name`; a `ValueError` if that is more than `limit` bytes.
#[pyfunction]
#[pyo3(signature = (name, data, limit=1_073_741_824))]
fn decompress<'py>(py: Python<'py>, name: &str, data: &[u8], limit: usize) -> PyResult<Bound<'py, PyBytes>> {
    let codec = codec(name)?;
    with_scratch(py, data.len(), |scratch| decompress_over(codec, data, scratch, limit))
}

fn codec(name: &str) -> PyResult<Compression> {
    Compression::from_name(name)
        .ok_or_else(|| PyValueError::new_err(format!("{name:?} is none of none, gzip, snappy, lz4, zstd")))
}

fn with_scratch(
    py: Python<'_>,
    input_len: usize,
    work: impl Fn(&mut Vec<u8>) -> barnabas_records::Result<usize> + Send + Sync,
) -> PyResult<Bound<'_, PyBytes>> {
    let mut scratch = SCRATCH.take();
    let size = if input_len >= DETACH_BYTES_MIN {
        py.detach(|| work(&mut scratch))
    } else {
        work(&mut scratch)
    };
    let size = size.map_err(|error| PyValueError::new_err(error.to_string()))?;
    let result = PyBytes::new(py, scratch.get(..size).unwrap_or_default());
    if scratch.len() <= SCRATCH_BYTES_KEPT {
        SCRATCH.set(scratch);
    }
    Ok(result)
}
