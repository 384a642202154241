// Compacts partition directories with Kafka's own log cleaner, as the reference for ours.
//
//   java -cp '<Kafka>/libs/*' tools/log/CleanLog.java <jobs>
//
// Each line of the file <jobs> is: directory, wall clock in ms, first dirty offset, memory of the offset map, segment.bytes,
// index.interval.bytes, delete.retention.ms. The directory is opened as after a clean shutdown, everything in it counts as
// replicated, and the cleaner goes through it until the dirty part is done. Per line: the offset that the last round ended at.

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Properties;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.common.utils.Timer;
import org.apache.kafka.server.util.KafkaScheduler;
import org.apache.kafka.storage.internals.log.Cleaner;
import org.apache.kafka.storage.internals.log.LogConfig;
import org.apache.kafka.storage.internals.log.LogDirFailureChannel;
import org.apache.kafka.storage.internals.log.LogToClean;
import org.apache.kafka.storage.internals.log.ProducerStateManagerConfig;
import org.apache.kafka.storage.internals.log.SkimpyOffsetMap;
import org.apache.kafka.storage.internals.log.UnifiedLog;
import org.apache.kafka.storage.internals.utils.Throttler;
import org.apache.kafka.storage.log.metrics.BrokerTopicStats;

public class CleanLog {
    /** A wall clock that stands still. */
    record Still(long now) implements Time {
        public long milliseconds() {
            return now;
        }

        public long nanoseconds() {
            return Time.SYSTEM.nanoseconds();
        }

        public void sleep(long ms) {
            Time.SYSTEM.sleep(ms);
        }

        public void waitObject(Object object, Supplier<Boolean> condition, long deadlineMs) throws InterruptedException {
            Time.SYSTEM.waitObject(object, condition, deadlineMs);
        }

        public <T> T waitForFuture(java.util.concurrent.CompletableFuture<T> future, long deadlineNs)
                throws TimeoutException, InterruptedException, java.util.concurrent.ExecutionException {
            return Time.SYSTEM.waitForFuture(future, deadlineNs);
        }

        public Timer timer(long timeoutMs) {
            return Time.SYSTEM.timer(timeoutMs);
        }
    }

    public static void main(String[] args) throws Exception {
        KafkaScheduler scheduler = new KafkaScheduler(1);
        scheduler.startup();
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            String[] words = line.trim().split("\\s+");
            System.out.println(clean(words, scheduler));
        }
        scheduler.shutdown();
    }

    static long clean(String[] words, KafkaScheduler scheduler) throws Exception {
        Time time = new Still(Long.parseLong(words[1]));
        Properties options = new Properties();
        options.put("cleanup.policy", "compact");
        options.put("internal.segment.bytes", words[4]);
        options.put("index.interval.bytes", words[5]);
        options.put("delete.retention.ms", words[6]);
        options.put("file.delete.delay.ms", "0");
        UnifiedLog log = UnifiedLog.create(
            new File(words[0]), new LogConfig(options), 0L, 0L, scheduler, new BrokerTopicStats(), time,
            Integer.MAX_VALUE, new ProducerStateManagerConfig(Integer.MAX_VALUE, false), 600_000,
            new LogDirFailureChannel(10), true, Optional.empty());
        log.updateHighWatermark(log.logEndOffset());
        SkimpyOffsetMap map = new SkimpyOffsetMap(Integer.parseInt(words[3]));
        Throttler throttler = new Throttler(Double.MAX_VALUE, 300, "cleaner-io", "bytes", time);
        Cleaner cleaner = new Cleaner(0, map, 64 << 10, 2 << 20, 0.9, throttler, time, partition -> { });
        long dirty = Long.parseLong(words[2]);
        long end = Math.max(dirty, Math.min(log.lastStableOffset(), log.activeSegment().baseOffset()));
        while (true) {
            LogToClean next = new LogToClean(log, dirty, end, false);
            if (next.cleanableBytes() == 0) {
                break;
            }
            long cleaned = cleaner.doClean(next, time.milliseconds()).getKey();
            if (cleaned <= dirty) {
                throw new IllegalStateException("the offset map is too small");
            }
            dirty = cleaned;
        }
        log.close();
        return dirty;
    }
}
