use barnabas_wire::primitives::ZERO_UUID;

use super::cache::EVICTION_AGE_MS;
use super::*;

fn wanted(partitions: i32) -> Vec<Wanted> {
    let topic = FetchedTopic {
        name: Some(Arc::from("flights")),
        id: ZERO_UUID,
    };
    (0..partitions)
        .map(|partition| Wanted {
            topic: topic.clone(),
            partition,
            current_leader_epoch: -1,
            fetch_offset: 0,
            last_fetched_epoch: -1,
            max_bytes: 1,
        })
        .collect()
}

const NOTHING: Told = Told {
    high_watermark: 0,
    log_start_offset: 0,
    has_records: false,
    is_notable: false,
    is_error: false,
};

fn create(sessions: &FetchSessions, is_follower: bool, partitions: i32, now_ms: i64) -> i32 {
    let wanted = wanted(partitions);
    let told: Vec<_> = wanted.iter().map(|wanted| (wanted, NOTHING)).collect();
    let full = SessionContext::Full {
        is_follower,
        uses_topic_ids: false,
    };
    sessions.finish(&full, &told, now_ms).id
}

fn go_on(sessions: &FetchSessions, id: i32, epoch: i32, now_ms: i64) -> Result<SessionContext, SessionError> {
    let request = SessionRequest {
        id,
        epoch,
        uses_topic_ids: false,
        is_follower: false,
    };
    sessions
        .begin(request, Vec::new(), &[], &|_| None, now_ms)
        .map(|(context, _)| context)
}

const NOT_FOUND: SessionError = SessionError::Refused(ErrorCode::FETCH_SESSION_ID_NOT_FOUND);

#[test]
fn the_idle_one_goes_first() {
    let sessions = FetchSessions::new(2);
    let idle = create(&sessions, false, 9, 0);
    let busy = create(&sessions, false, 1, 0);
    assert!(go_on(&sessions, busy, 1, EVICTION_AGE_MS).is_ok());
    // At its age it is kept, above it the slot is free for anyone.
    assert_eq!(create(&sessions, false, 1, EVICTION_AGE_MS), NO_SESSION);
    let new = create(&sessions, false, 1, EVICTION_AGE_MS + 1);
    assert!(new != NO_SESSION && go_on(&sessions, busy, 2, EVICTION_AGE_MS + 1).is_ok());
    assert_eq!(go_on(&sessions, idle, 1, EVICTION_AGE_MS + 1).unwrap_err(), NOT_FOUND);
    assert_eq!((sessions.evictions.get(), sessions.sizes()), (1, (2, 2)));
}

#[test]
fn an_old_session_yields_to_one_with_more_partitions() {
    let later = EVICTION_AGE_MS + 1;
    for (partitions, is_taken) in [(2, false), (3, false), (4, true)] {
        let sessions = FetchSessions::new(1);
        let old = create(&sessions, false, 3, 0);
        // Used all along; only its age counts, and that is seen when it is used.
        assert!(go_on(&sessions, old, 1, later).is_ok());
        let new = create(&sessions, false, partitions, later);
        assert_eq!(new != NO_SESSION, is_taken, "{partitions}");
        assert_eq!(go_on(&sessions, old, 2, later).is_err(), is_taken);
    }
}

#[test]
fn a_followers_session_yields_to_none_of_a_consumer() {
    let sessions = FetchSessions::new(1);
    let consumer = create(&sessions, false, 9, 0);
    let follower = create(&sessions, true, 1, 1);
    assert_eq!(go_on(&sessions, consumer, 1, 1).unwrap_err(), NOT_FOUND);
    assert_eq!(create(&sessions, true, 9, 2), NO_SESSION, "a young one keeps its place");
    let later = EVICTION_AGE_MS + 2;
    assert!(go_on(&sessions, follower, 1, later).is_ok());
    assert_eq!(create(&sessions, false, 9, later), NO_SESSION);
    assert!(create(&sessions, true, 2, later) != NO_SESSION);
}

#[test]
fn an_answer_that_another_request_has_overtaken_is_refused() {
    let sessions = FetchSessions::new(1);
    let id = create(&sessions, false, 1, 0);
    let first = go_on(&sessions, id, 1, 0).unwrap();
    let second = go_on(&sessions, id, 2, 0).unwrap();
    let wanted = wanted(1);
    let told = [(&wanted[0], NOTHING)];
    let overtaken = sessions.finish(&first, &told, 0);
    assert_eq!(
        (overtaken.error, overtaken.id, overtaken.is_told),
        (ErrorCode::INVALID_FETCH_SESSION_EPOCH, id, Some(vec![false]))
    );
    let current = sessions.finish(&second, &told, 0);
    assert_eq!((current.error, current.is_told), (ErrorCode::NONE, Some(vec![false])));
}

#[test]
fn all_sessions_together_remember_a_bounded_number_of_partitions() {
    let sessions = FetchSessions {
        partitions_max: 10,
        ..FetchSessions::new(9)
    };
    let first = create(&sessions, false, 6, 0);
    assert_eq!(create(&sessions, false, 5, 0), NO_SESSION);
    let second = create(&sessions, false, 4, 0);
    assert!(first != NO_SESSION && second != NO_SESSION);
    let grow = SessionRequest {
        id: second,
        epoch: 1,
        uses_topic_ids: false,
        is_follower: false,
    };
    let grown = sessions.begin(grow, wanted(5), &[], &|_| None, 0);
    assert_eq!(grown.unwrap_err(), NOT_FOUND);
    assert_eq!(sessions.sizes(), (1, 6));
    assert!(go_on(&sessions, first, 1, 0).is_ok());
}

#[test]
fn epochs_wrap_to_one() {
    assert_eq!([0, 1, i32::MAX, -1].map(next_epoch), [1, 2, 1, -1]);
}
