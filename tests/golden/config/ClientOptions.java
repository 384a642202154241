// Writes the options of Kafka's Java clients as JSON: name, type, default, valid values.
// java -cp "<kafka-clients, jackson>/*" ClientOptions.java | gzip -9n > client_options.json.gz   (kafka-clients 4.3.0)

import com.fasterxml.jackson.databind.ObjectMapper;
import java.util.*;
import org.apache.kafka.clients.admin.AdminClientConfig;
import org.apache.kafka.clients.consumer.ConsumerConfig;
import org.apache.kafka.clients.producer.ProducerConfig;
import org.apache.kafka.common.config.ConfigDef;

public class ClientOptions {
    static Map<String, Object> options(ConfigDef definition) {
        Map<String, Object> found = new TreeMap<>();
        for (ConfigDef.ConfigKey key : definition.configKeys().values()) {
            Map<String, Object> option = new LinkedHashMap<>();
            Object value = key.hasDefault() ? key.defaultValue : "<required>";
            option.put("type", key.type.toString());
            option.put("default", value instanceof List || value instanceof Number || value instanceof Boolean || value == null ? value : value.toString());
            option.put("valid", key.validator == null ? null : key.validator.toString());
            option.put("internal", key.internalConfig);
            found.put(key.name, option);
        }
        return found;
    }

    public static void main(String[] arguments) throws Exception {
        Map<String, Object> clients = new LinkedHashMap<>();
        clients.put("producer", options(ProducerConfig.configDef()));
        clients.put("consumer", options(ConsumerConfig.configDef()));
        clients.put("admin", options(AdminClientConfig.configDef()));
        System.out.println(new ObjectMapper().writeValueAsString(clients));
    }
}
