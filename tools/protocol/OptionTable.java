import java.lang.reflect.Field;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.apache.kafka.common.config.ConfigDef;
import org.apache.kafka.coordinator.group.GroupConfig;
import org.apache.kafka.server.config.AbstractKafkaConfig;
import org.apache.kafka.server.config.ConfigSynonym;
import org.apache.kafka.server.config.DynamicBrokerConfig;
import org.apache.kafka.server.config.DynamicConfig;
import org.apache.kafka.server.config.ServerTopicConfigSynonyms;
import org.apache.kafka.server.metrics.ClientMetricsConfigs;
import org.apache.kafka.storage.internals.log.LogConfig;

/**
 * Prints Kafka's option tables as tab-separated facts. One line per option: table, name, type, default ("<none>" without
 * one), importance, whether it is internal, update mode, and what makes a value valid. Then one line per broker option
 * that gives another one's default: "synonym", table, name, the broker's option, factor from its unit to this one's.
 */
public final class OptionTable {
    private static final Map<String, String> MODES = DynamicBrokerConfig.dynamicConfigUpdateModes();
    private static final long PROBE = 7;

    private OptionTable() {
    }

    public static void main(String[] arguments) throws ReflectiveOperationException {
        print("broker", AbstractKafkaConfig.CONFIG_DEF);
        print("broker-quota", quotas());
        print("topic", LogConfig.configDefCopy());
        print("group", GroupConfig.CONFIG_DEF);
        print("client-metrics", ClientMetricsConfigs.configDef());
        for (Map.Entry<String, List<ConfigSynonym>> entry : new TreeMap<>(ServerTopicConfigSynonyms.ALL_TOPIC_CONFIG_SYNONYMS).entrySet()) {
            for (ConfigSynonym synonym : entry.getValue()) {
                long factor = Long.parseLong(synonym.converter().apply(Long.toString(PROBE))) / PROBE;
                System.out.println(String.join("\t", "synonym", "topic", entry.getKey(), synonym.name(), Long.toString(factor)));
            }
        }
        for (Map.Entry<String, Optional<String>> entry : new TreeMap<>(GroupConfig.ALL_GROUP_CONFIG_SYNONYMS).entrySet()) {
            entry.getValue().ifPresent(option -> System.out.println(String.join("\t", "synonym", "group", entry.getKey(), option, "1")));
        }
    }

    /** Returns the options that a broker has at any time but not for a start. */
    private static ConfigDef quotas() throws ReflectiveOperationException {
        Field field = DynamicConfig.Broker.class.getDeclaredField("BROKER_CONFIGS");
        field.setAccessible(true);
        ConfigDef found = new ConfigDef();
        for (ConfigDef.ConfigKey key : ((ConfigDef) field.get(null)).configKeys().values()) {
            if (!AbstractKafkaConfig.CONFIG_DEF.names().contains(key.name)) {
                found.define(key);
            }
        }
        return found;
    }

    private static void print(String table, ConfigDef options) throws ReflectiveOperationException {
        for (ConfigDef.ConfigKey key : new TreeMap<>(options.configKeys()).values()) {
            String mode = table.startsWith("broker") ? MODES.getOrDefault(key.name, "read-only") : "dynamic";
            String given = key.hasDefault() && key.defaultValue != null ? ConfigDef.convertToString(key.defaultValue, key.type) : "<none>";
            System.out.println(String.join("\t", table, key.name, key.type.name(), given, key.importance.name(),
                Boolean.toString(key.internalConfig), mode, rule(key.validator)));
        }
    }

    /** Returns what makes a value valid; a validator that is not one of the usual kinds is named. */
    private static String rule(ConfigDef.Validator validator) throws ReflectiveOperationException {
        if (validator == null) {
            return "";
        }
        String kind = validator.getClass().getSimpleName();
        return switch (kind) {
            case "Range" -> "range " + field(validator, "min") + " " + field(validator, "max");
            case "ValidString" -> "words " + words(validator);
            case "CaseInsensitiveValidString" -> "words-of-any-case " + words(validator);
            case "ValidList" -> {
                boolean empty = (Boolean) field(validator, "isEmptyAllowed");
                yield (empty ? "list " : "filled-list ") + words(field(validator, "validString"));
            }
            case "LambdaValidator" -> "text " + validator;
            default -> kind.equals("Validator") ? validator.getClass().getEnclosingClass().getSimpleName() : kind;
        };
    }

    private static Object field(Object owner, String name) throws ReflectiveOperationException {
        Field field = owner.getClass().getDeclaredField(name);
        field.setAccessible(true);
        return field.get(owner);
    }

    private static String words(Object owner) throws ReflectiveOperationException {
        Object words = field(owner, "validStrings");
        return String.join(",", ((java.util.Collection<?>) words).stream().map(Object::toString).toList());
    }
}
