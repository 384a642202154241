// Kafka's own reading and writing of messages, for programs in other languages: JSON lines in, JSON lines out.
//
//   java -cp "$KAFKA_LIBS/*" Oracle.java
//
// {"op": "request", "api": 0, "version": 9, "correlation": 1, "client": "me", "body": {…}} gives the frame of a request.
// The body is in the form of Kafka's …JsonConverter classes. What it leaves out is at its default, what the version lacks
// is left out; `sent` says what of the body was sent. A name that no version has is an error.
//   -> {"frame": base64, "sent": {…}}
// {"op": "response", "api": 0, "version": 9, "frame": base64} reads the frame of a response.
//   -> {"correlation": 1, "body": {…}, "left": bytes behind it, "unknown": tagged fields that no schema names}
// Record batches are told as MemoryRecords reads them, beside their bytes. A failure gives {"error": text}.

import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.Method;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Set;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.BinaryNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.message.ApiMessageType;
import org.apache.kafka.common.message.RequestHeaderData;
import org.apache.kafka.common.message.ResponseHeaderData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.apache.kafka.common.protocol.ByteBufferAccessor;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.Field;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;

public final class Oracle {
    private static final ObjectMapper JSON = new ObjectMapper();

    public static void main(String[] arguments) throws Exception {
        BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        for (String line = in.readLine(); line != null; line = in.readLine()) {
            ObjectNode answer;
            try {
                JsonNode asked = JSON.readTree(line);
                answer = asked.get("op").asText().equals("request") ? request(asked) : response(asked);
            } catch (Throwable failure) {
                Throwable cause = failure.getCause() == null ? failure : failure.getCause();
                answer = JSON.createObjectNode().put("error", cause.toString());
            }
            out.println(JSON.writeValueAsString(answer));
        }
    }

    private static ObjectNode request(JsonNode asked) throws Exception {
        ApiMessageType type = ApiMessageType.fromApiKey((short) asked.get("api").asInt());
        short version = (short) asked.get("version").asInt();
        Class<?> dataClass = type.newRequest().getClass();
        ObjectNode sent = (ObjectNode) known(dataClass, asked.get("body"), version);
        ObjectNode whole = (ObjectNode) complete(dataClass, sent, version);
        Message data = (Message) converter(dataClass).getMethod("read", JsonNode.class, short.class).invoke(null, whole, version);
        short headerVersion = type.requestHeaderVersion(version);
        RequestHeaderData header = new RequestHeaderData()
            .setRequestApiKey(type.apiKey())
            .setRequestApiVersion(version)
            .setCorrelationId(asked.get("correlation").asInt())
            .setClientId(asked.get("client").asText());
        byte[] head = bytes(header, headerVersion);
        byte[] body = bytes(data, version);
        ByteBuffer frame = ByteBuffer.allocate(head.length + body.length).put(head).put(body);
        ObjectNode answer = JSON.createObjectNode().put("frame", Base64.getEncoder().encodeToString(frame.array()));
        answer.set("sent", sent);
        return answer;
    }

    private static byte[] bytes(Message message, short version) {
        ByteBufferAccessor accessor = MessageUtil.toByteBufferAccessor(message, version);
        ByteBuffer buffer = accessor.buffer();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }

    private static ObjectNode response(JsonNode asked) throws Exception {
        ApiMessageType type = ApiMessageType.fromApiKey((short) asked.get("api").asInt());
        short version = (short) asked.get("version").asInt();
        ByteBuffer buffer = ByteBuffer.wrap(asked.get("frame").binaryValue());
        ByteBufferAccessor accessor = new ByteBufferAccessor(buffer);
        ResponseHeaderData header = new ResponseHeaderData(accessor, type.responseHeaderVersion(version));
        ApiMessage data = type.newResponse();
        data.read(accessor, version);
        JsonNode body = (JsonNode) converter(data.getClass())
            .getMethod("write", data.getClass(), short.class, boolean.class).invoke(null, data, version, true);
        ObjectNode answer = JSON.createObjectNode().put("correlation", header.correlationId());
        answer.set("body", withRecords(data, body));
        int unknown = header.unknownTaggedFields().size() + data.unknownTaggedFields().size();
        return answer.put("left", buffer.remaining()).put("unknown", unknown);
    }

    /** The converter of a message's class, or of a struct within it. */
    private static Class<?> converter(Class<?> dataClass) throws ClassNotFoundException {
        String name = dataClass.getName();
        int inner = name.indexOf('$');
        if (inner < 0) {
            return Class.forName(name + "JsonConverter");
        }
        return Class.forName(name.substring(0, inner) + "JsonConverter$" + name.substring(inner + 1) + "JsonConverter");
    }

    /** What of the given fields exists at this version. */
    private static JsonNode known(Class<?> dataClass, JsonNode given, short version) throws Exception {
        Set<String> names = fields(dataClass, version);
        ObjectNode kept = JSON.createObjectNode();
        for (Iterator<Map.Entry<String, JsonNode>> all = given.fields(); all.hasNext();) {
            Map.Entry<String, JsonNode> field = all.next();
            Class<?> struct = struct(dataClass, field.getKey());
            if (!names.contains(snake(field.getKey()))) {
                continue;
            }
            kept.set(field.getKey(), each(field.getValue(), struct, version, Oracle::known));
        }
        return kept;
    }

    /** The given fields, and all others at their defaults. */
    private static JsonNode complete(Class<?> dataClass, JsonNode given, short version) throws Exception {
        Object empty = dataClass.getDeclaredConstructor().newInstance();
        ObjectNode whole = (ObjectNode) converter(dataClass)
            .getMethod("write", dataClass, short.class, boolean.class).invoke(null, empty, version, true);
        for (Iterator<Map.Entry<String, JsonNode>> all = given.fields(); all.hasNext();) {
            Map.Entry<String, JsonNode> field = all.next();
            whole.set(field.getKey(), each(field.getValue(), struct(dataClass, field.getKey()), version, Oracle::complete));
        }
        return whole;
    }

    private interface Change {
        JsonNode of(Class<?> dataClass, JsonNode given, short version) throws Exception;
    }

    private static JsonNode each(JsonNode value, Class<?> struct, short version, Change change) throws Exception {
        if (struct == null || value.isNull()) {
            return value;
        }
        if (value.isObject()) {
            return change.of(struct, value, version);
        }
        ArrayNode changed = JSON.createArrayNode();
        for (JsonNode element : value) {
            changed.add(element.isObject() ? change.of(struct, element, version) : element);
        }
        return changed;
    }

    /** The class of the structs in a field, or null if it holds none. */
    private static Class<?> struct(Class<?> dataClass, String field) throws Exception {
        Type type = dataClass.getMethod(field).getGenericReturnType();
        if (type instanceof Class<?> plain && plain.getGenericSuperclass() instanceof ParameterizedType collection) {
            type = collection.getActualTypeArguments()[0];
        } else if (type instanceof ParameterizedType list) {
            type = list.getActualTypeArguments()[0];
        }
        return type instanceof Class<?> found && Message.class.isAssignableFrom(found) ? found : null;
    }

    private static Set<String> fields(Class<?> dataClass, short version) throws Exception {
        Schema schema = (Schema) dataClass.getField("SCHEMA_" + version).get(null);
        Set<String> names = new HashSet<>();
        for (BoundField field : schema.fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                for (Field one : tagged.fields().values()) {
                    names.add(one.name);
                }
            } else {
                names.add(field.def.name);
            }
        }
        return names;
    }

    private static String snake(String camel) {
        StringBuilder out = new StringBuilder();
        boolean before = true;
        for (char character : camel.toCharArray()) {
            if (Character.isUpperCase(character) && !before) {
                out.append('_');
            }
            before = Character.isUpperCase(character);
            out.append(Character.toLowerCase(character));
        }
        return out.toString();
    }

    /** The converter leaves record batches out; this tells them. */
    private static JsonNode withRecords(Object data, JsonNode json) throws Exception {
        if (!(json instanceof ObjectNode object)) {
            return json;
        }
        for (String name : (Iterable<String>) object::fieldNames) {
            JsonNode field = object.get(name);
            if (field instanceof BinaryNode || field.isArray() || field.isObject()) {
                Object value = data.getClass().getMethod(name).invoke(data);
                if (value instanceof MemoryRecords records) {
                    object.set(name, told(records));
                } else if (field.isObject()) {
                    withRecords(value, field);
                } else if (value instanceof Iterable<?> elements) {
                    int index = 0;
                    for (Object element : elements) {
                        withRecords(element, field.get(index++));
                    }
                }
            }
        }
        return json;
    }

    private static ObjectNode told(MemoryRecords records) {
        ObjectNode told = JSON.createObjectNode();
        ByteBuffer buffer = records.buffer().duplicate();
        byte[] bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        told.put("bytes", bytes);
        ArrayNode batches = told.putArray("batches");
        for (MutableRecordBatch batch : records.batches()) {
            ObjectNode one = batches.addObject()
                .put("baseOffset", batch.baseOffset()).put("lastOffset", batch.lastOffset())
                .put("leaderEpoch", batch.partitionLeaderEpoch()).put("magic", batch.magic())
                .put("codec", batch.compressionType().name).put("timestampType", batch.timestampType().name)
                .put("transactional", batch.isTransactional()).put("control", batch.isControlBatch())
                .put("maxTimestamp", batch.maxTimestamp())
                .put("producerId", batch.producerId()).put("producerEpoch", batch.producerEpoch())
                .put("baseSequence", batch.baseSequence());
            if (batch instanceof DefaultRecordBatch newest) {
                one.put("baseTimestamp", newest.baseTimestamp());
            }
            ArrayNode all = one.putArray("records");
            try {
                batch.ensureValid();
                for (Record record : batch) {
                    all.add(told(record));
                }
            } catch (RuntimeException damage) {
                one.put("damaged", true);
            }
        }
        return told;
    }

    private static ObjectNode told(Record record) {
        ObjectNode told = JSON.createObjectNode().put("offset", record.offset()).put("timestamp", record.timestamp());
        told.put("key", hex(record.key())).put("value", hex(record.value()));
        ArrayNode headers = told.putArray("headers");
        for (Header header : record.headers()) {
            headers.addArray().add(header.key()).add(header.value() == null ? null : hex(ByteBuffer.wrap(header.value())));
        }
        return told;
    }

    private static String hex(ByteBuffer buffer) {
        if (buffer == null) {
            return null;
        }
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return java.util.HexFormat.of().formatHex(bytes);
    }
}
