// Record batches and key hashes as Kafka's Java client makes and reads them.
//
//   java -cp "$KAFKA_LIBS/*" RecordVectors.java write DIR     write the golden vectors: *.bin (batches), *.json (what they hold), keys.json
//   java -cp "$KAFKA_LIBS/*" RecordVectors.java verify DIR    read each *.bin of DIR with Kafka's decoder, check every CRC, compare with its *.json
//   java -cp "$KAFKA_LIBS/*" RecordVectors.java describe FILE print the JSON of one *.bin
//   java -cp "$KAFKA_LIBS/*" RecordVectors.java legacy DIR    write the golden vectors of formats 0 and 1
//   java -cp "$KAFKA_LIBS/*" RecordVectors.java random SEED COUNT FILE  write random runs of batches of all formats: FILE and FILE.jsonl
//   java -cp "$KAFKA_LIBS/*" RecordVectors.java check FILE    read another encoder's FILE, compare with its FILE.jsonl, encode it again

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.header.Header;
import org.apache.kafka.common.header.internals.RecordHeader;
import org.apache.kafka.common.message.KRaftVersionRecord;
import org.apache.kafka.common.message.LeaderChangeMessage;
import org.apache.kafka.common.message.SnapshotFooterRecord;
import org.apache.kafka.common.message.SnapshotHeaderRecord;
import org.apache.kafka.common.message.VotersRecord;
import org.apache.kafka.common.record.TimestampType;
import org.apache.kafka.common.record.internal.ControlRecordType;
import org.apache.kafka.common.record.internal.DefaultRecordBatch;
import org.apache.kafka.common.record.internal.EndTransactionMarker;
import org.apache.kafka.common.record.internal.MemoryRecords;
import org.apache.kafka.common.record.internal.MemoryRecordsBuilder;
import org.apache.kafka.common.record.internal.MutableRecordBatch;
import org.apache.kafka.common.record.internal.Record;
import org.apache.kafka.common.record.internal.RecordBatch;
import org.apache.kafka.common.record.internal.SimpleRecord;
import org.apache.kafka.common.utils.ByteBufferOutputStream;
import org.apache.kafka.common.utils.Crc32C;
import org.apache.kafka.common.utils.Utils;

public final class RecordVectors {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final HexFormat HEX = HexFormat.of();
    /** Longer byte strings are described by length and CRC32C. */
    private static final int PLAIN_MAX = 256;
    private static final long TIME = 1_700_000_000_000L;

    public static void main(String[] args) throws Exception {
        if (args.length == 4 && args[0].equals("random")) {
            random(Long.parseLong(args[1]), Integer.parseInt(args[2]), Path.of(args[3]));
            return;
        }
        switch (args.length == 2 ? args[0] : "") {
            case "write" -> write(Path.of(args[1]));
            case "verify" -> verify(Path.of(args[1]));
            case "legacy" -> writeLegacy(Path.of(args[1]));
            case "check" -> check(Path.of(args[1]));
            case "describe" -> System.out.println(text(describe(Files.readAllBytes(Path.of(args[1])))));
            default -> {
                System.err.println("usage: RecordVectors write DIR | legacy DIR | verify DIR | describe FILE | random SEED COUNT FILE | check FILE");
                System.exit(2);
            }
        }
    }

    // ---- writing

    private static void write(Path dir) throws IOException {
        Files.createDirectories(dir);
        save(dir, "plain", plain());
        save(dir, "no_timestamp", batch(new Options(), b -> {
            b.append(RecordBatch.NO_TIMESTAMP, bytes("a"), bytes("b"));
            b.append(RecordBatch.NO_TIMESTAMP, bytes("c"), null);
        }));
        save(dir, "sizes", batch(new Options(), RecordVectors::appendSizes));
        Options idempotent = new Options().producer(4242, 3, 17).epoch(9).offset(1L << 40);
        save(dir, "idempotent", batch(idempotent, RecordVectors::appendRows));
        save(dir, "sequence_wrap", batch(new Options().producer(1, 0, Integer.MAX_VALUE - 1), b -> {
            for (int i = 0; i < 4; i++) b.append(TIME, bytes("k" + i), bytes("v"));
        }));
        Options transactional = new Options().producer(Long.MAX_VALUE, Short.MAX_VALUE, 0);
        transactional.transactional = true;
        save(dir, "transactional", batch(transactional, RecordVectors::appendRows));
        transactional.compression = Compression.zstd().build();
        save(dir, "transactional_zstd", batch(transactional, RecordVectors::appendRows));
        Options appendTime = new Options();
        appendTime.timestampType = TimestampType.LOG_APPEND_TIME;
        save(dir, "append_time_built", batch(appendTime, RecordVectors::appendRows));
        save(dir, "append_time_patched", patched(plain()));
        Options lz4 = new Options();
        lz4.compression = Compression.lz4().build();
        save(dir, "append_time_patched_lz4", patched(batch(lz4, RecordVectors::appendRows)));
        Options horizon = new Options();
        horizon.deleteHorizon = TIME + 86_400_000L;
        save(dir, "delete_horizon", batch(horizon, b -> {
            b.append(TIME, bytes("k"), null);
            b.append(TIME + 5, bytes("l"), null);
        }));
        save(dir, "offset_gaps", batch(new Options().offset(100), b -> {
            b.appendWithOffset(103, TIME, bytes("a"), bytes("1"));
            b.appendWithOffset(110, TIME + 1, bytes("b"), bytes("2"));
            b.appendWithOffset(164, TIME + 1, bytes("c"), bytes("3"));
            b.appendWithOffset(9_000, TIME + 1, bytes("d"), bytes("4"));
            b.appendWithOffset(2_000_000, TIME + 1, bytes("e"), bytes("5"));
            b.overrideLastOffset(3_000_000);
        }));
        ByteBuffer empty = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        DefaultRecordBatch.writeEmptyHeader(empty, (byte) 2, 7, (short) 1, 30, 200, 240, 4, TimestampType.CREATE_TIME, TIME, false, false);
        save(dir, "empty_after_compaction", empty.flip());
        writeControl(dir);
        writeCompressed(dir);
        save(dir, "several_batches", join(batch(new Options(), RecordVectors::appendRows), plain(), batch(lz4, RecordVectors::appendRows)));
        Files.writeString(dir.resolve("keys.json"), text(keys()));
    }

    private static void writeControl(Path dir) throws IOException {
        EndTransactionMarker commit = new EndTransactionMarker(ControlRecordType.COMMIT, 12);
        EndTransactionMarker abort = new EndTransactionMarker(ControlRecordType.ABORT, 13);
        save(dir, "commit_marker", MemoryRecords.withEndTransactionMarker(5, TIME, 2, 4242, (short) 3, commit).buffer());
        save(dir, "abort_marker", MemoryRecords.withEndTransactionMarker(6, TIME, 2, 4242, (short) 3, abort).buffer());
        LeaderChangeMessage leader = new LeaderChangeMessage().setLeaderId(1).setVoters(List.of(
            new LeaderChangeMessage.Voter().setVoterId(1), new LeaderChangeMessage.Voter().setVoterId(2)));
        save(dir, "leader_change", MemoryRecords.withLeaderChangeMessage(0, TIME, 1, ByteBuffer.allocate(512), leader).buffer());
        save(dir, "snapshot_header", MemoryRecords.withSnapshotHeaderRecord(0, TIME, 1, ByteBuffer.allocate(512),
            new SnapshotHeaderRecord().setLastContainedLogTimestamp(TIME)).buffer());
        save(dir, "snapshot_footer", MemoryRecords.withSnapshotFooterRecord(9, TIME, 1, ByteBuffer.allocate(512),
            new SnapshotFooterRecord()).buffer());
        save(dir, "kraft_version", MemoryRecords.withKRaftVersionRecord(1, TIME, 1, ByteBuffer.allocate(512),
            new KRaftVersionRecord().setKRaftVersion((short) 1)).buffer());
        save(dir, "voters", MemoryRecords.withVotersRecord(2, TIME, 1, ByteBuffer.allocate(512), new VotersRecord().setVoters(List.of(
            new VotersRecord.Voter().setVoterId(1)))).buffer());
    }

    private static void writeCompressed(Path dir) throws IOException {
        for (String name : List.of("gzip", "snappy", "lz4", "zstd")) {
            Options options = new Options();
            options.compression = Compression.of(name).build();
            save(dir, name, batch(options, b -> {
                appendVaried(b);
                appendRows(b);
            }));
            save(dir, name + "_blocks", batch(options, RecordVectors::appendBlocks));
        }
        Options options = new Options();
        options.compression = Compression.gzip().level(1).build();
        save(dir, "gzip_1", batch(options, RecordVectors::appendRows));
        options.compression = Compression.gzip().level(9).build();
        save(dir, "gzip_9", batch(options, RecordVectors::appendRows));
        options.compression = Compression.lz4().level(17).build();
        save(dir, "lz4_17", batch(options, RecordVectors::appendBlocks));
        options.compression = Compression.zstd().level(1).build();
        save(dir, "zstd_1", batch(options, RecordVectors::appendRows));
        options.compression = Compression.zstd().level(22).build();
        save(dir, "zstd_22", batch(options, RecordVectors::appendBlocks));
        options.compression = Compression.lz4().build();
        save(dir, "lz4_incompressible", batch(options, b -> b.append(TIME, null, noise(70_000))));
        options.compression = Compression.snappy().build();
        save(dir, "snappy_incompressible", batch(options, b -> b.append(TIME, null, noise(2_000))));
    }

    private static final class Options {
        byte magic = RecordBatch.MAGIC_VALUE_V2;
        boolean control;
        Compression compression = Compression.NONE;
        TimestampType timestampType = TimestampType.CREATE_TIME;
        long baseOffset;
        long producerId = RecordBatch.NO_PRODUCER_ID;
        short producerEpoch = RecordBatch.NO_PRODUCER_EPOCH;
        int baseSequence = RecordBatch.NO_SEQUENCE;
        int leaderEpoch = RecordBatch.NO_PARTITION_LEADER_EPOCH;
        boolean transactional;
        long deleteHorizon = RecordBatch.NO_TIMESTAMP;

        Options producer(long id, int epoch, int sequence) {
            producerId = id;
            producerEpoch = (short) epoch;
            baseSequence = sequence;
            return this;
        }

        Options offset(long offset) {
            baseOffset = offset;
            return this;
        }

        Options legacy(int magic) {
            this.magic = (byte) magic;
            return this;
        }

        Options epoch(int epoch) {
            leaderEpoch = epoch;
            return this;
        }
    }

    private static ByteBuffer batch(Options o, Consumer<MemoryRecordsBuilder> records) {
        MemoryRecordsBuilder builder = new MemoryRecordsBuilder(new ByteBufferOutputStream(1 << 10), o.magic,
            o.compression, o.timestampType, o.baseOffset, o.timestampType == TimestampType.LOG_APPEND_TIME ? TIME + 77 : RecordBatch.NO_TIMESTAMP,
            o.producerId, o.producerEpoch, o.baseSequence, o.transactional, o.control, o.leaderEpoch, 1 << 20, o.deleteHorizon);
        records.accept(builder);
        return builder.build().buffer();
    }

    private static ByteBuffer plain() {
        return batch(new Options(), RecordVectors::appendVaried);
    }

    /** Null, empty and repeated fields; timestamps that go back and far ahead. */
    private static void appendVaried(MemoryRecordsBuilder b) {
        Header[] headers = {
            new RecordHeader("trace", bytes("1")), new RecordHeader("trace", bytes("2")), new RecordHeader("null", (byte[]) null),
            new RecordHeader("", new byte[0]), new RecordHeader("ключ", bytes("значение")),
        };
        b.append(TIME, bytes("key"), bytes("value"));
        b.append(TIME - 1_000, null, bytes("no key"));
        b.append(TIME + 1, bytes("no value"), null);
        b.append(TIME, null, (byte[]) null);
        b.append(TIME, new byte[0], new byte[0]);
        b.append(TIME + (1L << 45), bytes("far"), bytes("ahead"));
        b.append(0L, bytes("far"), bytes("back"));
        b.append(TIME, bytes("headers"), bytes("five"), headers);
        b.append(TIME, (byte[]) null, null, new Header[] {new RecordHeader("only", (byte[]) null)});
    }

    /** Lengths at which varints grow. */
    private static void appendSizes(MemoryRecordsBuilder b) {
        for (int size : new int[] {0, 1, 50, 63, 64, 65, 127, 128, 8191, 8192}) {
            b.append(TIME + size, size > 200 ? null : text(size), text(size));
        }
    }

    private static void appendRows(MemoryRecordsBuilder b) {
        Random random = new Random(1);
        for (int i = 0; i < 60; i++) {
            String row = "{\"origin\":\"%s\",\"delay\":%d,\"row\":%d}".formatted(List.of("EWR", "JFK", "LGA").get(random.nextInt(3)), random.nextInt(300) - 20, i);
            b.append(TIME + i / 7, bytes("N" + random.nextInt(40)), bytes(row));
        }
    }

    /** Several blocks of every codec. */
    private static void appendBlocks(MemoryRecordsBuilder b) {
        for (int i = 0; i < 5; i++) b.append(TIME + i, null, text(40_000 + i));
        b.append(TIME + 9, null, noise(600));
    }

    private static byte[] text(int size) {
        byte[] text = new byte[size];
        for (int i = 0; i < size; i++) text[i] = (byte) ('a' + (i / 7 + i % 11) % 26);
        return text;
    }

    private static byte[] noise(int size) {
        byte[] noise = new byte[size];
        new Random(size).nextBytes(noise);
        return noise;
    }

    private static byte[] bytes(String text) {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    /** As a broker patches a batch for a topic with message.timestamp.type=LogAppendTime. */
    private static ByteBuffer patched(ByteBuffer batch) {
        for (MutableRecordBatch each : MemoryRecords.readableRecords(batch).batches()) {
            each.setLastOffset(each.lastOffset() + 1_000);
            if (each.magic() == RecordBatch.MAGIC_VALUE_V2) each.setPartitionLeaderEpoch(5);
            each.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, TIME + 123_456);
        }
        return batch;
    }

    private static ByteBuffer join(ByteBuffer... parts) {
        ByteBuffer joined = ByteBuffer.allocate(Arrays.stream(parts).mapToInt(ByteBuffer::remaining).sum());
        for (ByteBuffer part : parts) joined.put(part.duplicate());
        return joined.flip();
    }

    private static ArrayNode keys() {
        List<byte[]> keys = new ArrayList<>();
        for (int size = 0; size < 24; size++) keys.add(text(size));
        for (String key : List.of("", "21", "foobar", "a-little-bit-long-string", "lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8", "N14228", "ключ")) keys.add(bytes(key));
        for (int size : new int[] {1, 2, 3, 4, 5, 7, 16, 33, 100}) keys.add(noise(size));
        ArrayNode rows = JSON.createArrayNode();
        for (byte[] key : keys) {
            ObjectNode row = rows.addObject().put("key", HEX.formatHex(key)).put("murmur2", Utils.murmur2(key));
            ObjectNode partitions = row.putObject("partitions");
            for (int count : new int[] {1, 6, 50, 1000}) partitions.put(Integer.toString(count), BuiltInPartitioner.partitionForKey(key, count));
        }
        return rows;
    }

    private static void save(Path dir, String name, ByteBuffer batches) throws IOException {
        byte[] bytes = new byte[batches.remaining()];
        batches.duplicate().get(bytes);
        Files.write(dir.resolve(name + ".bin"), bytes);
        Files.writeString(dir.resolve(name + ".json"), text(describe(bytes)));
    }

    // ---- formats 0 and 1

    private static void writeLegacy(Path dir) throws IOException {
        Files.createDirectories(dir);
        for (byte magic = 0; magic < 2; magic++) {
            for (String name : List.of("none", "gzip", "snappy", "lz4")) {
                Options options = new Options().offset(1_000);
                options.magic = magic;
                options.compression = Compression.of(name).build();
                save(dir, "v" + magic + "_" + name, batch(options, RecordVectors::appendOld));
                save(dir, "v" + magic + "_" + name + "_gaps", batch(options, RecordVectors::appendOldGaps));
                if (magic == 0) continue;
                save(dir, "v1_" + name + "_append_time_patched", patched(batch(options, RecordVectors::appendOld)));
                options.timestampType = TimestampType.LOG_APPEND_TIME;
                save(dir, "v1_" + name + "_append_time", batch(options, RecordVectors::appendOld));
            }
        }
        Options zero = new Options();
        zero.magic = 1;
        zero.compression = Compression.gzip().build();
        ByteBuffer produced = batch(zero, RecordVectors::appendOld);
        // As librdkafka produced it: the wrapper's offset is 0, not that of its last message.
        save(dir, "v1_gzip_offset_zero", produced.putLong(produced.position(), 0));
        Options old = new Options();
        Options newer = new Options().offset(10);
        newer.magic = 1;
        newer.compression = Compression.snappy().build();
        save(dir, "all_formats", join(batch(old.legacy(0), RecordVectors::appendOld), batch(newer, RecordVectors::appendOld), batch(new Options().offset(50), RecordVectors::appendVaried)));
    }

    private static void appendOld(MemoryRecordsBuilder b) {
        b.append(TIME, bytes("key"), bytes("value"));
        b.append(TIME - 1_000, null, bytes("no key"));
        b.append(TIME + 1, bytes("no value"), null);
        b.append(RecordBatch.NO_TIMESTAMP, null, (byte[]) null);
        b.append(TIME, new byte[0], new byte[0]);
        b.append(TIME + (1L << 45), text(300), text(70_000));
    }

    private static void appendOldGaps(MemoryRecordsBuilder b) {
        b.appendWithOffset(1_003, TIME, bytes("a"), bytes("1"));
        b.appendWithOffset(1_010, TIME + 1, bytes("b"), null);
        b.appendWithOffset(70_000, TIME + 2, null, bytes("3"));
    }

    // ---- random batches of all formats

    private static final List<String> CODECS = List.of("none", "gzip", "snappy", "lz4", "zstd");

    private static void random(long seed, int count, Path file) throws IOException {
        try (var out = new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(file)));
             var lines = Files.newBufferedWriter(Path.of(file + ".jsonl"))) {
            for (int i = 0; i < count; i++) {
                Random random = new Random(seed * 1_000_003 + i);
                ByteBuffer[] parts = new ByteBuffer[1 + random.nextInt(3)];
                long offset = random.nextInt(4) == 0 ? 0 : random.nextLong() >>> 20 + random.nextInt(40);
                for (int part = 0; part < parts.length; part++) {
                    parts[part] = randomBatch(random, offset);
                    for (RecordBatch batch : MemoryRecords.readableRecords(parts[part]).batches()) offset = batch.nextOffset();
                }
                byte[] bytes = join(parts).array();
                out.writeInt(bytes.length);
                out.write(bytes);
                lines.write(describe(bytes).toString() + "\n");
            }
        }
    }

    private static ByteBuffer randomBatch(Random random, long offset) {
        Options o = new Options().offset(offset);
        o.magic = (byte) (random.nextInt(5) < 3 ? 2 : random.nextInt(2));
        o.compression = randomCodec(random, o.magic);
        boolean control = false;
        if (o.magic > 0 && random.nextInt(3) == 0) o.timestampType = TimestampType.LOG_APPEND_TIME;
        if (o.magic == 2) {
            if (random.nextInt(20) == 0) return randomEmpty(random, offset);
            if (random.nextBoolean()) o.epoch(random.nextInt(1 << random.nextInt(31)));
            if (random.nextInt(3) == 0) {
                o.producer(random.nextLong() >>> 1, random.nextInt(Short.MAX_VALUE), random.nextBoolean() ? Integer.MAX_VALUE - random.nextInt(3) : random.nextInt(1000));
                o.transactional = random.nextBoolean();
                control = random.nextInt(3) == 0;
            }
            if (control) {
                o.compression = Compression.NONE;
                o.control = true;
                if (o.transactional) o.baseSequence = RecordBatch.NO_SEQUENCE;
            }
            if (o.timestampType == TimestampType.CREATE_TIME && random.nextInt(8) == 0) o.deleteHorizon = TIME + random.nextInt();
        }
        boolean isControl = control;
        ByteBuffer bytes = batch(o, b -> appendRandom(b, random, offset, isControl, o.magic));
        if (random.nextInt(4) == 0) {
            for (MutableRecordBatch each : MemoryRecords.readableRecords(bytes).batches()) {
                if (each.magic() == 2) each.setPartitionLeaderEpoch(random.nextInt(100));
                if (each.magic() > 0 && each.deleteHorizonMs().isEmpty()) each.setMaxTimestamp(TimestampType.LOG_APPEND_TIME, TIME + random.nextInt(1000));
            }
        }
        return bytes;
    }

    private static Compression randomCodec(Random random, byte magic) {
        String name = CODECS.get(random.nextInt(magic == 2 ? 5 : 4));
        boolean leveled = random.nextInt(3) == 0;
        return switch (name) {
            case "gzip" -> leveled ? Compression.gzip().level(1 + random.nextInt(9)).build() : Compression.gzip().build();
            case "lz4" -> leveled ? Compression.lz4().level(1 + random.nextInt(17)).build() : Compression.lz4().build();
            case "zstd" -> leveled ? Compression.zstd().level(random.nextInt(23) - 7).build() : Compression.zstd().build();
            default -> Compression.of(name).build();
        };
    }

    private static ByteBuffer randomEmpty(Random random, long offset) {
        ByteBuffer empty = ByteBuffer.allocate(DefaultRecordBatch.RECORD_BATCH_OVERHEAD);
        int span = random.nextInt(1000);
        DefaultRecordBatch.writeEmptyHeader(empty, (byte) 2, random.nextInt(1000), (short) random.nextInt(9), random.nextInt(1 << 30), offset,
            offset + span, random.nextInt(9), random.nextBoolean() ? TimestampType.CREATE_TIME : TimestampType.LOG_APPEND_TIME, TIME, random.nextBoolean(), false);
        return empty.flip();
    }

    private static void appendRandom(MemoryRecordsBuilder b, Random random, long offset, boolean control, byte magic) {
        int count = 1 + random.nextInt(random.nextInt(6) == 0 ? 300 : 12);
        boolean gaps = random.nextInt(4) == 0;
        long next = offset;
        for (int i = 0; i < count; i++) {
            if (gaps) next += random.nextInt(1 << random.nextInt(18));
            long timestamp = switch (random.nextInt(8)) {
                case 0 -> RecordBatch.NO_TIMESTAMP;
                case 1 -> random.nextLong() >>> 1 + random.nextInt(62);
                default -> TIME + random.nextInt(100_000) - 50_000;
            };
            if (control) {
                ByteBuffer key = ByteBuffer.allocate(4).putShort((short) random.nextInt(2)).putShort((short) random.nextInt(7)).flip();
                b.appendControlRecordWithOffset(next++, new SimpleRecord(timestamp, key, ByteBuffer.wrap(noise(random.nextInt(20)))));
            } else if (magic == 2) {
                Header[] headers = new Header[random.nextInt(4) == 0 ? random.nextInt(5) : 0];
                for (int h = 0; h < headers.length; h++) headers[h] = new RecordHeader("h".repeat(random.nextInt(3)), randomBytes(random, 40));
                b.appendWithOffset(next++, timestamp, randomBytes(random, 100), randomBytes(random, 600), headers);
            } else {
                b.appendWithOffset(next++, timestamp, randomBytes(random, 100), randomBytes(random, 600));
            }
        }
        if (magic == 2 && random.nextInt(8) == 0) b.overrideLastOffset(next + random.nextInt(1000));
    }

    private static byte[] randomBytes(Random random, int sizeMax) {
        return switch (random.nextInt(8)) {
            case 0 -> null;
            case 1 -> new byte[0];
            case 2 -> noise(random.nextInt(sizeMax));
            case 3 -> random.nextInt(20) == 0 ? text(random.nextInt(150_000)) : text(random.nextInt(sizeMax));
            default -> text(random.nextInt(sizeMax));
        };
    }

    /** Kafka's decoder reads each run and finds what the other encoder says; its encoder then makes the same bytes where nothing is left to a codec. */
    private static void check(Path file) throws IOException {
        int[] equal = new int[CODECS.size()], encoded = new int[CODECS.size()];
        int runs = 0, failed = 0;
        try (var in = new DataInputStream(new BufferedInputStream(Files.newInputStream(file)));
             var lines = Files.newBufferedReader(Path.of(file + ".jsonl"))) {
            for (String line; (line = lines.readLine()) != null; runs++) {
                byte[] bytes = in.readNBytes(in.readInt());
                JsonNode expected = JSON.readTree(line);
                String found;
                try {
                    found = describe(bytes).toString();
                    if (JSON.readTree(found).equals(expected.get("holds"))) found = again(bytes, expected.get("levels"), equal, encoded);
                } catch (RuntimeException e) {
                    found = e.toString();
                }
                if (!found.isEmpty()) {
                    failed++;
                    System.err.println("DIFFERS run " + runs + "\n" + found.substring(0, Math.min(found.length(), 3000)));
                }
            }
        }
        ObjectNode summary = JSON.createObjectNode().put("runs", runs).put("failed", failed);
        for (int i = 0; i < CODECS.size(); i++) summary.putObject(CODECS.get(i)).put("batches", encoded[i]).put("byte_equal", equal[i]);
        System.out.println(summary);
        if (failed > 0 || runs == 0) System.exit(1);
    }

    /** Encodes the batches anew and counts equal ones; says what differs in a batch that is not compressed. */
    private static String again(byte[] bytes, JsonNode levels, int[] equal, int[] encoded) {
        int index = 0;
        int position = 0;
        for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches()) {
            JsonNode level = levels.get(index++);
            byte[] theirs = Arrays.copyOfRange(bytes, position, position += batch.sizeInBytes());
            // Kafka writes no control records of types that it does not know.
            boolean unknown = false;
            if (batch.isControlBatch()) {
                for (Record record : batch) unknown |= ControlRecordType.parse(record.key()) == ControlRecordType.UNKNOWN;
            }
            if (batch.magic() < 2 || batch.countOrNull() == 0 || unknown) continue;
            Options o = new Options().offset(batch.baseOffset()).epoch(batch.partitionLeaderEpoch());
            o.producer(batch.producerId(), batch.producerEpoch(), batch.baseSequence());
            o.transactional = batch.isTransactional();
            o.control = batch.isControlBatch();
            o.deleteHorizon = batch.deleteHorizonMs().orElse(RecordBatch.NO_TIMESTAMP);
            o.compression = switch (batch.compressionType()) {
                case GZIP -> level.isNull() ? Compression.gzip().build() : Compression.gzip().level(level.intValue()).build();
                case LZ4 -> level.isNull() ? Compression.lz4().build() : Compression.lz4().level(level.intValue()).build();
                case ZSTD -> level.isNull() ? Compression.zstd().build() : Compression.zstd().level(level.intValue()).build();
                default -> Compression.of(batch.compressionType()).build();
            };
            boolean appendTime = batch.timestampType() == TimestampType.LOG_APPEND_TIME;
            ByteBuffer ours = batch(o, b -> {
                for (Record record : batch) {
                    if (o.control) b.appendControlRecordWithOffset(record.offset(), new SimpleRecord(record.timestamp(), record.key(), record.value()));
                    else b.appendWithOffset(record.offset(), record.timestamp(), record.key(), record.value(), record.headers());
                }
                b.overrideLastOffset(batch.lastOffset());
            });
            // A stamped batch keeps the producer's timestamps beneath, which cannot be seen.
            if (appendTime) continue;
            byte[] mine = new byte[ours.remaining()];
            ours.get(mine);
            int codec = batch.compressionType().id;
            encoded[codec]++;
            if (Arrays.equals(mine, theirs)) equal[codec]++;
            // LZ4's library is one and the same, at every level; the others' blocks and streams are cut elsewhere.
            else if (codec == 0 || codec == 3) return "encodes to " + HEX.formatHex(mine) + " not " + HEX.formatHex(theirs);
        }
        return "";
    }

    // ---- reading

    private static ObjectNode describe(byte[] bytes) {
        ObjectNode file = JSON.createObjectNode();
        ArrayNode batches = file.putArray("batches");
        for (RecordBatch batch : MemoryRecords.readableRecords(ByteBuffer.wrap(bytes)).batches()) {
            batch.ensureValid();
            ObjectNode row = batches.addObject();
            if (batch.magic() < RecordBatch.MAGIC_VALUE_V2) {
                describeLegacy(batch, row);
                continue;
            }
            row.put("base_offset", batch.baseOffset()).put("last_offset", batch.lastOffset());
            row.put("leader_epoch", batch.partitionLeaderEpoch()).put("size_in_bytes", batch.sizeInBytes()).put("crc", batch.checksum());
            row.put("compression", batch.compressionType().name);
            row.put("log_append_time", batch.timestampType() == TimestampType.LOG_APPEND_TIME);
            row.put("base_timestamp", ((DefaultRecordBatch) batch).baseTimestamp()).put("max_timestamp", batch.maxTimestamp());
            row.put("producer_id", batch.producerId()).put("producer_epoch", batch.producerEpoch());
            row.put("base_sequence", batch.baseSequence()).put("last_sequence", batch.lastSequence());
            row.put("transactional", batch.isTransactional()).put("control", batch.isControlBatch());
            batch.deleteHorizonMs().ifPresentOrElse(ms -> row.put("delete_horizon", ms), () -> row.putNull("delete_horizon"));
            row.put("record_count", batch.countOrNull());
            ArrayNode records = row.putArray("records");
            for (Record record : batch) {
                ObjectNode each = records.addObject().put("offset", record.offset()).put("timestamp", record.timestamp());
                each.set("key", describe(record.key()));
                each.set("value", describe(record.value()));
                ArrayNode headers = each.putArray("headers");
                for (Header header : record.headers()) {
                    headers.addArray().add(HEX.formatHex(bytes(header.key()))).add(describe(header.value() == null ? null : ByteBuffer.wrap(header.value())));
                }
            }
        }
        return file;
    }

    private static void describeLegacy(RecordBatch batch, ObjectNode row) {
        row.put("magic", batch.magic()).put("last_offset", batch.lastOffset()).put("size_in_bytes", batch.sizeInBytes());
        row.put("compression", batch.compressionType().name).put("timestamp_type", batch.timestampType().id);
        ArrayNode records = row.putArray("records");
        for (Record record : batch) {
            record.ensureValid();
            ObjectNode each = records.addObject().put("offset", record.offset()).put("timestamp", record.timestamp());
            each.set("key", describe(record.key()));
            each.set("value", describe(record.value()));
            each.putArray("headers");
        }
    }

    private static JsonNode describe(ByteBuffer field) {
        if (field == null) return JSON.nullNode();
        byte[] bytes = new byte[field.remaining()];
        field.duplicate().get(bytes);
        if (bytes.length <= PLAIN_MAX) return JSON.getNodeFactory().textNode(HEX.formatHex(bytes));
        return JSON.createObjectNode().put("length", bytes.length).put("crc32c", Crc32C.compute(bytes, 0, bytes.length));
    }

    private static void verify(Path dir) throws IOException {
        int failed = 0;
        List<Path> files;
        try (var listed = Files.list(dir)) {
            files = listed.filter(path -> path.toString().endsWith(".bin")).sorted().toList();
        }
        for (Path file : files) {
            Path expected = Path.of(file.toString().replaceAll("bin$", "json"));
            String found;
            boolean equal = false;
            try {
                found = text(describe(Files.readAllBytes(file)));
                // As trees, because the order of fields and the width of numbers say nothing.
                equal = JSON.readTree(found).equals(JSON.readTree(expected.toFile()));
            } catch (RuntimeException e) {
                found = e.toString();
            }
            if (!equal) {
                failed++;
                System.err.println("DIFFERS " + file + "\n" + found.substring(0, Math.min(found.length(), 4000)));
            }
        }
        System.out.println(files.size() - failed + " of " + files.size() + " files hold what they should");
        if (failed > 0 || files.isEmpty()) System.exit(1);
    }

    /** One record, batch or row a line, so that differences can be read. */
    private static String text(JsonNode node) {
        return node.toString().replace(",{\"offset\"", ",\n{\"offset\"").replace(",{\"key\":", ",\n{\"key\":").replace("{\"base_offset\"", "\n{\"base_offset\"").replace("\"records\":[{", "\"records\":[\n{") + "\n";
    }
}
