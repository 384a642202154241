// Writes cases and results of the group coordinator's own assignors, one JSON object a line.
// java -cp "<kafka libs>/*" TargetAssignments.java > target.jsonl      (kafka-group-coordinator 4.3.0, seed 20261121)

import com.fasterxml.jackson.databind.ObjectMapper;
import java.nio.ByteBuffer;
import java.util.*;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.coordinator.group.api.assignor.*;
import org.apache.kafka.coordinator.group.assignor.*;
import org.apache.kafka.coordinator.group.modern.MemberAssignmentImpl;

public class TargetAssignments {
    static final Random random = new Random(20261121L);

    record Member(Optional<String> instanceId, Set<Uuid> subscribedTopicIds, Map<Uuid, Set<Integer>> assigned) implements MemberSubscription {
        public Optional<String> rackId() { return Optional.empty(); }
    }

    record Group(Map<String, Member> members, SubscriptionType subscriptionType) implements GroupSpec {
        public Collection<String> memberIds() { return members.keySet(); }
        public boolean isPartitionAssigned(Uuid topic, int partition) {
            return members.values().stream().anyMatch(m -> m.assigned.getOrDefault(topic, Set.of()).contains(partition));
        }
        public boolean isPartitionAssignable(Uuid topic, int partition) { return true; }
        public MemberSubscription memberSubscription(String id) { return members.get(id); }
        public MemberAssignment memberAssignment(String id) { return new MemberAssignmentImpl(Collections.unmodifiableMap(members.get(id).assigned)); }
    }

    record Topics(Map<Uuid, Integer> counts) implements SubscribedTopicDescriber {
        public int numPartitions(Uuid topic) { return counts.getOrDefault(topic, -1); }
        public Set<String> racksForPartition(Uuid topic, int partition) { return Set.of(); }
    }

    static String hex(Uuid uuid) {
        ByteBuffer buffer = ByteBuffer.allocate(16).putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
        return HexFormat.of().formatHex(buffer.array());
    }

    static Map<String, Object> plain(Map<Uuid, Set<Integer>> partitions) {
        Map<String, Object> out = new TreeMap<>();
        partitions.forEach((topic, numbers) -> { if (!numbers.isEmpty()) out.put(hex(topic), new TreeSet<>(numbers)); });
        return out;
    }

    static String text(String prefix, int index) {
        return switch (random.nextInt(8)) {
            case 0 -> prefix + "-\u00e4" + index;
            case 1 -> prefix + "-\ud83d\ude00" + index;
            case 2 -> prefix + "-\uff5e" + index;
            default -> prefix + "-" + index;
        };
    }

    static Map<String, Object> assign(ConsumerGroupPartitionAssignor assignor, Group group, Topics topics, Map<String, Map<Uuid, Set<Integer>>> result) {
        Map<String, Object> out = new TreeMap<>();
        assignor.assign(group, topics).members().forEach((id, assignment) -> {
            out.put(id, plain(assignment.partitions()));
            if (result != null) {
                // In the order in which the case names them: the order of a hash table is nobody's rule.
                Map<Uuid, Set<Integer>> copy = new LinkedHashMap<>();
                assignment.partitions().entrySet().stream().sorted(Comparator.comparing(entry -> hex(entry.getKey())))
                    .forEach(entry -> { if (!entry.getValue().isEmpty()) copy.put(entry.getKey(), new TreeSet<>(entry.getValue())); });
                result.put(id, copy);
            }
        });
        return out;
    }

    public static void main(String[] arguments) throws Exception {
        ObjectMapper mapper = new ObjectMapper();
        int histories = arguments.length > 0 ? Integer.parseInt(arguments[0]) : 150;
        for (int history = 0; history < histories; history++) {
            // A group's life: members come and go and change their minds, topics grow and vanish.
            boolean alike = random.nextInt(2) == 0;
            Map<Uuid, Integer> counts = new LinkedHashMap<>();
            int topicCount = 1 + random.nextInt(history % 10 == 0 ? 30 : 6);
            int same = 1 + random.nextInt(12);
            for (int i = 0; i < topicCount; i++)
                counts.put(new Uuid(random.nextLong(), random.nextLong()), random.nextInt(3) == 0 ? random.nextInt(40) : same);
            Map<String, Map<Uuid, Set<Integer>>> target = new HashMap<>();
            Map<String, Optional<String>> instances = new LinkedHashMap<>();
            Map<String, Set<Uuid>> subscriptions = new LinkedHashMap<>();
            int steps = 1 + random.nextInt(8);
            int named = 0;
            for (int step = 0; step < steps; step++) {
                for (int change = random.nextInt(history % 15 == 0 ? 20 : 5); change >= 0; change--) {
                    if (instances.size() > 1 && random.nextInt(3) == 0) {
                        String gone = new ArrayList<>(instances.keySet()).get(random.nextInt(instances.size()));
                        instances.remove(gone);
                        subscriptions.remove(gone);
                        target.remove(gone);
                    } else {
                        String id = text("member", named++);
                        instances.put(id, random.nextInt(4) == 0 ? Optional.of(text("static", named)) : Optional.empty());
                        subscriptions.put(id, new LinkedHashSet<>());
                    }
                }
                for (Uuid topic : new ArrayList<>(counts.keySet()))
                    if (random.nextInt(12) == 0) counts.put(topic, counts.get(topic) + 1 + random.nextInt(5));
                List<Uuid> all = new ArrayList<>(counts.keySet());
                Set<Uuid> common = new LinkedHashSet<>();
                for (Uuid topic : all) if (random.nextInt(5) > 0) common.add(topic);
                if (common.isEmpty()) common.add(all.get(0));
                for (String id : subscriptions.keySet()) {
                    Set<Uuid> mine = new LinkedHashSet<>(common);
                    if (!alike) {
                        mine = new LinkedHashSet<>();
                        for (Uuid topic : all) if (random.nextInt(2) == 0) mine.add(topic);
                    }
                    subscriptions.put(id, mine);
                }
                Map<String, Member> members = new LinkedHashMap<>();
                Map<String, Object> said = new LinkedHashMap<>();
                for (String id : subscriptions.keySet()) {
                    Member member = new Member(instances.get(id), subscriptions.get(id), target.getOrDefault(id, Map.of()));
                    members.put(id, member);
                    Map<String, Object> one = new LinkedHashMap<>();
                    one.put("instance", member.instanceId.orElse(null));
                    one.put("topics", member.subscribedTopicIds.stream().map(TargetAssignments::hex).toList());
                    one.put("assignment", plain(member.assigned));
                    said.put(id, one);
                }
                boolean homogeneous = new HashSet<>(subscriptions.values()).size() == 1;
                Group group = new Group(members, homogeneous ? SubscriptionType.HOMOGENEOUS : SubscriptionType.HETEROGENEOUS);
                Map<String, Object> line = new LinkedHashMap<>();
                Map<String, Object> topics = new LinkedHashMap<>();
                counts.forEach((topic, count) -> topics.put(hex(topic), count));
                line.put("topics", topics);
                line.put("members", said);
                line.put("range", assign(new RangeAssignor(), group, new Topics(counts), null));
                Map<String, Map<Uuid, Set<Integer>>> next = new HashMap<>();
                line.put("uniform", assign(new UniformAssignor(), group, new Topics(counts), next));
                System.out.println(mapper.writeValueAsString(line));
                target = next;
            }
        }
    }
}
