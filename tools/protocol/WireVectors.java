import com.fasterxml.jackson.databind.JsonNode;
import java.io.File;
import java.io.FileOutputStream;
import java.io.OutputStreamWriter;
import java.io.Writer;
import java.lang.reflect.Field;
import java.lang.reflect.ParameterizedType;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.TreeMap;
import java.util.jar.JarFile;
import java.util.zip.GZIPOutputStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.Message;
import org.apache.kafka.common.protocol.MessageUtil;
import org.apache.kafka.common.protocol.types.BoundField;
import org.apache.kafka.common.protocol.types.RawTaggedField;
import org.apache.kafka.common.protocol.types.Schema;
import org.apache.kafka.common.protocol.types.TaggedFields;
import org.apache.kafka.common.protocol.types.Type;
import org.apache.kafka.common.record.internal.BaseRecords;
import org.apache.kafka.common.record.internal.MemoryRecords;

/**
 * Writes golden vectors: for every message and version a message of defaults and some filled at random (from a fixed
 * seed), as Kafka's own classes serialize it and as its JSON converter describes it.
 *
 * Arguments: the directory of jars, and the file to write (gzip; one line each: class, version, hex, JSON).
 * A message is filled by the Schema constants of Kafka's generated classes, so nothing here knows our table.
 */
public final class WireVectors {
    private static final String CONVERTER = "JsonConverter.class";
    private static final int FILLED_PER_VERSION = 3;
    private static final String[] WORDS = {"", "a", "orders", "grüße", "漢字", "x\u0000y", "consumer-1"};

    private final Random random;

    private WireVectors(long seed) {
        random = new Random(seed);
    }

    public static void main(String[] arguments) throws Exception {
        TreeMap<String, Class<?>> messages = new TreeMap<>();
        for (File jar : new File(arguments[0]).listFiles((folder, name) -> name.startsWith("kafka-") && name.endsWith(".jar"))) {
            try (JarFile file = new JarFile(jar)) {
                for (var entries = file.entries(); entries.hasMoreElements();) {
                    String name = entries.nextElement().getName();
                    if (name.endsWith(CONVERTER) && !name.contains("$") && !name.endsWith("HeaderData" + CONVERTER)) {
                        String type = name.substring(0, name.length() - CONVERTER.length()).replace('/', '.');
                        Class<?> found;
                        try {
                            found = Class.forName(type);
                        } catch (ClassNotFoundException e) {
                            continue; // a converter over all records of a log, not of one message
                        }
                        if (Message.class.isAssignableFrom(found)) {
                            messages.put(found.getSimpleName(), found);
                        }
                    }
                }
            }
        }
        try (Writer out = new OutputStreamWriter(new GZIPOutputStream(new FileOutputStream(arguments[1])), StandardCharsets.UTF_8)) {
            for (Class<?> type : messages.values()) {
                write(type, out);
            }
        }
    }

    private static void write(Class<?> type, Writer out) throws Exception {
        Message probe = (Message) type.getConstructor().newInstance();
        short last = probe.highestSupportedVersion();
        if (type.getSimpleName().matches(".*(Request|Response)Data")) {
            last = (short) Math.min(last, ApiKeys.forId(((org.apache.kafka.common.protocol.ApiMessage) probe).apiKey()).latestVersion(false));
        }
        for (short version = probe.lowestSupportedVersion(); version <= last; version++) {
            Message defaults = (Message) type.getConstructor().newInstance();
            try {
                write(defaults, version, out);
            } catch (Exception e) {
                // Some defaults cannot be written, such as a null where this version has none.
            }
            WireVectors vectors = new WireVectors(type.getSimpleName().hashCode() * 31L + version);
            for (int left = FILLED_PER_VERSION; left > 0; left--) {
                Message filled = (Message) type.getConstructor().newInstance();
                vectors.fill(filled, schema(type, version));
                write(filled, version, out);
            }
        }
    }

    private static Schema schema(Class<?> type, short version) throws Exception {
        return ((Schema[]) type.getField("SCHEMAS").get(null))[version];
    }

    private static void write(Message message, short version, Writer out) throws Exception {
        ByteBuffer bytes = MessageUtil.toByteBufferAccessor(message, version).buffer();
        byte[] array = new byte[bytes.remaining()];
        bytes.get(array);
        Class<?> converter = Class.forName(message.getClass().getName() + "JsonConverter");
        JsonNode json = (JsonNode) converter.getMethod("write", message.getClass(), short.class, boolean.class)
            .invoke(null, message, version, false);
        out.write(String.join("\t", message.getClass().getSimpleName(), Short.toString(version),
            HexFormat.of().formatHex(array), json.toString()));
        out.write("\n");
    }

    private void fill(Message message, Schema schema) throws Exception {
        TreeMap<String, Type> types = new TreeMap<>();
        for (BoundField field : schema.fields()) {
            if (field.def.type instanceof TaggedFields tagged) {
                tagged.fields().values().forEach(known -> types.put(known.name, known.type));
                if (random.nextInt(5) == 0) {
                    byte[] data = new byte[random.nextInt(4)];
                    random.nextBytes(data);
                    message.unknownTaggedFields().add(new RawTaggedField(5000 + random.nextInt(100), data));
                }
            } else {
                types.put(field.def.name, field.def.type);
            }
        }
        for (Field field : message.getClass().getDeclaredFields()) {
            Type type = types.remove(snake(field.getName()));
            if (type != null) {
                field.setAccessible(true);
                field.set(message, value(field, type));
            }
        }
        if (!types.isEmpty()) {
            throw new IllegalStateException(message.getClass() + " has no fields " + types.keySet());
        }
    }

    private Object value(Field field, Type type) throws Exception {
        if (type.isNullable() && random.nextInt(4) == 0) {
            return null;
        }
        if (!type.isArray()) {
            return element(field.getType(), type);
        }
        Type elementType = type.arrayElementType().get();
        Class<?> elementClass;
        Collection<Object> collection;
        if (field.getType() == List.class) {
            elementClass = (Class<?>) ((ParameterizedType) field.getGenericType()).getActualTypeArguments()[0];
            collection = new ArrayList<>();
        } else {
            elementClass = (Class<?>) ((ParameterizedType) field.getType().getGenericSuperclass()).getActualTypeArguments()[0];
            @SuppressWarnings("unchecked")
            Collection<Object> made = (Collection<Object>) field.getType().getConstructor().newInstance();
            collection = made;
        }
        for (int left = random.nextInt(3); left > 0; left--) {
            collection.add(element(elementClass, elementType));
        }
        return collection;
    }

    private Object element(Class<?> type, Type schema) throws Exception {
        if (type == boolean.class || type == Boolean.class) {
            return random.nextBoolean();
        } else if (type == byte.class || type == Byte.class) {
            return (byte) random.nextInt();
        } else if (type == short.class || type == Short.class) {
            return (short) random.nextInt();
        } else if (schema == Type.UINT16) {
            return random.nextInt(1 << 16);
        } else if (type == int.class || type == Integer.class) {
            return random.nextInt() >> random.nextInt(32);
        } else if (schema == Type.UNSIGNED_INT32) {
            return random.nextLong() & 0xffffffffL;
        } else if (type == long.class || type == Long.class) {
            return random.nextLong() >> random.nextInt(64);
        } else if (type == double.class || type == Double.class) {
            return random.nextInt() / 8.0;
        } else if (type == Uuid.class) {
            return new Uuid(random.nextLong(), random.nextLong());
        } else if (type == String.class) {
            return WORDS[random.nextInt(WORDS.length)];
        } else if (type == byte[].class) {
            return bytes();
        } else if (type == ByteBuffer.class) {
            return ByteBuffer.wrap(bytes());
        } else if (BaseRecords.class.isAssignableFrom(type)) {
            return MemoryRecords.readableRecords(ByteBuffer.wrap(bytes()));
        }
        Message made = (Message) type.getConstructor().newInstance();
        fill(made, (Schema) schema);
        return made;
    }

    private byte[] bytes() {
        byte[] bytes = new byte[random.nextInt(9)];
        random.nextBytes(bytes);
        return bytes;
    }

    private static String snake(String name) {
        StringBuilder out = new StringBuilder();
        boolean capital = true;
        String capitalized = Character.toUpperCase(name.charAt(0)) + name.substring(1);
        for (char character : capitalized.toCharArray()) {
            if (Character.isUpperCase(character)) {
                out.append(capital ? "" : "_").append(Character.toLowerCase(character));
                capital = true;
            } else {
                out.append(character);
                capital = false;
            }
        }
        return out.toString();
    }
}
