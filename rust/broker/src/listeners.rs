//! Where the broker listens, as options say it at the start and later.

use std::sync::{Mutex, MutexGuard, PoisonError};

use barnabas_net::server::{Handler, Listener, Server};

/// What is to be open, and what is.
#[derive(Debug)]
pub(crate) struct Listeners {
    /// Told by an image that is published, and not carried out yet.
    wanted: Mutex<Option<Vec<Listener>>>,
    /// As asked for: a port of 0 is any.
    open: Mutex<Vec<Listener>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Listeners {
    /// Those of the start.
    pub(crate) fn new(open: &[Listener]) -> Self {
        Self {
            wanted: Mutex::default(),
            open: Mutex::new(open.to_vec()),
        }
    }

    /// Says what is to be open.
    pub(crate) fn want(&self, listeners: Vec<Listener>) {
        *lock(&self.wanted) = Some(listeners);
    }

    /// An open listener as it was asked for.
    pub(crate) fn asked(&self, name: &str) -> Option<Listener> {
        lock(&self.open).iter().find(|listener| listener.name == name).cloned()
    }

    /// Opens and closes what is asked for.
    ///
    /// As in Kafka listeners go by their names: one that serves stays where it is, wherever it is wanted; before anything is
    /// served it moves. What cannot be opened is told in the log, and the others are served.
    pub(crate) fn follow<H: Handler>(&self, server: &Server<H>, is_serving: bool) {
        let Some(wanted) = lock(&self.wanted).take() else {
            return;
        };
        let mut open = lock(&self.open);
        open.retain(|old| {
            let is_wanted = wanted.iter().any(|new| new.name == old.name);
            if !is_wanted {
                server.remove_listener(&old.name);
                log::info!("listener {} is closed", old.name);
            }
            is_wanted
        });
        for new in wanted {
            match open.iter_mut().find(|old| old.name == new.name) {
                Some(old) if is_serving || *old == new => {}
                Some(old) => {
                    server.remove_listener(&old.name);
                    if add(server, &new) {
                        *old = new;
                    } else {
                        add(server, old);
                    }
                }
                None if add(server, &new) => open.push(new),
                None => {}
            }
        }
    }
}

fn add<H: Handler>(server: &Server<H>, listener: &Listener) -> bool {
    match server.add_listener(listener) {
        Ok(address) => log::info!("listener {} is open on {address}", listener.name),
        Err(error) => {
            log::error!("option listeners: {error}; the other listeners are served");
            return false;
        }
    }
    true
}
