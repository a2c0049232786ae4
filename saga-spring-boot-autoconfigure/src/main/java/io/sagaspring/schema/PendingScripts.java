package io.sagaspring.schema;

import java.io.IOException;
import java.io.InputStreamReader;
import java.io.Reader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import org.flywaydb.core.api.ResourceProvider;
import org.flywaydb.core.api.resource.LoadableResource;
import org.jspecify.annotations.Nullable;
import org.springframework.core.io.ClassPathResource;

/** Provides Flyway with exactly the scripts to run, so that Flyway need not search for them. */
final class PendingScripts implements ResourceProvider {

    private final List<MigrationScript> scripts;

    PendingScripts(List<MigrationScript> scripts) {
        this.scripts = scripts;
    }

    @Override
    public @Nullable LoadableResource getResource(String name) {
        return null;
    }

    @Override
    public Collection<LoadableResource> getResources(String prefix, String[] suffixes) {
        return scripts.stream()
                .<LoadableResource>map(script -> new Script(script.file()))
                .filter(script -> script.getFilename().startsWith(prefix))
                .toList();
    }

    private static final class Script extends LoadableResource {

        private final ClassPathResource file;

        Script(ClassPathResource file) {
            this.file = file;
        }

        @Override
        public Reader read() {
            try {
                return new InputStreamReader(file.getInputStream(), StandardCharsets.UTF_8);
            } catch (IOException failed) {
                throw new UncheckedIOException(failed);
            }
        }

        @Override
        public String getAbsolutePath() {
            return file.getPath();
        }

        @Override
        public String getAbsolutePathOnDisk() {
            return file.getPath();
        }

        @Override
        public String getFilename() {
            return Objects.requireNonNull(file.getFilename());
        }

        @Override
        public String getRelativePath() {
            return file.getPath();
        }
    }
}
