// Writes lives of random groups and what Kafka's own client assignors make of each step, one JSON object a line.
// java -cp "<kafka-clients, jackson>/*" StickyAssignments.java 200 > sticky.jsonl       (kafka-clients 4.3.0, seed 20261121)

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor;
import org.apache.kafka.clients.consumer.ConsumerPartitionAssignor.*;
import org.apache.kafka.clients.consumer.*;
import org.apache.kafka.common.*;

public class StickyAssignments {
    static Random random;

    static class Member {
        List<String> topics;
        String rack, instance;
        List<TopicPartition> had;      // null until the first assignment
        int generation = -1;
    }

    static String text(String prefix, int index) {
        return switch (random.nextInt(8)) {
            case 0 -> prefix + "-\u00e4" + index;
            case 1 -> prefix + "-\ud83d\ude00" + index;
            case 2 -> prefix + "-\uff5e" + index;
            default -> prefix + "-" + index;
        };
    }

    static String hex(ByteBuffer buffer) {
        if (buffer == null) return null;
        ByteBuffer copy = buffer.duplicate();
        byte[] bytes = new byte[copy.remaining()];
        copy.get(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    static List<Object> out(Collection<TopicPartition> partitions) {
        List<Object> list = new ArrayList<>();
        for (TopicPartition partition : partitions) list.add(List.of(partition.topic(), partition.partition()));
        return list;
    }

    static ByteBuffer userData(String name, Member member, Set<String> topics) {
        ConsumerPartitionAssignor assignor = assignor(name);
        if (member.had != null)
            assignor.onAssignment(new Assignment(member.had), new ConsumerGroupMetadata("g", member.generation, "m", Optional.empty()));
        return assignor.subscriptionUserData(topics);
    }

    static ConsumerPartitionAssignor assignor(String name) {
        return switch (name) {
            case "roundrobin" -> new RoundRobinAssignor();
            case "sticky" -> new StickyAssignor();
            default -> new CooperativeStickyAssignor();
        };
    }

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        int groups = Integer.parseInt(arguments[0]);
        for (int group = 0; group < groups; group++)
            for (String name : List.of("roundrobin", "sticky", "cooperative-sticky")) {
                random = new Random(20261121L * 1000003 + group);
                live(mapper, name, group, name.equals("roundrobin") ? 2 : 5);
            }
    }

    static void live(ObjectMapper mapper, String name, int group, int steps) throws Exception {
        boolean racks = random.nextInt(3) == 0;
        boolean sameTopics = random.nextBoolean();
        int rackCount = 1 + random.nextInt(4);
        Node[] nodes = new Node[1 + random.nextInt(5)];
        for (int i = 0; i < nodes.length; i++)
            nodes[i] = new Node(i, "h", 9092, racks && random.nextInt(12) > 0 ? "r" + i % rackCount : null);
        List<String> names = new ArrayList<>();
        Map<String, Integer> counts = new LinkedHashMap<>();
        int topicCount = 1 + random.nextInt(group % 20 == 0 ? 25 : 6);
        for (int i = 0; i < topicCount; i++) {
            String topic = text("topic", i);
            names.add(topic);
            counts.put(topic, 1 + random.nextInt(group % 10 == 0 ? 40 : 9));
        }
        if (random.nextInt(4) == 0) names.add("missing");
        Map<String, Member> members = new LinkedHashMap<>();
        int memberCount = 1 + random.nextInt(group % 15 == 0 ? 20 : 6);
        for (int m = 0; m < memberCount; m++) join(members, names, sameTopics, racks, rackCount);
        int generation = 0;
        for (int step = 0; step < steps; step++) {
            generation++;
            List<PartitionInfo> infos = new ArrayList<>();
            Map<String, Object> topics = new LinkedHashMap<>();
            int number = 0;
            for (var entry : counts.entrySet()) {
                List<Object> partitions = new ArrayList<>();
                for (int p = 0; p < entry.getValue(); p++) {
                    Node[] replicas = new Node[1 + (p + number) % Math.min(3, nodes.length)];
                    List<String> replicaRacks = new ArrayList<>();
                    for (int r = 0; r < replicas.length; r++) {
                        replicas[r] = nodes[(p + r + number) % nodes.length];
                        replicaRacks.add(replicas[r].rack());
                    }
                    infos.add(new PartitionInfo(entry.getKey(), p, replicas[0], replicas, replicas));
                    partitions.add(replicaRacks);
                }
                topics.put(entry.getKey(), partitions);
                number++;
            }
            Map<String, Subscription> subscriptions = new HashMap<>();
            Map<String, Object> membersOut = new LinkedHashMap<>();
            for (var entry : members.entrySet()) {
                Member member = entry.getValue();
                List<TopicPartition> owned = name.equals("cooperative-sticky") && member.had != null ? member.had : List.of();
                int said = random.nextInt(12) == 0 ? -1 : member.generation;       // an old client does not say
                ByteBuffer data = random.nextInt(25) == 0 ? null : userData(name, member, new TreeSet<>(member.topics));
                if (random.nextInt(40) == 0) data = ByteBuffer.wrap(new byte[] {0, 0, 0, 9, 1});
                if (data != null && name.equals("sticky") && random.nextInt(30) == 0)    // version 0 has no generation
                    data = ByteBuffer.wrap(Arrays.copyOf(data.array(), data.array().length - 4));
                Subscription subscription = new Subscription(member.topics, data, owned, said, Optional.ofNullable(member.rack));
                if (member.instance != null) subscription.setGroupInstanceId(Optional.of(member.instance));
                subscriptions.put(entry.getKey(), subscription);
                Map<String, Object> out = new LinkedHashMap<>();
                out.put("topics", member.topics);
                out.put("rack", member.rack);
                out.put("instance", member.instance);
                out.put("owned", out(owned));
                out.put("generation", said);
                out.put("data", hex(data));
                out.put("had", member.had == null ? null : out(member.had));
                out.put("since", member.generation);
                out.put("user_data", hex(userData(name, member, new TreeSet<>(member.topics))));
                membersOut.put(entry.getKey(), out);
            }
            Cluster cluster = new Cluster("c", Arrays.asList(nodes), infos, Set.of(), Set.of());
            Map<String, Object> line = new LinkedHashMap<>();
            Map<String, Assignment> result;
            try {
                result = assignor(name).assign(cluster, new GroupSubscription(subscriptions)).groupAssignment();
            } catch (RuntimeException problem) {
                line.put("raised", problem.toString());
                result = null;
            }
            line.put("assignor", name);
            line.put("group", group);
            line.put("topics", topics);
            line.put("members", membersOut);
            if (result != null) {
                Map<String, Object> assignments = new LinkedHashMap<>();
                for (String id : members.keySet()) assignments.put(id, out(result.get(id).partitions()));
                line.put("assignments", assignments);
            }
            // Kafka gives a partition back to a former owner even if that no longer subscribes to it: no vector to keep.
            boolean wrong = false;
            if (result != null)
                for (var entry : result.entrySet())
                    for (TopicPartition partition : entry.getValue().partitions())
                        wrong |= !members.get(entry.getKey()).topics.contains(partition.topic());
            if (wrong) return;
            System.out.println(mapper.writeValueAsString(line));
            if (result == null) return;
            // Most members get their assignment; some do not hear of it, some fall out of the group and come back.
            for (var entry : members.entrySet())
                if (random.nextInt(8) > 0) {
                    entry.getValue().had = result.get(entry.getKey()).partitions();
                    entry.getValue().generation = generation;
                }
            if (random.nextInt(3) == 0) join(members, names, sameTopics, racks, rackCount);
            if (random.nextInt(3) == 0 && members.size() > 1)
                members.remove(new ArrayList<>(members.keySet()).get(random.nextInt(members.size())));
            if (random.nextInt(4) == 0) {
                String topic = new ArrayList<>(counts.keySet()).get(random.nextInt(counts.size()));
                counts.put(topic, counts.get(topic) + random.nextInt(4));
            }
            if (random.nextInt(6) == 0)
                for (Member member : members.values())
                    if (random.nextInt(3) == 0) member.topics = subscribe(names, sameTopics);
        }
    }

    static List<String> subscribe(List<String> names, boolean sameTopics) {
        List<String> subscribed = new ArrayList<>();
        for (String name : names) if (sameTopics || random.nextInt(3) > 0) subscribed.add(name);
        if (subscribed.isEmpty()) subscribed.add(names.get(0));
        Collections.sort(subscribed);
        return subscribed;
    }

    static void join(Map<String, Member> members, List<String> names, boolean sameTopics, boolean racks, int rackCount) {
        Member member = new Member();
        member.topics = subscribe(names, sameTopics);
        member.rack = racks && random.nextInt(6) > 0 ? "r" + random.nextInt(rackCount) : null;
        member.instance = random.nextInt(5) == 0 ? text("instance", random.nextInt(100000)) : null;
        members.put(text("member", random.nextInt(1000)) + "-" + members.size() + random.nextInt(100), member);
    }
}
