package io.sagaspring.idempotency.method;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sagaspring.idempotency.Idempotent;
import io.sagaspring.schema.MigratedSchema;
import io.sagaspring.shop.Applications;
import io.sagaspring.test.database.TestDatabase;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.springframework.beans.factory.BeanCreationException;
import org.springframework.boot.autoconfigure.EnableAutoConfiguration;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** An application with methods that only look protected does not start, and the message names each of them. */
class UnprotectableMethodsTests {

    static class Generic<T extends @Nullable Object> {

        @Idempotent(requestId = "#requestId")
        public @Nullable T inherited(String requestId) {
            return null;
        }
    }

    @SuppressWarnings("unused") // Some are private, and none is ever called.
    static class Broken extends Generic<CompletableFuture<String>> {

        @Idempotent
        public void nowhere() {}

        @Idempotent(requestId = "#reqestId")
        public void typo(String requestId) {}

        @Idempotent(requestId = "#requestId +")
        public void unreadable(String requestId) {}

        @Idempotent(requestId = "#requestId")
        public CompletableFuture<String> later(String requestId) {
            return new CompletableFuture<>();
        }

        @Idempotent(requestId = "#requestId")
        public final void unseen(String requestId) {}

        @Idempotent(requestId = "#requestId", changesAccount = true)
        public void reset(String requestId) {}

        @Idempotent(requestId = "#requestId")
        private void hidden(String requestId) {}

        @Idempotent(requestId = "#requestId")
        public static void shared(String requestId) {}

        @Idempotent(requestId = "#requestId")
        public @Nullable Future<String> awaited(String requestId) {
            return null;
        }

        @Idempotent(requestId = "#requestId")
        public Stream<String> streamed(String requestId) {
            return Stream.of();
        }

        @Idempotent(requestId = "#requestId")
        public @Nullable CompletionStage<String> staged(String requestId) {
            return null;
        }

        @Idempotent(requestId = "#requestId")
        public Flow.@Nullable Publisher<String> published(String requestId) {
            return null;
        }

        @Idempotent(requestId = " ")
        public void blank(String requestId) {}

        @Idempotent(requestId = "#result")
        public String early(String requestId) {
            return requestId;
        }

        @Idempotent(requestId = "#requestId", sameTransaction = true, patience = "5s")
        public void together(String requestId) {}

        @Idempotent(requestId = "#requestId", patience = "${bank.unknown}")
        public void unresolved(String requestId) {}

        @Idempotent(requestId = "#requestId", patience = "a while")
        public void patient(String requestId) {}
    }

    @Configuration(proxyBeanMethods = false)
    @EnableAutoConfiguration
    static class BrokenApplication {

        @Bean
        Broken broken() {
            return new Broken();
        }
    }

    /** A method that only looks protected is worse than a method without the annotation. */
    @Test
    void theStartFailsAndReportsAllUnprotectableMethods() {
        assertThatThrownBy(() -> Applications.start(BrokenApplication.class, TestDatabase.create(MigratedSchema.class))
                        .close())
                .isNotInstanceOf(BeanCreationException.class)
                .hasMessageContaining("Broken.nowhere has no requestId")
                .hasMessageContaining(
                        "\"#reqestId\", but it uses #reqestId, which does not exist here. The variables are #p0, #requestId.")
                .hasMessageContaining("Broken.unreadable has the requestId")
                .hasMessageContaining("returns java.util.concurrent.CompletableFuture")
                .hasMessageContaining("Broken.unseen is private, static or final")
                .hasMessageContaining("Broken.hidden is private, static or final")
                .hasMessageContaining("Broken.shared is private, static or final")
                .hasMessageContaining("Broken.awaited returns java.util.concurrent.Future")
                .hasMessageContaining("Broken.streamed returns java.util.stream.Stream")
                .hasMessageContaining("Broken.inherited returns java.util.concurrent.CompletableFuture")
                .hasMessageContaining("Broken.staged returns java.util.concurrent.CompletionStage")
                .hasMessageContaining("Broken.published returns java.util.concurrent.Flow$Publisher")
                .hasMessageContaining("Broken.blank has the requestId")
                .hasMessageContaining(
                        "\"#result\", but it uses #result, which does not exist here. The variables are #p0, #requestId.")
                .hasMessageContaining("Broken.together has a patience")
                .hasMessageContaining("\"${bank.unknown}\", which is not a valid duration")
                .hasMessageContaining("Set fingerprint to the content")
                .hasMessageContaining("\"a while\", which is not a valid duration");
    }
}
