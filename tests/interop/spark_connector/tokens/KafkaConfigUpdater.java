// Options go to the client as they are.
package org.apache.spark.kafka010;

import java.util.HashMap;
import java.util.Map;
import scala.Option;
import scala.jdk.javaapi.CollectionConverters;

public class KafkaConfigUpdater {
    private final Map<String, Object> options;

    public KafkaConfigUpdater(String module, scala.collection.immutable.Map<String, Object> options) {
        this.options = new HashMap<>(CollectionConverters.asJava(options));
    }

    public KafkaConfigUpdater set(String name, Object value) {
        options.put(name, value);
        return this;
    }

    public KafkaConfigUpdater setIfUnset(String name, Object value) {
        options.putIfAbsent(name, value);
        return this;
    }

    public KafkaConfigUpdater setAuthenticationConfigIfNeeded() {
        return this;
    }

    public KafkaConfigUpdater setAuthenticationConfigIfNeeded(Option<?> cluster) {
        return this;
    }

    public Map<String, Object> build() {
        return options;
    }
}
