//! Which quota holds for a client: what is set for users, client ids and both, with Kafka's precedence
//! (`DefaultQuotaCallback`).

use std::collections::HashMap;

/// What a quota limits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Kind {
    /// Bytes of Produce requests per second.
    Produce,
    /// Bytes of Fetch responses per second.
    Fetch,
    /// Hundredths of a thread's time.
    Request,
    /// Partitions created and deleted per second.
    Mutation,
}

impl Kind {
    pub(crate) const ALL: [Self; 4] = [Self::Produce, Self::Fetch, Self::Request, Self::Mutation];

    /// By the key of a quota's value.
    pub(crate) fn of_key(key: &str) -> Option<Self> {
        Some(match key {
            "producer_byte_rate" => Self::Produce,
            "consumer_byte_rate" => Self::Fetch,
            "request_percentage" => Self::Request,
            "controller_mutation_rate" => Self::Mutation,
            _ => return None,
        })
    }

    /// As metrics call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Produce => "produce",
            Self::Fetch => "fetch",
            Self::Request => "request",
            Self::Mutation => "controller_mutation",
        }
    }
}

/// A user or a client id of an entity.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(crate) enum Part {
    /// The entity does not say.
    Any,
    /// Those without a quota of their own.
    Default,
    /// This one.
    Named(String),
}

impl Part {
    fn named(name: &str) -> Self {
        Self::Named(name.to_owned())
    }
}

/// Clients that share a quota: those of a user, of a client id or of both; an empty name stands for any.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Tags {
    pub(crate) user: String,
    pub(crate) client_id: String,
}

/// The quotas of one kind.
#[derive(Debug, Default)]
pub(crate) struct Limits(HashMap<(Part, Part), f64>);

impl Limits {
    /// Sets or removes what holds for (user, client id).
    pub(crate) fn set(&mut self, entity: (Part, Part), limit: Option<f64>) {
        match limit {
            Some(limit) => self.0.insert(entity, limit),
            None => self.0.remove(&entity),
        };
    }

    /// With whom a client shares its quota, and how much they may; `None` if they may all.
    pub(crate) fn find(&self, user: &str, client_id: &str) -> Option<(Tags, f64)> {
        if self.0.is_empty() {
            return None;
        }
        let tags = self.tags(user, client_id);
        let limit = self.limit(&tags)?;
        Some((tags, limit))
    }

    fn get(&self, user: Part, client_id: Part) -> Option<f64> {
        self.0.get(&(user, client_id)).copied()
    }

    fn tags(&self, user: &str, client_id: &str) -> Tags {
        let has = |user: Part, client_id: Part| self.0.contains_key(&(user, client_id));
        let (is_user, is_client) = (|| Part::named(user), || Part::named(client_id));
        let (by_user, by_client) = if has(is_user(), is_client()) || has(is_user(), Part::Default) {
            (true, true)
        } else if has(is_user(), Part::Any) {
            (true, false)
        } else if has(Part::Default, is_client()) || has(Part::Default, Part::Default) {
            (true, true)
        } else if has(Part::Default, Part::Any) {
            (true, false)
        } else {
            (false, true)
        };
        let if_so = |is_so: bool, name: &str| if is_so { name.to_owned() } else { String::new() };
        Tags {
            user: if_so(by_user, user),
            client_id: if_so(by_client, client_id),
        }
    }

    fn limit(&self, tags: &Tags) -> Option<f64> {
        let (user, client) = (|| Part::named(&tags.user), || Part::named(&tags.client_id));
        match (tags.user.is_empty(), tags.client_id.is_empty()) {
            (false, false) => self
                .get(user(), client())
                .or_else(|| self.get(user(), Part::Default))
                .or_else(|| self.get(Part::Default, client()))
                .or_else(|| self.get(Part::Default, Part::Default)),
            (false, true) => self
                .get(user(), Part::Any)
                .or_else(|| self.get(Part::Default, Part::Any)),
            (true, false) => self
                .get(Part::Any, client())
                .or_else(|| self.get(Part::Any, Part::Default)),
            (true, true) => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entity(user: &str, client_id: &str) -> (Part, Part) {
        let part = |text: &str| match text {
            "" => Part::Any,
            "*" => Part::Default,
            name => Part::named(name),
        };
        (part(user), part(client_id))
    }

    fn found(limits: &Limits, user: &str, client_id: &str) -> Option<(String, String, f64)> {
        let (tags, limit) = limits.find(user, client_id)?;
        Some((tags.user, tags.client_id, limit))
    }

    // The order of `ClientQuotaManager`: what is more specific goes before what is less so, users before client ids.
    #[test]
    fn the_most_specific_quota_holds() {
        let levels = [
            (("u", "c"), ("u", "c")),
            (("u", "*"), ("u", "c")),
            (("u", ""), ("u", "")),
            (("*", "c"), ("u", "c")),
            (("*", "*"), ("u", "c")),
            (("*", ""), ("u", "")),
            (("", "c"), ("", "c")),
            (("", "*"), ("", "c")),
        ];
        let mut limits = Limits::default();
        for (number, ((user, client), _)) in (1_u8..).zip(levels) {
            limits.set(entity(user, client), Some(f64::from(number)));
        }
        for (number, ((user, client), (of_user, of_client))) in (1_u8..).zip(levels) {
            let expected = (of_user.to_owned(), of_client.to_owned(), f64::from(number));
            assert_eq!(found(&limits, "u", "c"), Some(expected), "{user:?} {client:?}");
            limits.set(entity(user, client), None);
        }
        assert_eq!(found(&limits, "u", "c"), None);
    }

    #[test]
    fn others_are_not_concerned_and_those_of_a_default_have_one_each() {
        let mut limits = Limits::default();
        limits.set(entity("", "a"), Some(1.0));
        assert_eq!(found(&limits, "u", "b"), None);
        limits.set(entity("", "*"), Some(2.0));
        assert_eq!(
            found(&limits, "u", "b"),
            Some((String::new(), "b".to_owned(), 2.0)),
            "it is b's own"
        );
        // Kafka has nothing for clients that do not say who they are.
        assert_eq!(found(&limits, "u", ""), None);
        limits.set(entity("*", ""), Some(3.0));
        assert_eq!(found(&limits, "u", ""), Some(("u".to_owned(), String::new(), 3.0)));
    }
}
