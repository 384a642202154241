//! How a delta becomes the next image, and this broker's partitions follow it.

use std::collections::HashMap;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};

use barnabas_log::LogError;

use crate::broker::Broker;
use crate::control::WatchKind;
use crate::error::BrokerError;
use crate::image::{BrokerEntry, Change, Image, PartitionEntry, PartitionState, Topic, TopicChange, TopicId};
use crate::partition::{Commit, Partition};
use crate::quotas::Part;
use crate::topic_options::TopicOptions;

impl Broker {
    /// Applies a delta and publishes the image. Partitions are created before they can be seen, and removed after they
    /// cannot be seen any more.
    pub(crate) fn publish(self: &Arc<Self>, delta: Vec<Change>, offset: i64, epoch: i32) -> Result<(), BrokerError> {
        let _turn = self.publishing.lock().unwrap_or_else(PoisonError::into_inner);
        let mut image = Image::clone(&self.image());
        image.node_id = Some(self.node_id);
        image.offset = offset;
        image.epoch = epoch;
        let mut removed = Vec::new();
        let mut changed = Vec::new();
        for change in delta {
            match change {
                Change::Broker {
                    node_id,
                    rack,
                    endpoints,
                } => {
                    image.brokers.insert(node_id, Arc::new(BrokerEntry { rack, endpoints }));
                }
                Change::RemoveBroker { node_id } => {
                    image.brokers.remove(&node_id);
                }
                Change::BrokerOptions(options) => {
                    self.connections.set_options(&options);
                    self.set_broker_options(&options);
                }
                Change::Listeners(listeners) => self.listeners.want(listeners),
                Change::Controller { node_id } => image.controller = Some(node_id),
                Change::Features(levels) => image.features = Some(Arc::new(levels)),
                Change::Offered { api_key, is_offered } => {
                    if is_offered {
                        image.withheld.remove(&api_key);
                    } else {
                        image.withheld.insert(api_key);
                    }
                }
                Change::Quota { entity, values } => self.set_quota(&entity, &values),
                Change::RemoveTopic { topic_id } => removed.extend(image.take_topic(&topic_id)),
                Change::Topic(topic) => {
                    let replaced = image
                        .topic(&topic.name)
                        .filter(|old| old.id != topic.topic_id)
                        .map(|old| old.id);
                    removed.extend(replaced.and_then(|id| image.take_topic(&id)));
                    // A topic of the same name that goes in this very delta must leave its directory first.
                    self.remove(&removed);
                    removed.clear();
                    image.put_topic(self.build_topic(&image, topic, &mut changed)?);
                }
            }
        }
        self.set_image(image);
        self.remove(&removed);
        self.upkeep.poke();
        for partition in changed {
            partition.advance_high_watermark_if_alone();
            partition.waiters.wake_all();
            partition.tell_watcher(if partition.is_leader() {
                WatchKind::Ready
            } else {
                WatchKind::Failed
            });
        }
        Ok(())
    }

    fn set_quota(&self, entity: &[(String, Option<String>)], values: &HashMap<String, f64>) {
        if let [(kind, ip)] = entity
            && kind == "ip"
        {
            let rate = values.get("connection_creation_rate").copied();
            return self.connections.set_ip_rate(ip.as_deref(), rate);
        }
        let part = |kind: &str| match entity.iter().find(|(of, _)| of == kind) {
            None => Part::Any,
            Some((_, None)) => Part::Default,
            Some((_, Some(name))) => Part::Named(name.clone()),
        };
        self.quotas.set(&(part("user"), part("client-id")), values);
    }

    fn build_topic(
        &self,
        image: &Image,
        change: TopicChange,
        changed: &mut Vec<Arc<Partition>>,
    ) -> Result<Topic, BrokerError> {
        let options = TopicOptions::parse(&change.options, &self.config.log_defaults)?;
        let old = image.topic_by_id(&change.topic_id).cloned();
        let name: Arc<str> = old
            .as_ref()
            .map_or_else(|| Arc::from(change.name.as_str()), |old| Arc::clone(&old.name));
        let mut partitions = Vec::with_capacity(change.partitions.len());
        for state in change.partitions {
            let known = old.as_ref().and_then(|old| old.partition(state.index)?.local.clone());
            let is_here = state.replicas.contains(&self.node_id);
            let local = match known {
                _ if !is_here => None,
                Some(partition) => {
                    partition.log.set_config(options.log.clone());
                    Some(partition)
                }
                None => self.build_partition(&name, change.topic_id, state.index, &options)?,
            };
            if let Some(partition) = &local
                && self.take_leadership(partition, &state)
            {
                changed.push(Arc::clone(partition));
            }
            let is_offline = is_here && local.is_none();
            partitions.push(PartitionEntry {
                state,
                local,
                is_offline,
            });
        }
        partitions.sort_by_key(|entry| entry.state.index);
        Ok(Topic {
            name,
            id: change.topic_id,
            is_internal: change.is_internal,
            partitions,
            min_insync_replicas: options.min_insync_replicas,
        })
    }

    /// A partition that is not in the image yet; `None` when its data directory has failed, which concerns nobody else.
    fn build_partition(
        &self,
        topic: &Arc<str>,
        topic_id: TopicId,
        index: i32,
        options: &TopicOptions,
    ) -> Result<Option<Arc<Partition>>, LogError> {
        let opened = self
            .logs
            .get_or_create(topic, index, topic_id, options.log.clone(), self.wall_clock_ms());
        let log = match opened {
            Ok(log) => log,
            Err(error @ (LogError::Offline { .. } | LogError::Io { .. })) => {
                log::error!("{topic}-{index} is offline: {error}");
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        let control = Arc::clone(&self.control);
        let partition = Partition::new(Arc::clone(topic), index, log, Commit::InSyncReplicas, control);
        let is_watched = self
            .watches
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(&(topic.to_string(), index));
        partition.watched.store(is_watched, Ordering::SeqCst);
        Ok(Some(partition))
    }

    fn take_leadership(&self, partition: &Partition, state: &PartitionState) -> bool {
        let is_leader = state.leader == self.node_id;
        partition.lead(is_leader, state.leader_epoch, is_leader && state.isr == [self.node_id])
    }

    fn remove(&self, topics: &[Arc<Topic>]) {
        for topic in topics {
            for partition in topic.partitions.iter().filter_map(|entry| entry.local.as_ref()) {
                partition.remove();
                if let Err(error) = self.logs.delete(&topic.name, partition.index, self.wall_clock_ms()) {
                    log::error!("cannot delete {}-{}: {error}", topic.name, partition.index);
                }
            }
        }
    }
}
