//! Asks the scheduler to run a reactor soon after it is woken. The only file of this crate with `unsafe`.
//!
//! A reactor works for microseconds at a time and waits in between. Where it shares its cores with threads that work all
//! the time (helpers that write at the disk's speed, clients on the same machine), Linux lets such a thread finish its
//! slice of some milliseconds before one that was woken; one that asked for a shorter slice does not wait for that.

#[cfg(target_os = "linux")]
pub(crate) use linux::ask_for_short_slices;

#[cfg(target_os = "linux")]
mod linux {
    use std::io;

    /// Shorter than what the scheduler gives by itself (3 ms), longer than what a reactor does between two waits.
    const SLICE_NS: u64 = 500_000;

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

    /// Asks for short slices for this thread, and not for those that it starts. Kernels before 6.12 keep their own.
    #[expect(unsafe_code, reason = "the call has no wrapper")]
    pub(crate) fn ask_for_short_slices() -> io::Result<()> {
        let mut wanted = attributes()?;
        if !matches!(
            i32::try_from(wanted.sched_policy),
            Ok(libc::SCHED_OTHER | libc::SCHED_BATCH)
        ) {
            // Somebody gave it a better class.
            return Ok(());
        }
        wanted.sched_flags |= u64::from(libc::SCHED_FLAG_RESET_ON_FORK.unsigned_abs());
        wanted.sched_runtime = SLICE_NS;
        // SAFETY: the kernel reads as many bytes as the structure says that it is long.
        let result = unsafe { libc::syscall(libc::SYS_sched_setattr, 0, &raw const wanted, 0) };
        if result == 0 {
            Ok(())
        } else {
            Err(io::Error::last_os_error())
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
    }
}
