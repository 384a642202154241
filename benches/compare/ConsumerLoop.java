// Apache Kafka's own consumer, doing what consumer_clients.py does: ConsumerLoop ADDRESS TOPIC COUNT prints one JSON line.

import com.sun.management.OperatingSystemMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

public final class ConsumerLoop {
    public static void main(String[] arguments) {
        Map<String, Object> options = Map.of("bootstrap.servers", arguments[0], "auto.offset.reset", "earliest",
            "enable.auto.commit", false, "key.deserializer", ByteArrayDeserializer.class,
            "value.deserializer", ByteArrayDeserializer.class);
        long count = Long.parseLong(arguments[2]);
        // The first time through the loop is compiled as it runs; the second is measured.
        String measured = "";
        for (int round = 0; round < 2; round++) measured = read(options, arguments[1], count);
        System.out.println(measured);
    }

    private static String read(Map<String, Object> options, String topic, long count) {
        var system = (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        var threads = ManagementFactory.getThreadMXBean();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(options)) {
            List<TopicPartition> partitions = consumer.partitionsFor(topic).stream()
                .map(info -> new TopicPartition(topic, info.partition())).toList();
            consumer.assign(partitions);
            long wall = System.nanoTime(), all = system.getProcessCpuTime(), caller = threads.getCurrentThreadCpuTime();
            long found = 0, bytes = 0;
            while (found < count) {
                for (ConsumerRecord<byte[], byte[]> record : consumer.poll(Duration.ofSeconds(5))) {
                    found++;
                    bytes += record.value().length;
                }
                if (System.nanoTime() - wall > 120_000_000_000L) throw new IllegalStateException(found + " records came");
            }
            double seconds = (System.nanoTime() - wall) / 1e9;
            return String.format("{\"records\": %d, \"bytes\": %d, \"records_per_s\": %.1f, \"caller_ns\": %.1f, "
                + "\"process_ns\": %.1f}", found, bytes, found / seconds,
                (threads.getCurrentThreadCpuTime() - caller) / (double) found,
                (system.getProcessCpuTime() - all) / (double) found);
        }
    }
}
