// Writes what Kafka says of topic options: name, value(s), and the text of its refusal or null, as JSON.
// java -cp "<kafka_2.13, kafka-storage, jackson ...>/*" TopicOptions.java | gzip -9n > topic_options.json.gz   (Kafka 4.3.0)

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.storage.internals.log.LogConfig;

public class TopicOptions {
    static final String[] NUMBERS = {"-131073", "-131072", "-3", "-2", "-1", "0", "1", "3", "4", "9", "10", "17", "18", "22",
        "23", "1048575", "1048576", "2147483647", "2147483648", "9223372036854775807", "9223372036854775808", "0.5", "1.5", "x",
        "", " 7 "};
    static final String[] WORDS = {"true", "TRUE", "yes", "delete", "compact", "compact,delete", "delete, compact", "delete,",
        "compact,compact", "gzip", "GZIP", "none", "uncompressed", "producer", "zstd", "lz4", "snappy", "CreateTime",
        "createtime", "LogAppendTime", "*", "0:1,1:2", "nonsense"};
    static final List<Map<String, String>> TOGETHER = List.of(
        Map.of("min.compaction.lag.ms", "10", "max.compaction.lag.ms", "9"),
        Map.of("min.compaction.lag.ms", "10", "max.compaction.lag.ms", "10"),
        Map.of("min.compaction.lag.ms", "10"),
        Map.of("no.such.option", "1"),
        Map.of("remote.storage.enable", "true"),
        Map.of("remote.storage.enable", "false"),
        Map.of("remote.storage.enable", "true", "cleanup.policy", "compact"),
        Map.of("remote.log.copy.disable", "true"),
        Map.of("remote.log.delete.on.disable", "true"),
        Map.of("local.retention.ms", "1000"),
        Map.of("local.retention.bytes", "1000"),
        Map.of("local.retention.ms", "1000", "retention.ms", "10"),
        Map.of("local.retention.bytes", "1000", "retention.bytes", "10"));

    static String verdict(Map<String, String> options) {
        try {
            LogConfig.validate(Map.of(), options, Map.of(), false);
            return null;
        } catch (Exception error) {
            return error.getClass().getSimpleName() + ": " + error.getMessage();
        }
    }

    public static void main(String[] args) throws Exception {
        List<Object> cases = new ArrayList<>();
        for (String name : new TreeSet<>(LogConfig.configNames())) {
            for (String[] values : List.of(NUMBERS, WORDS)) {
                for (String value : values) {
                    Map<String, String> options = Map.of(name, value);
                    cases.add(Arrays.asList(options, verdict(options)));
                }
            }
        }
        for (Map<String, String> options : TOGETHER) {
            cases.add(Arrays.asList(options, verdict(options)));
        }
        new ObjectMapper().writeValue(System.out, cases);
    }
}
