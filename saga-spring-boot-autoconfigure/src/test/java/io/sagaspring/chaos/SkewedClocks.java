package io.sagaspring.chaos;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Sets the clocks of processes with libfaketime. Changes only the wall clock, like an administrator or a time server that sets it. The
 * monotonic clock stays unchanged.
 */
final class SkewedClocks {

    private SkewedClocks() {}

    /** Returns the environment of a process whose clock differs from the machine's clock by the offset. */
    static Map<String, String> by(Duration offset) {
        return offset.isZero()
                ? Map.of()
                : Map.of(
                        "LD_PRELOAD",
                        faketime().toString(),
                        "FAKETIME",
                        "%+d".formatted(offset.toSeconds()),
                        "FAKETIME_DONT_FAKE_MONOTONIC",
                        "1",
                        // Switched off, because this fix would repeatedly wake a thread in a timed wait.
                        "FAKETIME_FORCE_MONOTONIC_FIX",
                        "0",
                        "NO_FAKE_STAT",
                        "1");
    }

    private static Path faketime() {
        return Stream.of("x86_64-linux-gnu/faketime", "aarch64-linux-gnu/faketime", "faketime")
                .map(directory -> Path.of("/usr/lib", directory, "libfaketimeMT.so.1"))
                .filter(Files::exists)
                .findFirst()
                .orElseThrow(
                        () -> new IllegalStateException(
                                "This test sets the clocks of processes with libfaketime, and it is not installed. On Debian: apt-get install faketime."));
    }
}
