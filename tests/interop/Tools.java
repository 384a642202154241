// Runs command-line tools of Kafka in one process: JSON lines in, JSON lines out. A start of the machine for each would cost more
// than most of them do.
//
//   java -cp "$KAFKA_LIBS/*" Tools.java
//
// {"class": name, "arguments": [text …], "input": text}  ->  {"code": exit code, "out": text, "err": text}

import java.io.BufferedReader;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.reflect.InvocationTargetException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;

import org.apache.kafka.common.utils.Exit;

public final class Tools {
    private static final ObjectMapper JSON = new ObjectMapper();
    private static final List<Runnable> HOOKS = new ArrayList<>();

    /** What a tool's wish to end the process becomes. */
    private static final class Ended extends RuntimeException {
        final int code;

        Ended(int code) {
            super("ended with " + code, null, false, false);
            this.code = code;
        }
    }

    public static void main(String[] none) throws Exception {
        BufferedReader asked = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        PrintStream answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        Exit.Procedure end = (code, message) -> {
            if (message != null) {
                System.err.println(message);
            }
            throw new Ended(code);
        };
        Exit.setExitProcedure(end);
        Exit.setHaltProcedure(end);
        Exit.setShutdownHookAdder((name, hook) -> HOOKS.add(hook));
        // What threads of a tool print after its end is no answer.
        PrintStream nowhere = new PrintStream(PrintStream.nullOutputStream());
        System.setOut(nowhere);
        System.setErr(nowhere);
        for (String line = asked.readLine(); line != null; line = asked.readLine()) {
            answers.println(run(JSON.readTree(line)));
        }
        Runtime.getRuntime().halt(0);
    }

    private static String run(JsonNode tool) throws Exception {
        List<String> arguments = new ArrayList<>();
        tool.get("arguments").forEach(argument -> arguments.add(argument.asText()));
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        ByteArrayOutputStream err = new ByteArrayOutputStream();
        PrintStream formerOut = System.out;
        PrintStream formerErr = System.err;
        int code = 0;
        try {
            System.setIn(new ByteArrayInputStream(tool.get("input").asText().getBytes(StandardCharsets.UTF_8)));
            System.setOut(new PrintStream(out, true, StandardCharsets.UTF_8));
            System.setErr(new PrintStream(err, true, StandardCharsets.UTF_8));
            Class.forName(tool.get("class").asText()).getMethod("main", String[].class)
                .invoke(null, (Object) arguments.toArray(String[]::new));
        } catch (InvocationTargetException thrown) {
            if (thrown.getCause() instanceof Ended ended) {
                code = ended.code;
            } else {
                thrown.getCause().printStackTrace();
                code = 1;
            }
        } finally {
            code = close(code);
            System.setOut(formerOut);
            System.setErr(formerErr);
        }
        return JSON.writeValueAsString(JSON.createObjectNode().put("code", code)
            .put("out", out.toString(StandardCharsets.UTF_8)).put("err", err.toString(StandardCharsets.UTF_8)));
    }

    /** Runs what the tool wanted done at the end of its process. */
    private static int close(int code) {
        List<Runnable> hooks = List.copyOf(HOOKS);
        HOOKS.clear();
        try {
            hooks.forEach(Runnable::run);
        } catch (Ended ended) {
            return ended.code;
        }
        return code;
    }
}
