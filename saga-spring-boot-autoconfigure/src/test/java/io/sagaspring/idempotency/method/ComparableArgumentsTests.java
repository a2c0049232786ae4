package io.sagaspring.idempotency.method;

import static io.sagaspring.idempotency.method.Around.faults;
import static org.assertj.core.api.Assertions.assertThat;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.idempotency.OwnerResolver;
import io.sagaspring.idempotency.method.IdempotentPostProcessor.Application.Handlers;
import java.io.InputStream;
import java.io.Reader;
import java.math.BigDecimal;
import java.net.URI;
import java.nio.file.Path;
import java.security.Principal;
import java.time.Instant;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TimeZone;
import java.util.UUID;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.springframework.core.io.Resource;
import org.springframework.web.multipart.MultipartFile;

/** An argument is refused if JSON cannot represent it in full, because two requests could then not be compared. */
@SuppressWarnings("unused") // None of the methods is ever called.
class ComparableArgumentsTests {

    record Part(String name, InputStream content) {}

    record Mail(Map<String, Optional<List<Part>>> parts) {}

    static class Tree {
        final List<Tree> children = List.of();
        final Reader text = Reader.nullReader();
    }

    sealed interface Order permits Paper, Online {}

    record Paper(BitSet holes) implements Order {}

    record Online(String id) implements Order {}

    /** Each method takes an argument that cannot be compared. */
    static class Unseen {
        @Idempotent(requestId = "#p0")
        public void stream(String id, InputStream unseen) {}

        @Idempotent(requestId = "#p0")
        public void reader(String id, Reader unseen) {}

        @Idempotent(requestId = "#p0")
        public void bits(String id, BitSet unseen) {}

        @Idempotent(requestId = "#p0")
        public void resource(String id, Resource unseen) {}

        @Idempotent(requestId = "#p0")
        public void file(String id, MultipartFile unseen) {}

        @Idempotent(requestId = "#p0")
        public void supplier(String id, Supplier<String> unseen) {}

        @Idempotent(requestId = "#p0")
        public void runnable(String id, Runnable unseen) {}

        @Idempotent(requestId = "#p0")
        public void resolver(String id, OwnerResolver unseen) {}

        @Idempotent(requestId = "#p0")
        public void array(String id, InputStream[][] unseen) {}

        @Idempotent(requestId = "#p0")
        public void optional(String id, Optional<InputStream> unseen) {}

        @Idempotent(requestId = "#p0")
        public <T extends InputStream> void variable(String id, List<? extends T> unseen) {}

        @Idempotent(requestId = "#p0")
        public void entry(String id, Map.Entry<String, InputStream> unseen) {}

        @Idempotent(requestId = "#p0")
        public void record(String id, Part unseen) {}

        @Idempotent(requestId = "#p0")
        public void deep(String id, Mail unseen) {}

        @Idempotent(requestId = "#p0")
        public void recursive(String id, Tree unseen) {}

        @Idempotent(requestId = "#p0")
        public void sealed(String id, Order unseen) {}

        @Idempotent(requestId = "#p0")
        public void keyed(String id, Map<int[], String> unseen) {}

        @Idempotent(requestId = "#p0")
        public void connection(String id, java.sql.Connection unseen) {}
    }

    @Test
    void anArgumentNotFullyShownByJsonIsRefused() {
        List<String> faults = faults(Unseen.class, Handlers.UNPROTECTED);

        assertThat(faults)
                .hasSize(Unseen.class.getDeclaredMethods().length)
                .allSatisfy(fault -> assertThat(fault)
                        .contains("unseen")
                        .endsWith(" the content that must be equal in two requests with the same key."));
        assertThat(faults)
                .contains(
                        Unseen.class.getName()
                                + ".deep takes java.io.InputStream as unseen.parts.content, which JSON cannot represent in full. Set fingerprint to the content that must be equal in two requests with the same key.");
    }

    /** The arguments of these methods are checked when a call passes them. */
    static class Seen {
        @Idempotent(requestId = "#p0")
        public void object(String id, Object seen) {}

        @Idempotent(requestId = "#p0")
        public void interfaces(String id, Comparable<?> one, CharSequence other, Typed typed, Principal user) {}

        @Idempotent(requestId = "#p0")
        public void abstracts(String id, Number one, Enum<?> other, Record third, TimeZone zone) {}

        @Idempotent(requestId = "#p0")
        public void values(
                String id, Instant at, UUID uuid, URI uri, Path path, BigDecimal big, byte[] bytes, Class<?> type) {}

        @Idempotent(requestId = "#p0")
        public void containers(
                String id,
                Optional<String> one,
                Map<UUID, List<Online>> other,
                Iterable<String> third,
                String... rest) {}

        @Idempotent(requestId = "#p0", fingerprint = "#name")
        public void fingerprinted(String id, String name, InputStream unseen) {}
    }

    @Test
    void anArgumentOfAComparableOrAbstractTypeIsNotRefused() {
        assertThat(faults(Seen.class, Handlers.UNPROTECTED)).isEmpty();
    }
}
