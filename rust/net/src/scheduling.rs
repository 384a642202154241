//! How threads share cores. The only file of this crate with `unsafe`.
//!
//! A reactor works for microseconds at a time and waits in between. Where it shares its cores with threads that work all
//! the time (helpers that write at the disk's speed, clients on the same machine), Linux lets such a thread finish its
//! slice of some milliseconds before one that was woken; one that asked for a shorter slice does not wait for that, unless
//! it has just had more than its share. So the broker's own threads that work for long give way to reactors.

#[cfg(target_os = "linux")]
pub(crate) use linux::ask_for_short_slices;
#[cfg(target_os = "linux")]
pub use linux::give_way;

/// Leaves this thread as it is: a priority of its own is Linux's.
#[cfg(not(target_os = "linux"))]
pub fn give_way() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    /// As little as the scheduler allows, which by itself gives 3 ms. Who asked for less is let in sooner: a reactor must not ask
    /// for more than those that give way to it.
    const SLICE_NS: u64 = 100_000;

    /// How much less of a core a thread gets that gives way, as `nice` counts: a third of what others get who want it too.
    /// With less a partition that is written to at the disk's speed would stand still where an application uses all cores.
    const NICENESS: i32 = 5;
    const NICENESS_MAX: i32 = 19;

    /// How this thread is scheduled.
    #[expect(unsafe_code, reason = "the call has no wrapper")]
    pub(super) fn attributes() -> io::Result<libc::sched_attr> {
        let size = u32::try_from(size_of::<libc::sched_attr>()).map_err(io::Error::other)?;
        let mut attributes = libc::sched_attr {
            size,
            sched_policy: 0,
            sched_flags: 0,
            sched_nice: 0,
            sched_priority: 0,
            sched_runtime: 0,
            sched_deadline: 0,
            sched_period: 0,
        };
        // SAFETY: the kernel writes at most `size` bytes to the structure, which is that long and lives here.
        let result = unsafe { libc::syscall(libc::SYS_sched_getattr, 0, &raw mut attributes, size, 0) };
        if result == 0 {
            Ok(attributes)
        } else {
            Err(io::Error::last_os_error())
        }
    }

    #[expect(unsafe_code, reason = "the call has no wrapper")]
    fn set(wanted: &libc::sched_attr) -> io::Result<()> {
        // SAFETY: the kernel reads as many bytes as the structure says that it is long.
        let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const *wanted, 0) };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
        }
    }

    /// Whether nobody gave the thread a better class than the usual one.
    fn is_usual(attributes: &libc::sched_attr) -> bool {
        let policy = i32::try_from(attributes.sched_policy);
        matches!(policy, Ok(libc::SCHED_OTHER | libc::SCHED_BATCH))
    }

    /// Asks for short slices for this thread, and not for those that it starts. Kernels before 6.12 keep their own.
    pub(crate) fn ask_for_short_slices() -> io::Result<()> {
        let mut wanted = attributes()?;
        if !is_usual(&wanted) {
            return Ok(());
        }
        wanted.sched_flags |= u64::from(libc::SCHED_FLAG_RESET_ON_FORK.unsigned_abs());
        wanted.sched_runtime = SLICE_NS;
        set(&wanted)
    }

    /// What such a thread loses of its turn when it offers its core, at most: as little as the scheduler allows.
    const GIVING_SLICE_NS: u64 = 100_000;

    /// Has this thread get a third of what others get of a core, and never take one from somebody who is at work. It should
    /// offer the core (`sched_yield`) after some work, too: a reactor that is woken just after it has worked is not given it
    /// before. A thread that somebody gave a class of its own keeps it.
    pub fn give_way() {
        let less = attributes().and_then(|mut wanted| {
            if !is_usual(&wanted) {
                return Ok(());
            }
            wanted.sched_policy = libc::SCHED_BATCH.unsigned_abs();
            wanted.sched_nice = wanted.sched_nice.saturating_add(NICENESS).min(NICENESS_MAX);
            wanted.sched_runtime = GIVING_SLICE_NS;
            set(&wanted)
        });
        if let Err(error) = less {
            log::debug!("a thread that should give way weighs as much as all: {error}");
        }
    }

    #[cfg(test)]
    mod tests {
        use super::*;

        #[test]
        fn a_thread_keeps_all_but_its_slice_and_passes_that_on_to_none() {
            let of = |attributes: libc::sched_attr| (attributes.sched_policy, attributes.sched_nice);
            let before = attributes().unwrap();
            ask_for_short_slices().unwrap();
            let after = attributes().unwrap();
            assert_eq!(of(after), of(before));
            // 0 where the kernel has no slices of a thread's own.
            assert!([0, SLICE_NS].contains(&after.sched_runtime), "{}", after.sched_runtime);
            let child = std::thread::spawn(attributes).join().unwrap().unwrap();
            assert_eq!(of(child), of(before));
            assert_ne!(child.sched_runtime, SLICE_NS);
        }

        #[test]
        fn a_thread_that_gives_way_weighs_less_and_takes_no_core_from_others() {
            let before = attributes().unwrap();
            let after = std::thread::spawn(|| {
                give_way();
                attributes().unwrap()
            });
            let after = after.join().unwrap();
            let nice = (before.sched_nice + NICENESS).min(NICENESS_MAX);
            assert_eq!(
                (after.sched_policy, after.sched_nice),
                (libc::SCHED_BATCH.unsigned_abs(), nice)
            );
            assert!(
                [0, GIVING_SLICE_NS].contains(&after.sched_runtime),
                "{}",
                after.sched_runtime
            );
        }
    }
}
