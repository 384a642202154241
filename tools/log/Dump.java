// Runs Kafka's DumpLogSegments many times in one process: a start of the machine for each would cost more than the tool does.
//
//   java -cp '<Kafka>/libs/*' tools/log/Dump.java <jobs>
//
// Each line of the file <jobs> is the arguments of one run, separated by tabs. Before what a run prints, to either of its
// streams, there is a line with a form feed; what it throws is printed.

import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.kafka.common.utils.Exit;
import org.apache.kafka.tools.DumpLogSegments;

public class Dump {
    public static void main(String[] args) throws Exception {
        Exit.setExitProcedure((code, message) -> {
            throw new IllegalStateException("Exception: ended with " + code + ": " + message);
        });
        System.setErr(System.out);
        for (String line : Files.readAllLines(Path.of(args[0]))) {
            System.out.println("\f");
            try {
                DumpLogSegments.main(line.split("\t"));
            } catch (Exception thrown) {
                thrown.printStackTrace();
            }
        }
        System.out.flush();
    }
}
