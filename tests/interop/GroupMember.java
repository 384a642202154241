// A member of a group with Java's consumer that says what group_member.py says, and can be told as that to work at the records
// that it read last: from one SIGUSR1 to the next it does not poll. Kafka's VerifiableConsumer cannot be slow.
//
//   java -cp "$KAFKA_LIBS/*" GroupMember.java '{"address": ..., "group": ..., "topic": ..., "properties": {...}}'

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.apache.kafka.clients.consumer.ConsumerRebalanceListener;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.ConsumerRecords;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;

import sun.misc.Signal;

public final class GroupMember {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final Duration PAUSE = Duration.ofMillis(100);
    private static final CountDownLatch LEFT = new CountDownLatch(1);
    private static volatile boolean working;
    private static volatile boolean stopping;

    private static final class Listener implements ConsumerRebalanceListener {
        @Override
        public void onPartitionsAssigned(Collection<TopicPartition> partitions) {
            say("assigned", "partitions", numbers(partitions));
        }

        @Override
        public void onPartitionsRevoked(Collection<TopicPartition> partitions) {
            say("revoked", "partitions", numbers(partitions));
        }
    }

    public static void main(String[] arguments) throws Exception {
        JsonNode given = JSON.readTree(arguments[0]);
        Properties properties = new Properties();
        properties.put("bootstrap.servers", given.get("address").asText());
        properties.put("group.id", given.get("group").asText());
        properties.put("auto.offset.reset", "earliest");
        properties.put("enable.auto.commit", "false");
        given.get("properties").properties().forEach(each -> properties.put(each.getKey(), each.getValue().asText()));
        Signal.handle(new Signal("USR1"), signal -> working = !working);
        Runtime.getRuntime().addShutdownHook(new Thread(GroupMember::stop));
        ByteArrayDeserializer bytes = new ByteArrayDeserializer();
        try (KafkaConsumer<byte[], byte[]> consumer = new KafkaConsumer<>(properties, bytes, bytes)) {
            consumer.subscribe(List.of(given.get("topic").asText()), new Listener());
            live(consumer);
        } finally {
            say("left");
            LEFT.countDown();
        }
    }

    /** At SIGTERM: waits until the consumer has left its group. */
    private static void stop() {
        stopping = true;
        try {
            LEFT.await();
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    private static void live(KafkaConsumer<byte[], byte[]> consumer) throws InterruptedException {
        while (!stopping) {
            ConsumerRecords<byte[], byte[]> records = consumer.poll(PAUSE);
            if (records.isEmpty()) {
                continue;
            }
            for (TopicPartition partition : records.partitions()) {
                List<ConsumerRecord<byte[], byte[]>> read = records.records(partition);
                long last = read.get(read.size() - 1).offset();
                say("read", "partition", partition.partition(), "first", read.get(0).offset(), "last", last);
            }
            if (working) {
                say("works");
            }
            while (working && !stopping) {
                Thread.sleep(PAUSE.toMillis());
            }
            try {
                consumer.commitSync();
            } catch (KafkaException refused) {
                say("commit failed", "why", refused.toString());
            }
        }
    }

    private static List<Integer> numbers(Collection<TopicPartition> partitions) {
        List<Integer> numbers = new ArrayList<>();
        partitions.forEach(partition -> numbers.add(partition.partition()));
        return numbers;
    }

    /** A JSON line: the event, the time, and names with their values. */
    private static void say(String event, Object... more) {
        Map<String, Object> said = new TreeMap<>();
        said.put("event", event);
        said.put("at", System.currentTimeMillis() / 1000.0);
        for (int index = 0; index < more.length; index += 2) {
            said.put((String) more[index], more[index + 1]);
        }
        try {
            System.out.println(JSON.writeValueAsString(said));
        } catch (java.io.IOException impossible) {
            throw new java.io.UncheckedIOException(impossible);
        }
    }

    private GroupMember() {
    }
}
