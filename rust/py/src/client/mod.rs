//! The Python face of the client's data path. Nothing here decides anything: it takes arguments apart, waits detached from the
//! interpreter, and turns errors into classes of `barnabas.errors`.

mod arguments;
mod async_delivery;
mod async_producer;
mod core;
mod delivery;
mod fetch;
mod producer;
mod record_arguments;
mod table;
mod watchers;

use pyo3::prelude::*;

pub(crate) fn register(m: &Bound<'_, PyModule>) -> PyResult<()> {
    m.add_class::<core::ClientCore>()?;
    m.add_class::<producer::ProducerCore>()?;
    m.add_class::<delivery::Delivery>()?;
    m.add_class::<delivery::DeliveryBatch>()?;
    m.add_class::<async_delivery::AsyncDelivery>()?;
    m.add_class::<async_delivery::AsyncDeliveryBatch>()?;
    m.add_class::<watchers::CallbackQueue>()?;
    m.add_class::<async_producer::Flushing>()?;
    m.add_class::<async_producer::Many>()?;
    m.add_class::<async_producer::Room>()?;
    m.add_class::<table::ManyRows>()?;
    m.add_class::<fetch::FetchCore>()
}
