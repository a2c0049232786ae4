package io.sagaspring.listener;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import org.junit.jupiter.api.Test;

/** Tests that all nodes and versions find the same line for a key. */
class LinesTests {

    @Test
    void theLineOfAKeyNeverChanges() {
        assertThat(Lines.of(null, "o1")).isEqualTo(Lines.of(null, "o1")).isNotEqualTo(Lines.of("acme", "o1"));
        // Nodes of other versions must find the same line.
        assertThat(Lines.of(null, "order-1")).isEqualTo(expectedLine("order-1"));
        assertThat(Lines.of("acme", "order-1")).isEqualTo(expectedLine("acme\u001Forder-1"));
    }

    private static long expectedLine(String text) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(text.getBytes(StandardCharsets.UTF_8));
            long line = 0;
            for (int each = 0; each < 8; each++) {
                line = (line << 8) | (hash[each] & 0xff);
            }
            return line;
        } catch (NoSuchAlgorithmException impossible) {
            throw new IllegalStateException(impossible);
        }
    }
}
