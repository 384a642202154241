// Writes cases and results of Kafka's own RangeAssignor and ConsumerProtocol, one JSON object a line.
// java -cp "<kafka libs>/*" RangeAssignments.java > range.jsonl        (kafka-clients 4.3.0, seed 20261121)

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.*;
import org.apache.kafka.clients.consumer.RangeAssignor;
import org.apache.kafka.clients.consumer.internals.ConsumerProtocol;
import org.apache.kafka.common.*;

public class RangeAssignments {
    static final Random random = new Random(20261121L);

    static String hex(ByteBuffer buffer) {
        return HexFormat.of().formatHex(Arrays.copyOfRange(buffer.array(), buffer.arrayOffset() + buffer.position(), buffer.arrayOffset() + buffer.limit()));
    }

    static String text(String prefix, int index) {
        return switch (random.nextInt(8)) {
            case 0 -> prefix + "-\u00e4" + index;
            case 1 -> prefix + "-\ud83d\ude00" + index;
            case 2 -> prefix + "-\uff5e" + index;
            default -> prefix + "-" + index;
        };
    }

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        for (int number = 0; number < 400; number++) {
            boolean racks = random.nextInt(3) == 0;
            int rackCount = 1 + random.nextInt(4);
            Node[] nodes = new Node[1 + random.nextInt(5)];
            for (int i = 0; i < nodes.length; i++)
                nodes[i] = new Node(i, "h", 9092, racks && random.nextInt(10) > 0 ? "r" + i % rackCount : null);
            Map<String, Object> topics = new LinkedHashMap<>();
            List<PartitionInfo> infos = new ArrayList<>();
            List<String> names = new ArrayList<>();
            int topicCount = random.nextInt(number % 20 == 0 ? 40 : 6);
            int sameCount = 1 + random.nextInt(8);
            for (int i = 0; i < topicCount; i++) {
                String topic = text("topic", i);
                names.add(topic);
                int count = random.nextInt(3) == 0 ? random.nextInt(12) : sameCount;
                List<Object> partitions = new ArrayList<>();
                for (int p = 0; p < count; p++) {
                    int replication = 1 + random.nextInt(Math.min(3, nodes.length));
                    Node[] replicas = new Node[replication];
                    List<String> replicaRacks = new ArrayList<>();
                    for (int r = 0; r < replication; r++) {
                        replicas[r] = nodes[(p + r + i) % nodes.length];
                        replicaRacks.add(replicas[r].rack());
                    }
                    infos.add(new PartitionInfo(topic, p, replicas[0], replicas, replicas));
                    partitions.add(replicaRacks);
                }
                topics.put(topic, partitions);
            }
            names.add("missing");
            Map<String, Subscription> subscriptions = new HashMap<>();
            Map<String, Object> members = new LinkedHashMap<>();
            int memberCount = 1 + random.nextInt(6);
            boolean sameTopics = random.nextBoolean();
            for (int m = 0; m < memberCount; m++) {
                String id = text("member", random.nextInt(1000)) + "-" + m;
                List<String> subscribed = new ArrayList<>();
                for (String name : names)
                    if (sameTopics || random.nextInt(3) > 0)
                        subscribed.add(name);
                Collections.sort(subscribed);
                Optional<String> rack = racks && random.nextInt(6) > 0 ? Optional.of("r" + random.nextInt(rackCount)) : Optional.empty();
                List<TopicPartition> owned = new ArrayList<>();
                for (PartitionInfo info : infos)
                    if (random.nextInt(9) == 0)
                        owned.add(new TopicPartition(info.topic(), info.partition()));
                Subscription subscription = new Subscription(subscribed, null, owned, number - 1, rack);
                Map<String, Object> member = new LinkedHashMap<>();
                if (random.nextInt(5) == 0) {
                    String instance = text("instance", random.nextInt(1000)) + "-" + m;
                    subscription.setGroupInstanceId(Optional.of(instance));
                    member.put("instance", instance);
                }
                subscriptions.put(id, subscription);
                member.put("topics", subscribed);
                member.put("rack", rack.orElse(null));
                List<Object> ownedOut = new ArrayList<>();
                for (TopicPartition partition : owned)
                    ownedOut.add(List.of(partition.topic(), partition.partition()));
                member.put("owned", ownedOut);
                member.put("bytes", hex(ConsumerProtocol.serializeSubscription(subscription)));
                members.put(id, member);
            }
            Cluster cluster = new Cluster("c", Arrays.asList(nodes), infos, Set.of(), Set.of());
            Map<String, Assignment> result = new RangeAssignor().assign(cluster, new GroupSubscription(subscriptions)).groupAssignment();
            Map<String, Object> assignments = new LinkedHashMap<>();
            for (String id : members.keySet()) {
                List<Object> partitions = new ArrayList<>();
                for (TopicPartition partition : result.get(id).partitions())
                    partitions.add(List.of(partition.topic(), partition.partition()));
                assignments.put(id, Map.of("partitions", partitions, "bytes", hex(ConsumerProtocol.serializeAssignment(result.get(id)))));
            }
            Map<String, Object> line = new LinkedHashMap<>();
            line.put("generation", number - 1);
            line.put("topics", topics);
            line.put("members", members);
            line.put("assignments", assignments);
            System.out.println(mapper.writeValueAsString(line));
        }
    }
}
