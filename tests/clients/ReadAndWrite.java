import fudaba.wire.Input;
import fudaba.wire.Output;
import fudaba.wire.Writable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HexFormat;

/** Reads each line of a file, a record's name and a message of it in hex, and prints the message as the record has it. */
class ReadAndWrite {
    public static void main(String[] arguments) throws Exception {
        for (String line : Files.readAllLines(Path.of(arguments[0]))) {
            String[] words = line.split(" ", -1);
            Input input = new Input(HexFormat.of().parseHex(words[1]));
            Object message = Class.forName(words[0]).getMethod("read", Input.class).invoke(null, input);
            System.out.println(HexFormat.of().formatHex(Output.bytes((Writable) message)));
        }
    }
}
