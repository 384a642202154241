//! Which partitions records without a key should not go to: those without a leader, and, with
//! `partitioner.availability.timeout.ms`, those whose broker has taken nothing for so long (KIP-794).

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use crate::cluster::ClusterView;
use crate::nodes::NodeId;
use crate::producer::ProducerShared;

/// Since when brokers take nothing, and who was told.
#[derive(Debug)]
pub(super) struct Availability {
    timeout: Option<Duration>,
    stuck: HashMap<NodeId, Instant>,
    /// What partitions were marked by: which view, how many partitions, which brokers were out.
    marked: Option<(Arc<ClusterView>, usize, Vec<NodeId>)>,
}

impl Availability {
    pub(super) fn new(timeout: Option<Duration>) -> Self {
        Self {
            timeout,
            stuck: HashMap::new(),
            marked: None,
        }
    }

    /// A broker takes a request.
    pub(super) fn drains(&mut self, node: NodeId) {
        self.stuck.remove(&node);
    }

    /// There are batches for a broker that takes none now.
    pub(super) fn is_stuck(&mut self, node: NodeId, now: Instant) {
        self.stuck.entry(node).or_insert(now);
    }

    fn out_at(&self, since: Instant) -> Option<Instant> {
        since.checked_add(self.timeout?)
    }

    /// Tells the partitions, if anything is new.
    pub(super) fn mark(&mut self, now: Instant, view: &Arc<ClusterView>, shared: &ProducerShared) {
        let is_out = |since: &Instant| self.out_at(*since).is_some_and(|at| at <= now);
        let mut out: Vec<NodeId> = self
            .stuck
            .iter()
            .filter(|(_, since)| is_out(since))
            .map(|(node, _)| *node)
            .collect();
        out.sort_unstable();
        let count = shared.queue_count();
        if let Some((seen, known, told)) = &self.marked
            && (Arc::ptr_eq(seen, view), *known, told) == (true, count, &out)
        {
            return;
        }
        for queue in shared.queues() {
            let leader = view.leader(&queue.topic, queue.partition);
            let is_out = leader.is_none_or(|(node, _)| out.contains(&node));
            queue.is_out.store(is_out, Ordering::Relaxed);
        }
        self.marked = Some((Arc::clone(view), count, out));
    }

    /// When a broker will have taken nothing for too long.
    pub(super) fn next_deadline(&self, now: Instant) -> Option<Instant> {
        let deadlines = self.stuck.values().filter_map(|since| self.out_at(*since));
        deadlines.filter(|at| *at > now).min()
    }
}
