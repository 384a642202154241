//! Arrow rows to record batches: any arrays, those included that point outside of their buffers.

use barnabas_columnar::encode::check::check;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig { cases: 4_000, ..ProptestConfig::default() })]

    #[test]
    fn any_arrays_are_refused_or_read_again_as_they_were(data in proptest::collection::vec(any::<u8>(), 0..600)) {
        check(&data);
    }

    #[test]
    fn arrays_that_mostly_fit_too(data in proptest::collection::vec(0u8..40, 0..1200)) {
        check(&data);
    }
}
