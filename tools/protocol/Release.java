import java.lang.reflect.Method;
import java.util.List;

/** Prints what the release on the class path serves: "api KEY MIN MAX" per API, "feature NAME MIN MAX" per feature. */
public class Release {
    public static void main(String[] arguments) throws Exception {
        Class<?> keys = Class.forName("org.apache.kafka.common.protocol.ApiKeys");
        for (Object key : keys.getEnumConstants()) {
            int id = ((Number) keys.getField("id").get(key)).intValue();
            short oldest = (short) keys.getMethod("oldestVersion").invoke(key);
            short latest = latest(keys, key);
            if (oldest <= latest) {
                System.out.println("api " + id + " " + oldest + " " + latest);
            }
        }
        try {
            features();
        } catch (ClassNotFoundException before33) {
            // Releases without levels of features.
        }
    }

    /** The newest stable version; releases before 3.5 had none that was not stable. */
    private static short latest(Class<?> keys, Object key) throws Exception {
        for (Method method : keys.getMethods()) {
            if (method.getName().equals("latestVersion") && method.getParameterCount() == 1) {
                return (short) method.invoke(key, false);
            }
        }
        return (short) keys.getMethod("latestVersion").invoke(key);
    }

    private static void features() throws Exception {
        Class<?> metadata = Class.forName("org.apache.kafka.server.common.MetadataVersion");
        Method level = metadata.getMethod("featureLevel");
        Object minimum = level.invoke(metadata.getField("MINIMUM_KRAFT_VERSION").get(null));
        Object latest = level.invoke(metadata.getField("LATEST_PRODUCTION").get(null));
        System.out.println("feature metadata.version " + minimum + " " + latest);
        Class<?> features = Class.forName("org.apache.kafka.server.common.Features");
        for (Object feature : (List<?>) features.getField("PRODUCTION_FEATURES").get(null)) {
            System.out.println("feature " + features.getMethod("featureName").invoke(feature)
                + " " + features.getMethod("minimumProduction").invoke(feature)
                + " " + features.getMethod("latestProduction").invoke(feature));
        }
    }
}
