// Avro values and schema resolution as Apache Avro's Java library does them.
//
//   java -cp "$AVRO_LIBS/*" tools/golden/AvroVectors.java cases FILE              write the golden cases, one JSON object a line
//   java -cp "$AVRO_LIBS/*" tools/golden/AvroVectors.java random SEED COUNT FILE  write random schemas, readers and values in the same form
//
// AVRO_LIBS is a directory with avro-1.12.1.jar and jackson-{core,databind,annotations}; PySpark's jars directory has them.
//
// A line: name, writer (schema), reader (schema or null), compatible (what SchemaCompatibility says of the two), values.
// A value: hex (its bytes), and row (what GenericDatumReader makes of them) or error. A row has the columns that Spark's
// types give: timestamps in microseconds, unions as members, decimals by their unscaled number. Floats are their bits,
// bytes are {"hex": …}.

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.apache.avro.LogicalType;
import org.apache.avro.LogicalTypes;
import org.apache.avro.Schema;
import org.apache.avro.SchemaCompatibility;
import org.apache.avro.generic.GenericData;
import org.apache.avro.generic.GenericDatumReader;
import org.apache.avro.generic.GenericDatumWriter;
import org.apache.avro.generic.GenericEnumSymbol;
import org.apache.avro.generic.GenericFixed;
import org.apache.avro.generic.IndexedRecord;
import org.apache.avro.io.BinaryDecoder;
import org.apache.avro.io.BinaryEncoder;
import org.apache.avro.io.DecoderFactory;
import org.apache.avro.io.EncoderFactory;

public final class AvroVectors {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HexFormat HEX = HexFormat.of();
    private static final int VALUES = 6;

    public static void main(String[] arguments) throws IOException {
        List<String> lines = new ArrayList<>();
        if (arguments[0].equals("cases")) {
            for (String[] one : CASES) {
                lines.add(line(one[0], one[1], one.length > 2 ? one[2] : null, new Random(one[0].hashCode())));
            }
            Files.write(Path.of(arguments[1]), lines);
        } else {
            long seed = Long.parseLong(arguments[1]);
            for (int index = 0; index < Integer.parseInt(arguments[2]); index++) {
                Random random = new Random(seed + index);
                String[] pair = new Generator(random).pair();
                lines.add(line("random " + (seed + index), pair[0], pair[1], random));
            }
            Files.write(Path.of(arguments[3]), lines);
        }
    }

    private static Schema parse(String text) {
        return new Schema.Parser().setValidateDefaults(false).parse(text);
    }

    private static String line(String name, String writerText, String readerText, Random random) throws IOException {
        Schema writer = parse(writerText);
        Schema reader = readerText == null ? writer : parse(readerText);
        ObjectNode line = JSON.createObjectNode();
        line.put("name", name);
        line.set("writer", JSON.readTree(writerText));
        line.set("reader", readerText == null ? null : JSON.readTree(readerText));
        line.put("compatible", SchemaCompatibility.checkReaderWriterCompatibility(reader, writer).getType().name()
            .equals("COMPATIBLE"));
        ArrayNode values = line.putArray("values");
        for (int count = 0; count < VALUES; count++) {
            values.add(value(writer, reader, random));
        }
        return JSON.writeValueAsString(line);
    }

    private static ObjectNode value(Schema writer, Schema reader, Random random) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        BinaryEncoder encoder = EncoderFactory.get().binaryEncoder(bytes, null);
        new GenericDatumWriter<Object>(writer).write(datum(writer, random, 0), encoder);
        encoder.flush();
        ObjectNode value = JSON.createObjectNode();
        value.put("hex", HEX.formatHex(bytes.toByteArray()));
        try {
            BinaryDecoder decoder = DecoderFactory.get().binaryDecoder(bytes.toByteArray(), null);
            Object read = new GenericDatumReader<Object>(writer, reader).read(null, decoder);
            value.set("row", describe(reader, read));
        } catch (RuntimeException | IOException error) {
            value.put("error", String.valueOf(error.getMessage()));
        }
        return value;
    }

    /** A random value of a schema; about one in four is an edge of its type. */
    private static Object datum(Schema schema, Random random, int depth) {
        boolean edge = random.nextInt(4) == 0;
        LogicalType logical = schema.getLogicalType();
        switch (schema.getType()) {
            case NULL:
                return null;
            case BOOLEAN:
                return random.nextBoolean();
            case INT:
                return edge ? new int[] {0, -1, 64, -65, Integer.MIN_VALUE, Integer.MAX_VALUE}[random.nextInt(6)] : random.nextInt(100_000) - 50_000;
            case LONG:
                if (logical != null) {
                    return (random.nextLong() >> 16) * (random.nextBoolean() ? 1 : -1);
                }
                return edge ? new long[] {0, -1, 8191, -8193, Long.MIN_VALUE, Long.MAX_VALUE}[random.nextInt(6)] : random.nextLong() >> random.nextInt(60);
            case FLOAT:
                return edge ? new float[] {0f, -0f, Float.NaN, Float.NEGATIVE_INFINITY, Float.MIN_VALUE}[random.nextInt(5)] : random.nextFloat() * 1e6f;
            case DOUBLE:
                return edge ? new double[] {0d, -0d, Double.NaN, Double.POSITIVE_INFINITY, Double.MIN_VALUE}[random.nextInt(5)] : random.nextGaussian() * 1e9;
            case STRING:
                return edge ? new String[] {"", "é😀", "\u0000", "x".repeat(200), "0"}[random.nextInt(5)] : Long.toString(random.nextLong(), 36);
            case BYTES:
                return ByteBuffer.wrap(logical instanceof LogicalTypes.Decimal decimal ? unscaled(decimal, random).toByteArray() : bytes(random.nextInt(edge ? 200 : 8), random));
            case FIXED:
                return new GenericData.Fixed(schema, fixed(schema, logical, random));
            case ENUM:
                return new GenericData.EnumSymbol(schema, schema.getEnumSymbols().get(random.nextInt(schema.getEnumSymbols().size())));
            case ARRAY: {
                List<Object> list = new ArrayList<>();
                for (int count = depth > 4 ? 0 : random.nextInt(4); count > 0; count--) {
                    list.add(datum(schema.getElementType(), random, depth + 1));
                }
                return list;
            }
            case MAP: {
                Map<String, Object> map = new TreeMap<>();
                for (int count = depth > 4 ? 0 : random.nextInt(4); count > 0; count--) {
                    map.put("k" + random.nextInt(100), datum(schema.getValueType(), random, depth + 1));
                }
                return map;
            }
            case RECORD: {
                GenericData.Record record = new GenericData.Record(schema);
                for (Schema.Field field : schema.getFields()) {
                    record.put(field.pos(), datum(field.schema(), random, depth + 1));
                }
                return record;
            }
            case UNION: {
                List<Schema> branches = schema.getTypes();
                int pick = random.nextInt(branches.size());
                for (int index = 0; depth > 4 && index < branches.size(); index++) {
                    if (branches.get(index).getType() == Schema.Type.NULL) {
                        pick = index;
                    }
                }
                return datum(branches.get(pick), random, depth + 1);
            }
            default:
                throw new IllegalStateException(schema.toString());
        }
    }

    private static BigInteger unscaled(LogicalTypes.Decimal decimal, Random random) {
        BigInteger limit = BigInteger.TEN.pow(decimal.getPrecision());
        BigInteger number = new BigInteger(limit.bitLength(), random).mod(limit);
        number = random.nextInt(4) == 0 ? limit.subtract(BigInteger.ONE) : number.shiftRight(random.nextInt(limit.bitLength()));
        return random.nextBoolean() ? number : number.negate();
    }

    private static byte[] fixed(Schema schema, LogicalType logical, Random random) {
        if (!(logical instanceof LogicalTypes.Decimal decimal)) {
            byte[] bytes = bytes(schema.getFixedSize(), random);
            if (schema.getFixedSize() == 12) {
                // Parts of a duration that fit Arrow's.
                bytes[3] &= 0x7f;
                bytes[7] &= 0x7f;
            }
            return bytes;
        }
        byte[] shortest = unscaled(decimal, random).toByteArray();
        byte[] bytes = new byte[schema.getFixedSize()];
        java.util.Arrays.fill(bytes, shortest[0] < 0 ? (byte) -1 : 0);
        System.arraycopy(shortest, 0, bytes, bytes.length - shortest.length, shortest.length);
        return bytes;
    }

    private static byte[] bytes(int size, Random random) {
        byte[] bytes = new byte[size];
        random.nextBytes(bytes);
        return bytes;
    }

    private static JsonNode hex(byte[] bytes) {
        return JSON.createObjectNode().put("hex", HEX.formatHex(bytes));
    }

    private static byte[] array(ByteBuffer buffer) {
        byte[] bytes = new byte[buffer.remaining()];
        buffer.duplicate().get(bytes);
        return bytes;
    }

    /** What Spark's columns of this schema hold. */
    private static JsonNode describe(Schema schema, Object datum) {
        LogicalType logical = schema.getLogicalType();
        String logicalName = logical == null ? "" : logical.getName();
        switch (schema.getType()) {
            case NULL:
                return JSON.nullNode();
            case BOOLEAN:
                return JSON.valueToTree(datum);
            case INT:
                return JSON.getNodeFactory().numberNode((Integer) datum);
            case LONG: {
                long number = (Long) datum;
                return JSON.getNodeFactory().numberNode(logicalName.endsWith("timestamp-millis") ? Math.multiplyExact(number, 1000L) : number);
            }
            case FLOAT:
                return JSON.getNodeFactory().textNode(String.format("%08x", Float.floatToRawIntBits((Float) datum)));
            case DOUBLE:
                return JSON.getNodeFactory().textNode(String.format("%016x", Double.doubleToRawLongBits((Double) datum)));
            case STRING:
                return JSON.getNodeFactory().textNode(datum.toString());
            case BYTES:
                return logical instanceof LogicalTypes.Decimal ? decimal(array((ByteBuffer) datum)) : hex(array((ByteBuffer) datum));
            case FIXED: {
                byte[] bytes = ((GenericFixed) datum).bytes();
                if (logicalName.equals("uuid")) {
                    ByteBuffer halves = ByteBuffer.wrap(bytes);
                    return JSON.getNodeFactory().textNode(new java.util.UUID(halves.getLong(), halves.getLong()).toString());
                }
                return logical instanceof LogicalTypes.Decimal ? decimal(bytes) : hex(bytes);
            }
            case ENUM:
                return JSON.getNodeFactory().textNode(((GenericEnumSymbol<?>) datum).toString());
            case ARRAY: {
                ArrayNode list = JSON.createArrayNode();
                ((Collection<?>) datum).forEach(item -> list.add(describe(schema.getElementType(), item)));
                return list;
            }
            case MAP: {
                Map<String, JsonNode> sorted = new TreeMap<>();
                ((Map<?, ?>) datum).forEach((key, item) -> sorted.put(key.toString(), describe(schema.getValueType(), item)));
                ObjectNode map = JSON.createObjectNode();
                sorted.forEach(map::set);
                return map;
            }
            case RECORD: {
                ObjectNode record = JSON.createObjectNode();
                for (Schema.Field field : schema.getFields()) {
                    record.set(field.name(), describe(field.schema(), ((IndexedRecord) datum).get(field.pos())));
                }
                return record;
            }
            case UNION:
                return describeUnion(schema, datum);
            default:
                throw new IllegalStateException(schema.toString());
        }
    }

    private static JsonNode decimal(byte[] bytes) {
        return JSON.createObjectNode().put("decimal", new BigInteger(bytes).toString());
    }

    private static JsonNode describeUnion(Schema schema, Object datum) {
        List<Schema> members = new ArrayList<>(schema.getTypes());
        members.removeIf(branch -> branch.getType() == Schema.Type.NULL);
        if (datum == null) {
            return JSON.nullNode();
        }
        Schema branch = schema.getTypes().get(GenericData.get().resolveUnion(schema, datum));
        if (members.size() == 1) {
            return describe(branch, datum);
        }
        if (members.size() == 2) {
            List<Schema.Type> types = members.stream().map(Schema::getType).sorted().toList();
            if (types.equals(List.of(Schema.Type.INT, Schema.Type.LONG))) {
                return JSON.getNodeFactory().numberNode(((Number) datum).longValue());
            }
            if (types.equals(List.of(Schema.Type.FLOAT, Schema.Type.DOUBLE))) {
                double number = ((Number) datum).doubleValue();
                return JSON.getNodeFactory().textNode(String.format("%016x", Double.doubleToRawLongBits(number)));
            }
        }
        ObjectNode struct = JSON.createObjectNode();
        for (int index = 0; index < members.size(); index++) {
            boolean isSet = members.get(index) == branch;
            struct.set("member" + index, isSet ? describe(branch, datum) : JSON.nullNode());
        }
        return struct;
    }

    private static String record(String... fields) {
        return "{\"type\": \"record\", \"name\": \"R\", \"fields\": [" + String.join(", ", fields) + "]}";
    }

    private static String field(String name, String type) {
        return "{\"name\": \"" + name + "\", \"type\": " + type + "}";
    }

    private static String field(String name, String type, String attributes) {
        return "{\"name\": \"" + name + "\", \"type\": " + type + ", " + attributes + "}";
    }

    private static String logical(String type, String name, String... attributes) {
        return "{\"type\": \"" + type + "\", \"logicalType\": \"" + name + "\"" + (attributes.length > 0 ? ", " + attributes[0] : "") + "}";
    }

    private static final String ENUM = "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\", \"B\", \"C\"]}";
    private static final String FIXED = "{\"type\": \"fixed\", \"name\": \"F\", \"size\": 5}";

    private static final String[][] CASES = {
        {"every primitive", record(field("n", "\"null\""), field("b", "\"boolean\""), field("i", "\"int\""), field("l", "\"long\""), field("f", "\"float\""), field("d", "\"double\""), field("s", "\"string\""), field("y", "\"bytes\""))},
        {"fixed and enum", record(field("f", FIXED), field("e", ENUM), field("g", "\"F\""))},
        {"nullable both ways round", record(field("a", "[\"null\", \"string\"]"), field("b", "[\"long\", \"null\"]"), field("c", "[\"null\"]"))},
        {"arrays and maps", record(field("a", "{\"type\": \"array\", \"items\": \"int\"}"), field("m", "{\"type\": \"map\", \"values\": [\"null\", \"double\"]}"), field("n", "{\"type\": \"array\", \"items\": {\"type\": \"map\", \"values\": {\"type\": \"array\", \"items\": \"string\"}}}"))},
        {"nested records", record(field("x", "{\"type\": \"record\", \"name\": \"X\", \"namespace\": \"n.s\", \"fields\": [" + field("i", "\"int\"") + "]}"), field("y", "[\"null\", \"n.s.X\"]"), field("z", "{\"type\": \"array\", \"items\": \"n.s.X\"}"))},
        {"unions of many", record(field("u", "[\"null\", \"int\", \"string\", {\"type\": \"array\", \"items\": \"long\"}]"), field("v", "[\"string\", \"bytes\"]"), field("w", "[\"int\", \"long\"]"), field("x", "[\"double\", \"null\", \"float\"]"))},
        {"unions of records", record(field("u", "[{\"type\": \"record\", \"name\": \"P\", \"fields\": [" + field("i", "\"int\"") + "]}, {\"type\": \"record\", \"name\": \"Q\", \"fields\": [" + field("s", "\"string\"") + "]}, \"null\"]"))},
        {"times", record(field("d", logical("int", "date")), field("t", logical("int", "time-millis")), field("u", logical("long", "time-micros")), field("a", logical("long", "timestamp-millis")), field("b", logical("long", "timestamp-micros")), field("c", logical("long", "timestamp-nanos")), field("e", logical("long", "local-timestamp-millis")), field("f", logical("long", "local-timestamp-micros")), field("g", logical("long", "local-timestamp-nanos")))},
        {"decimals", record(field("a", logical("bytes", "decimal", "\"precision\": 9, \"scale\": 2")), field("b", logical("bytes", "decimal", "\"precision\": 38, \"scale\": 18")), field("c", "{\"type\": \"fixed\", \"name\": \"D8\", \"size\": 8, \"logicalType\": \"decimal\", \"precision\": 18, \"scale\": 4}"), field("d", "{\"type\": \"fixed\", \"name\": \"D20\", \"size\": 20, \"logicalType\": \"decimal\", \"precision\": 38}"))},
        {"uuid and duration", record(field("u", "{\"type\": \"fixed\", \"name\": \"U\", \"size\": 16, \"logicalType\": \"uuid\"}"), field("v", "{\"type\": \"fixed\", \"name\": \"V\", \"size\": 12, \"logicalType\": \"duration\"}"))},
        {"logical types that are none", record(field("a", logical("int", "decimal", "\"precision\": 4")), field("b", logical("string", "date")), field("c", logical("bytes", "decimal")), field("d", logical("long", "nonsense")))},
        {"a long", "\"long\""},
        {"a nullable string", "[\"null\", \"string\"]"},
        {"a nullable record", "[\"null\", " + record(field("i", "\"int\"")) + "]"},
        {"promotions", record(field("a", "\"int\""), field("b", "\"int\""), field("c", "\"int\""), field("d", "\"long\""), field("e", "\"long\""), field("f", "\"float\""), field("g", "\"string\""), field("h", "\"bytes\"")),
            record(field("a", "\"long\""), field("b", "\"float\""), field("c", "\"double\""), field("d", "\"float\""), field("e", "\"double\""), field("f", "\"double\""), field("g", "\"bytes\""), field("h", "\"string\""))},
        {"an int through float into a union of doubles", record(field("a", "\"int\""), field("b", "\"long\"")), record(field("a", "[\"float\", \"double\"]"), field("b", "[\"null\", \"float\", \"double\"]"))},
        {"fields in another order, one skipped of each kind", record(field("a", "\"int\""), field("s1", "\"string\""), field("s2", "{\"type\": \"array\", \"items\": \"string\"}"), field("s3", "{\"type\": \"map\", \"values\": \"long\"}"), field("s4", "[\"null\", \"double\"]"), field("s5", ENUM), field("s6", FIXED), field("s7", "{\"type\": \"record\", \"name\": \"S\", \"fields\": [" + field("x", "\"boolean\"") + "]}"), field("b", "\"string\"")),
            record(field("b", "\"string\""), field("a", "\"int\""))},
        {"defaults of every kind", record(field("a", "\"int\"")),
            record(field("a", "\"int\""), field("b", "\"boolean\"", "\"default\": true"), field("c", "\"int\"", "\"default\": -3"), field("d", "\"long\"", "\"default\": 9007199254740993"), field("e", "\"float\"", "\"default\": 0.1"), field("f", "\"double\"", "\"default\": 1e300"), field("g", "\"string\"", "\"default\": \"é\\\"x\""), field("h", "\"bytes\"", "\"default\": \"\\u00ff\\u0000\""), field("i", FIXED, "\"default\": \"abcde\""), field("j", ENUM, "\"default\": \"B\""), field("k", "{\"type\": \"array\", \"items\": \"int\"}", "\"default\": [1, 2]"), field("l", "{\"type\": \"map\", \"values\": \"string\"}", "\"default\": {\"k\": \"v\"}"), field("m", "[\"null\", \"int\"]", "\"default\": null"), field("n", "[\"int\", \"null\"]", "\"default\": 5"), field("o", "{\"type\": \"record\", \"name\": \"O\", \"fields\": [" + field("p", "\"int\"", "\"default\": 4") + ", " + field("q", "\"string\"") + "]}", "\"default\": {\"q\": \"z\"}"))},
        {"a default that is missing", record(field("a", "\"int\"")), record(field("a", "\"int\""), field("b", "\"int\""))},
        {"aliases", record(field("old", "\"int\""), field("e", ENUM), field("f", FIXED)),
            record(field("fresh", "\"long\"", "\"aliases\": [\"older\", \"old\"]"), field("e", "{\"type\": \"enum\", \"name\": \"E2\", \"aliases\": [\"E\"], \"symbols\": [\"C\", \"B\", \"A\"]}"), field("f", "{\"type\": \"fixed\", \"name\": \"F2\", \"aliases\": [\"F\"], \"size\": 5}"))},
        {"symbols that the reader does not know", record(field("e", ENUM)), record(field("e", "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"B\", \"X\"], \"default\": \"X\"}"))},
        {"symbols without default", record(field("e", ENUM)), record(field("e", "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"B\"]}"))},
        {"fixed of another size", record(field("f", FIXED)), record(field("f", "{\"type\": \"fixed\", \"name\": \"F\", \"size\": 6}"))},
        {"a type becomes a union", record(field("a", "\"int\""), field("b", "\"string\"")), record(field("a", "[\"null\", \"string\", \"double\", \"long\"]"), field("b", "[\"null\", \"string\"]"))},
        {"a union becomes a type", record(field("a", "[\"null\", \"int\"]"), field("b", "[\"int\", \"long\"]")), record(field("a", "\"int\""), field("b", "\"double\""))},
        {"a union becomes another", record(field("a", "[\"null\", \"int\", \"string\"]"), field("b", "[\"int\", \"bytes\"]")), record(field("a", "[\"string\", \"long\", \"null\"]"), field("b", "[\"null\", \"string\", \"float\"]"))},
        {"a branch that the reader lacks", record(field("a", "[\"null\", \"int\", \"string\"]")), record(field("a", "[\"null\", \"int\"]"))},
        {"unions of records by name and by structure", record(field("u", "[{\"type\": \"record\", \"name\": \"P\", \"fields\": [" + field("i", "\"int\"") + "]}, {\"type\": \"record\", \"name\": \"Q\", \"fields\": [" + field("s", "\"string\"") + "]}]")),
            record(field("u", "[\"null\", {\"type\": \"record\", \"name\": \"Q\", \"fields\": [" + field("s", "\"string\"") + ", " + field("t", "\"int\"", "\"default\": 1") + "]}, {\"type\": \"record\", \"name\": \"P2\", \"fields\": [" + field("i", "\"long\"") + "]}]"))},
        {"recursive types that the reader leaves out", record(field("a", "\"int\""), field("tree", "{\"type\": \"record\", \"name\": \"Tree\", \"fields\": [" + field("v", "\"int\"") + ", " + field("left", "[\"null\", \"Tree\"]") + ", " + field("children", "{\"type\": \"array\", \"items\": \"Tree\"}") + "]}"), field("b", "\"string\"")), record(field("a", "\"int\""), field("b", "\"string\""))},
        {"an array of another record", record(field("a", "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"I\", \"fields\": [" + field("x", "\"int\"") + ", " + field("y", "\"string\"") + "]}}"), field("m", "{\"type\": \"map\", \"values\": \"int\"}")), record(field("m", "{\"type\": \"map\", \"values\": [\"null\", \"long\"]}"), field("a", "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"I\", \"fields\": [" + field("y", "\"string\"") + ", " + field("z", "[\"null\", \"int\"]", "\"default\": null") + "]}}"))},
        {"namespaces and references", "{\"type\": \"record\", \"name\": \"a.b.R\", \"fields\": [" + field("e", "{\"type\": \"enum\", \"name\": \"E\", \"symbols\": [\"A\"]}") + ", " + field("f", "\"E\"") + ", " + field("g", "\"a.b.E\"") + ", " + field("h", "{\"type\": \"record\", \"name\": \"H\", \"namespace\": \"c\", \"fields\": [" + field("i", "\"a.b.E\"") + "]}") + ", " + field("j", "\"c.H\"") + "]}"},
        {"elements without bytes", record(field("n", "{\"type\": \"array\", \"items\": \"null\"}"), field("e", "{\"type\": \"array\", \"items\": {\"type\": \"record\", \"name\": \"Empty\", \"fields\": []}}"), field("z", "{\"type\": \"fixed\", \"name\": \"Z\", \"size\": 0}"))},
    };

    /** Random schemas, and readers that grew out of them. */
    private static final class Generator {
        private final Random random;
        private int names;

        Generator(Random random) {
            this.random = random;
        }

        /** Writer and reader; the reader is null, for the same, in one of four. */
        String[] pair() throws IOException {
            String writer = recordOf(0);
            if (random.nextInt(4) == 0) {
                return new String[] {writer, null};
            }
            return new String[] {writer, JSON.writeValueAsString(evolved(JSON.readTree(writer), 0))};
        }

        private String recordOf(int depth) {
            int name = names++;
            List<String> fields = new ArrayList<>();
            for (int count = random.nextInt(5) + (depth == 0 ? 1 : 0); count > 0; count--) {
                fields.add(field("f" + names++, type(depth + 1, true)));
            }
            return "{\"type\": \"record\", \"name\": \"R" + name + "\", \"fields\": [" + String.join(", ", fields) + "]}";
        }

        private String type(int depth, boolean mayBeUnion) {
            int pick = random.nextInt(depth > 3 ? 13 : mayBeUnion ? 21 : 16);
            switch (pick) {
                case 0: return "\"boolean\"";
                case 1: case 2: return "\"int\"";
                case 3: case 4: return "\"long\"";
                case 5: return "\"float\"";
                case 6: return "\"double\"";
                case 7: case 8: return "\"string\"";
                case 9: return "\"bytes\"";
                case 10: return "{\"type\": \"enum\", \"name\": \"E" + names++ + "\", \"symbols\": [\"A\", \"B\", \"C\", \"D\"]}";
                case 11: return "{\"type\": \"fixed\", \"name\": \"F" + names++ + "\", \"size\": " + random.nextInt(20) + "}";
                case 12: {
                    String[] logicals = {logical("int", "date"), logical("long", "timestamp-millis"), logical("long", "timestamp-micros"), logical("long", "local-timestamp-millis"), logical("bytes", "decimal", "\"precision\": " + (random.nextInt(30) + 8) + ", \"scale\": " + random.nextInt(8))};
                    return logicals[random.nextInt(logicals.length)];
                }
                case 13: return "{\"type\": \"array\", \"items\": " + type(depth + 1, true) + "}";
                case 14: return "{\"type\": \"map\", \"values\": " + type(depth + 1, true) + "}";
                case 15: return recordOf(depth + 1);
                case 16: case 17: case 18: {
                    String inner = type(depth + 1, false);
                    return random.nextBoolean() ? "[\"null\", " + inner + "]" : "[" + inner + ", \"null\"]";
                }
                default: {
                    List<String> branches = new ArrayList<>(List.of("\"int\"", "\"string\"", "\"double\"", "\"long\"", "\"null\"", "\"boolean\"", "\"bytes\"", "\"float\"", recordOf(depth + 1), recordOf(depth + 1), "{\"type\": \"array\", \"items\": " + type(depth + 1, false) + "}"));
                    java.util.Collections.shuffle(branches, random);
                    return "[" + String.join(", ", branches.subList(0, random.nextInt(4) + 1)) + "]";
                }
            }
        }

        /** A schema that values of this one may, or may just not, be read as. */
        private JsonNode evolved(JsonNode schema, int depth) throws IOException {
            if (schema.isTextual()) {
                return promoted(schema);
            }
            if (schema.isArray()) {
                ArrayNode union = JSON.createArrayNode();
                List<JsonNode> branches = new ArrayList<>();
                for (JsonNode branch : schema) {
                    branches.add(branch.isTextual() ? branch : evolved(branch, depth + 1));
                }
                if (random.nextInt(3) == 0) {
                    java.util.Collections.shuffle(branches, random);
                }
                if (random.nextInt(6) == 0 && branches.size() > 1) {
                    branches.remove(random.nextInt(branches.size()));
                }
                if (random.nextInt(6) == 0) {
                    return branches.get(0);
                }
                branches.forEach(union::add);
                return union;
            }
            ObjectNode copy = (ObjectNode) schema.deepCopy();
            switch (copy.get("type").asText()) {
                case "array":
                    copy.set("items", evolved(copy.get("items"), depth + 1));
                    return copy;
                case "map":
                    copy.set("values", evolved(copy.get("values"), depth + 1));
                    return copy;
                case "enum":
                    if (random.nextInt(3) == 0) {
                        copy.set("symbols", JSON.readTree("[\"D\", \"C\", \"X\"]"));
                        if (random.nextBoolean()) {
                            copy.put("default", "X");
                        }
                    }
                    return renamed(copy);
                case "fixed":
                    return renamed(copy);
                case "record":
                    return renamed(evolvedRecord(copy, depth));
                default:
                    return copy;
            }
        }

        private ObjectNode renamed(ObjectNode named) {
            if (random.nextInt(8) == 0) {
                named.putArray("aliases").add(named.get("name").asText());
                named.put("name", "N" + names++);
            }
            return named;
        }

        private ObjectNode evolvedRecord(ObjectNode record, int depth) throws IOException {
            List<JsonNode> fields = new ArrayList<>();
            for (JsonNode field : record.get("fields")) {
                if (random.nextInt(6) == 0) {
                    continue;
                }
                ObjectNode copy = (ObjectNode) field.deepCopy();
                JsonNode type = evolved(copy.get("type"), depth + 1);
                if (random.nextInt(6) == 0 && !type.isArray() && !type.equals(JSON.getNodeFactory().textNode("null"))) {
                    ArrayNode union = JSON.createArrayNode().add("null");
                    union.add(type);
                    type = union;
                }
                copy.set("type", type);
                if (random.nextInt(6) == 0) {
                    copy.putArray("aliases").add(copy.get("name").asText());
                    copy.put("name", "n" + names++);
                }
                fields.add(copy);
            }
            if (random.nextInt(2) == 0) {
                String[][] added = {{"\"int\"", "7"}, {"[\"null\", \"string\"]", "null"}, {"{\"type\": \"array\", \"items\": \"double\"}", "[0.5]"}, {"[\"string\", \"null\"]", "\"x\""}, {"{\"type\": \"record\", \"name\": \"A" + names++ + "\", \"fields\": [{\"name\": \"a\", \"type\": \"long\", \"default\": -1}]}", "{}"}};
                String[] one = added[random.nextInt(added.length)];
                fields.add(JSON.readTree(field("a" + names++, one[0], "\"default\": " + one[1])));
            } else if (random.nextInt(10) == 0) {
                fields.add(JSON.readTree(field("a" + names++, "\"int\"")));
            }
            if (random.nextInt(2) == 0) {
                java.util.Collections.shuffle(fields, random);
            }
            ArrayNode list = JSON.createArrayNode();
            fields.forEach(list::add);
            record.set("fields", list);
            return record;
        }

        private JsonNode promoted(JsonNode schema) throws IOException {
            if (random.nextInt(3) > 0) {
                return schema;
            }
            String[] to = switch (schema.asText()) {
                case "int" -> new String[] {"long", "float", "double"};
                case "long" -> new String[] {"float", "double"};
                case "float" -> new String[] {"double"};
                case "string" -> new String[] {"bytes"};
                case "boolean" -> new String[] {"boolean", "string"};
                default -> new String[] {schema.asText()};
            };
            return JSON.getNodeFactory().textNode(to[random.nextInt(to.length)]);
        }
    }
}
