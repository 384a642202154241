// Which partitions Kafka's producer gives keys: Partitions FILE COUNT... prints, for each count, the partitions of all keys.
// FILE has the keys, each behind its length in four bytes.

import java.io.DataInputStream;
import java.io.FileInputStream;
import java.io.BufferedInputStream;
import java.util.ArrayList;
import java.util.List;
import org.apache.kafka.clients.producer.internals.BuiltInPartitioner;

public final class Partitions {
    public static void main(String[] arguments) throws Exception {
        List<byte[]> keys = new ArrayList<>();
        try (var in = new DataInputStream(new BufferedInputStream(new FileInputStream(arguments[0])))) {
            while (in.available() > 0) {
                byte[] key = new byte[in.readInt()];
                in.readFully(key);
                keys.add(key);
            }
        }
        StringBuilder out = new StringBuilder();
        for (int argument = 1; argument < arguments.length; argument++) {
            int count = Integer.parseInt(arguments[argument]);
            for (byte[] key : keys) out.append(BuiltInPartitioner.partitionForKey(key, count)).append(' ');
            out.append('\n');
        }
        System.out.print(out);
    }
}
