package io.sagaspring.chaos;

import io.sagaspring.fence.FencingToken;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * Records a race. Each racer reads a number, writes the number plus one a moment later, and records its token. Only the
 * lease prevents two racers from doing this at the same time.
 */
record LeaseHistory(Path directory) {

    long counted() {
        return lines("count").stream().mapToLong(Long::parseLong).findFirst().orElse(0);
    }

    void count(long number) {
        write("count", Long.toString(number), StandardOpenOption.TRUNCATE_EXISTING);
    }

    void held(FencingToken token, String node) {
        write("held", "%s %s%n".formatted(token, node), StandardOpenOption.APPEND);
    }

    List<Long> tokens() {
        return lines("held").stream()
                .map(line -> Long.valueOf(line.substring(0, line.indexOf(' '))))
                .toList();
    }

    List<String> nodes() {
        return lines("held").stream()
                .map(line -> line.substring(line.indexOf(' ') + 1))
                .distinct()
                .toList();
    }

    private List<String> lines(String file) {
        try {
            Path path = directory.resolve(file);
            return Files.exists(path) ? Files.readAllLines(path) : List.of();
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private void write(String file, String text, StandardOpenOption how) {
        try {
            Files.write(
                    directory.resolve(file),
                    text.getBytes(StandardCharsets.UTF_8),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    how);
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }
}
