//! A broker's fetch session as its client keeps it (KIP-227): what the broker knows already is not said again. It knows no
//! connections.

use std::cmp::Ordering;

use barnabas_wire::errors::ErrorCode;

use crate::fetch_buffer::TopicPartition;
use crate::fetch_request::Asked;

/// The epoch of a request that begins a session.
const INITIAL_EPOCH: i32 = 0;
/// The epoch of a request without a session, and the id of none.
const NO_SESSION: (i32, i32) = (0, -1);
/// Fetch has sessions since this version.
const SINCE: i16 = 7;

/// What a broker knows of one partition.
#[derive(Debug, PartialEq, Eq)]
struct Known {
    key: TopicPartition,
    topic_id: [u8; 16],
    fetch_offset: i64,
    leader_epoch: i32,
}

/// The session with one broker.
#[derive(Debug, Default)]
pub(crate) struct Session {
    id: i32,
    /// Of the next request.
    epoch: i32,
    /// Topics are named by their ids.
    by_id: bool,
    /// What the last request made the broker know, by key.
    known: Vec<Known>,
}

/// What a request has to say.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Said {
    pub(crate) session_id: i32,
    pub(crate) session_epoch: i32,
    /// Indexes of the partitions that the broker does not know as they are.
    pub(crate) changed: Vec<usize>,
    /// Partitions that are not to be fetched any more.
    pub(crate) forgotten: Vec<(TopicPartition, [u8; 16])>,
}

impl Said {
    /// What a request says that belongs to no session and leaves those that there are alone.
    pub(crate) fn without_session(partitions: usize) -> Self {
        Self {
            session_id: NO_SESSION.0,
            session_epoch: NO_SESSION.1,
            changed: (0..partitions).collect(),
            forgotten: Vec::new(),
        }
    }

    /// Whether it names all partitions.
    pub(crate) fn is_full(&self) -> bool {
        self.session_epoch <= INITIAL_EPOCH
    }
}

impl Session {
    /// What to say so that the broker fetches `asked`, which is ordered by key, and nothing else.
    pub(crate) fn say(&mut self, asked: &[Asked], api_version: i16, by_id: bool) -> Said {
        if api_version < SINCE {
            *self = Self::default();
            return Said::without_session(asked.len());
        }
        if self.by_id != by_id {
            // A session names its topics in one way only.
            self.begin_anew();
            self.by_id = by_id;
        }
        let mut said = Said {
            session_id: self.id,
            session_epoch: self.epoch,
            ..Said::default()
        };
        if said.is_full() {
            said.changed = (0..asked.len()).collect();
        } else {
            difference(&self.known, asked, &mut said);
        }
        self.known.clear();
        self.known.extend(asked.iter().map(|asked| Known {
            key: asked.key.clone(),
            topic_id: asked.topic_id,
            fetch_offset: asked.fetch_offset,
            leader_epoch: asked.leader_epoch,
        }));
        said
    }

    /// A request was answered with this session id.
    pub(crate) fn answered(&mut self, session_id: i32) {
        if session_id == 0 {
            // The broker keeps no session, or does not any more: the next request asks for one again.
            self.id = 0;
            self.epoch = INITIAL_EPOCH;
        } else {
            self.epoch = if self.epoch > INITIAL_EPOCH {
                next(self.epoch)
            } else {
                1
            };
            self.id = session_id;
        }
    }

    /// A request was refused as a whole, or an answer to it does not fit what was asked.
    pub(crate) fn refused(&mut self, code: ErrorCode) {
        if code == ErrorCode::FETCH_SESSION_ID_NOT_FOUND {
            self.id = 0;
        }
        self.begin_anew();
    }

    /// The next request closes this session and begins another: nobody knows what the broker knows.
    pub(crate) fn begin_anew(&mut self) {
        self.epoch = INITIAL_EPOCH;
    }
}

/// Whether the code is about the session and not about what was fetched.
pub(crate) fn is_session_error(code: ErrorCode) -> bool {
    matches!(
        code,
        ErrorCode::FETCH_SESSION_ID_NOT_FOUND
            | ErrorCode::INVALID_FETCH_SESSION_EPOCH
            | ErrorCode::FETCH_SESSION_TOPIC_ID_ERROR
    )
}

fn next(epoch: i32) -> i32 {
    epoch.checked_add(1).unwrap_or(1)
}

/// Walks both ordered lists.
fn difference(known: &[Known], asked: &[Asked], said: &mut Said) {
    let mut old = known.iter().peekable();
    for (index, asked) in asked.iter().enumerate() {
        while let Some(gone) = old.next_if(|old| old.key < asked.key) {
            said.forgotten.push((gone.key.clone(), gone.topic_id));
        }
        let same = old.next_if(|old| old.key.cmp(&asked.key) == Ordering::Equal);
        match same {
            Some(same)
                if same.topic_id == asked.topic_id
                    && same.fetch_offset == asked.fetch_offset
                    && same.leader_epoch == asked.leader_epoch => {}
            Some(same) => {
                if same.topic_id != asked.topic_id {
                    // Another topic of the same name.
                    said.forgotten.push((same.key.clone(), same.topic_id));
                }
                said.changed.push(index);
            }
            None => said.changed.push(index),
        }
    }
    said.forgotten.extend(old.map(|gone| (gone.key.clone(), gone.topic_id)));
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    fn asked(partitions: &[(i32, i64)]) -> Vec<Asked> {
        let make = |(partition, fetch_offset): &(i32, i64)| Asked {
            key: (Arc::from("t"), *partition),
            topic_id: [7; 16],
            generation: 0,
            fetch_offset: *fetch_offset,
            leader_epoch: 3,
            turn: 0,
            is_from_leader: true,
        };
        partitions.iter().map(make).collect()
    }

    fn numbers(said: &Said) -> (i32, i32, Vec<usize>, Vec<i32>) {
        let forgotten = said.forgotten.iter().map(|((_, partition), _)| *partition);
        (
            said.session_id,
            said.session_epoch,
            said.changed.clone(),
            forgotten.collect(),
        )
    }

    #[test]
    fn a_session_says_what_has_changed_and_begins_anew_after_a_refusal() {
        let mut session = Session::default();
        let first = session.say(&asked(&[(0, 0), (1, 0), (2, 0)]), 12, false);
        assert_eq!(numbers(&first), (0, 0, vec![0, 1, 2], vec![]));
        session.answered(42);
        let second = session.say(&asked(&[(0, 0), (2, 5), (3, 0)]), 12, false);
        assert_eq!(numbers(&second), (42, 1, vec![1, 2], vec![1]));
        session.answered(42);
        let third = session.say(&asked(&[(0, 0), (2, 5), (3, 0)]), 12, false);
        assert_eq!(numbers(&third), (42, 2, vec![], vec![]));
        session.refused(ErrorCode::INVALID_FETCH_SESSION_EPOCH);
        assert_eq!(
            numbers(&session.say(&asked(&[(3, 0)]), 12, false)),
            (42, 0, vec![0], vec![])
        );
        session.refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND);
        assert_eq!(
            numbers(&session.say(&asked(&[(3, 0)]), 12, false)),
            (0, 0, vec![0], vec![])
        );
        session.answered(0);
        assert_eq!(
            numbers(&session.say(&asked(&[(3, 0)]), 12, false)),
            (0, 0, vec![0], vec![])
        );
    }

    #[test]
    fn a_topic_of_the_same_name_and_another_id_is_another_topic() {
        let mut session = Session::default();
        session.say(&asked(&[(0, 0)]), 13, true);
        session.answered(1);
        let mut recreated = asked(&[(0, 0)]);
        recreated[0].topic_id = [8; 16];
        let said = session.say(&recreated, 13, true);
        assert_eq!(numbers(&said), (1, 1, vec![0], vec![0]));
        assert_eq!(said.forgotten[0].1, [7; 16]);
    }

    #[test]
    fn names_and_ids_do_not_mix_and_old_brokers_have_no_sessions() {
        let mut session = Session::default();
        session.say(&asked(&[(0, 0)]), 12, false);
        session.answered(9);
        assert_eq!(
            numbers(&session.say(&asked(&[(0, 0)]), 13, true)),
            (9, 0, vec![0], vec![])
        );
        assert_eq!(
            numbers(&session.say(&asked(&[(0, 0)]), 6, false)),
            (0, -1, vec![0], vec![])
        );
        let mut session = Session {
            id: 1,
            epoch: i32::MAX,
            ..Session::default()
        };
        session.answered(1);
        assert_eq!(session.epoch, 1, "epochs of a session skip those that have a meaning");
    }
}
