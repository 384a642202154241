import org.apache.kafka.common.errors.ApiException;
import org.apache.kafka.common.errors.InvalidMetadataException;
import org.apache.kafka.common.errors.RetriableException;
import org.apache.kafka.common.protocol.Errors;

/**
 * Prints Kafka's error table as tab-separated facts: code, name, retriable, refreshes metadata, exception class, its
 * ancestors up to ApiException. Run as a single file with kafka-clients on the class path.
 */
public final class ErrorTable {
    private ErrorTable() {
    }

    public static void main(String[] arguments) {
        for (Errors error : Errors.values()) {
            ApiException exception = error.exception();
            StringBuilder ancestors = new StringBuilder();
            if (exception != null) {
                for (Class<?> c = exception.getClass().getSuperclass(); c != ApiException.class && c != RuntimeException.class && c != Exception.class && c != null; c = c.getSuperclass()) {
                    ancestors.append(ancestors.length() == 0 ? "" : ",").append(c.getSimpleName());
                }
            }
            System.out.println(String.join("\t", Short.toString(error.code()), error.name(),
                Boolean.toString(exception instanceof RetriableException),
                Boolean.toString(exception instanceof InvalidMetadataException),
                exception == null ? "" : exception.getClass().getSimpleName(), ancestors.toString()));
        }
    }
}
